import type { Pool } from 'pg';
import { isOfVendor } from '../../platform/auth.ts';
import type { EventSource } from '../../platform/http/event-routes.ts';
import type { AuthenticateVendor } from '../vendors/authenticate.ts';
import { listVendorEvents } from './store.ts';

/** The vendors' events. */
export function vendorEvents(pool: Pool, authenticate: AuthenticateVendor): EventSource {
  return {
    judges: isOfVendor,
    authenticate: async (authorization) => {
      const authenticated = await authenticate(authorization, 'read');
      if (authenticated.kind === 'refused') return authenticated;
      return { kind: 'known', identity: { tenantId: authenticated.identity.vendorId } };
    },
    list: (vendorId, after, limit) => listVendorEvents(pool, vendorId, after, limit),
  };
}

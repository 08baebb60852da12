import type { Pool } from 'pg';
import { isOfVendor } from '../../platform/auth.ts';
import { onCommit } from '../../platform/database.ts';
import { EventWatch } from '../../platform/event-watch.ts';
import type { EventSource } from '../../platform/http/event-routes.ts';
import type { Log } from '../../platform/log.ts';
import type { AuthenticateVendor } from '../vendors/authenticate.ts';
import { findMovedVendorCounters, listVendorEvents } from './store.ts';

/** The vendors' events. */
export function vendorEvents(pool: Pool, authenticate: AuthenticateVendor, log: Log): EventSource {
  const watch = new EventWatch({ moved: (ids, after) => findMovedVendorCounters(pool, ids, after), log });
  onCommit(pool, (vendorIds) => watch.nudge(vendorIds));
  return {
    watch,
    judges: isOfVendor,
    authenticate: async (request) => {
      const authenticated = await authenticate(request, 'read');
      if (authenticated.kind === 'refused') return authenticated;
      const { vendorId, tokenId } = authenticated.identity;
      return { kind: 'known', identity: { tenantId: vendorId, tokenId } };
    },
    list: (vendorId, after, limit) => listVendorEvents(pool, vendorId, after, limit),
  };
}

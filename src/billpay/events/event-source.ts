import type { Pool } from 'pg';
import { confirmed } from '../../platform/database/barrier.ts';
import { onCommit } from '../../platform/database/database.ts';
import type { EventSource } from '../../platform/events/event-routes.ts';
import { EventWatch } from '../../platform/events/event-watch.ts';
import type { Log } from '../../platform/logging/log.ts';
import { isOfVendor } from '../../platform/tokens/auth.ts';
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
    list: (vendorId, after, limit) => listVendorEvents(confirmed(pool), vendorId, after, limit),
  };
}

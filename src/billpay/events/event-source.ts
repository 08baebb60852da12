import type { Pool } from 'pg';
import type { AlertEvent } from '../../contract/platform/event.ts';
import { confirmed } from '../../platform/database/barrier.ts';
import { onCommit } from '../../platform/database/database.ts';
import { EventWatch } from '../../platform/events/event-watch.ts';
import type { FeedWriter } from '../../platform/events/feed.ts';
import type { EventSource } from '../../platform/events/tenant-guard.ts';
import type { Log } from '../../platform/logging/log.ts';
import { isOfVendor } from '../../platform/tokens/auth.ts';
import type { AuthenticateVendor } from '../vendors/authenticate.ts';
import { findMovedVendorCounters, listVendorEvents, lockVendorCounters, recordVendorEvents } from './store.ts';

/** The vendors' events. */
export function vendorEvents(pool: Pool, authenticate: AuthenticateVendor, log: Log): EventSource {
  const watch = new EventWatch({ moved: (ids, after) => findMovedVendorCounters(pool, ids, after), log });
  onCommit(pool, (vendorIds) => watch.nudge(vendorIds));
  return {
    kind: 'vendor',
    watch,
    judges: isOfVendor,
    authenticate: async (request, scope) => {
      const authenticated = await authenticate(request, scope);
      if (authenticated.kind === 'refused') return authenticated;
      const { vendorId, tokenId, name } = authenticated.identity;
      return { kind: 'known', identity: { tenantId: vendorId, tokenId, name } };
    },
    list: (vendorId, after, limit) => listVendorEvents(confirmed(pool), vendorId, after, limit),
  };
}

/** For what is said of alerts. */
export const vendorFeedWriter: FeedWriter<AlertEvent> = {
  lock: lockVendorCounters,
  record: (tx, events) =>
    recordVendorEvents(
      tx,
      events.map(({ tenantId, ...event }) => ({ ...event, vendorId: tenantId })),
    ),
};

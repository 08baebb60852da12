import type { Pool } from 'pg';
import type { AlertEvent } from '../../contract/platform/event.ts';
import { confirmed } from '../../platform/database/barrier.ts';
import { onCommit } from '../../platform/database/database.ts';
import { EventWatch } from '../../platform/events/event-watch.ts';
import type { FeedWriter } from '../../platform/events/feed.ts';
import type { EventSource } from '../../platform/events/tenant-guard.ts';
import type { Log } from '../../platform/logging/log.ts';
import { isOfVendor } from '../../platform/tokens/auth.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { findMovedCounters, listEvents, lockCounters, recordEvents } from './store.ts';

/** The taxpayers' events. */
export function taxpayerEvents(pool: Pool, authenticate: Authenticate, log: Log): EventSource {
  const watch = new EventWatch({ moved: (ids, after) => findMovedCounters(pool, ids, after), log });
  onCommit(pool, (taxpayerIds) => watch.nudge(taxpayerIds));
  return {
    kind: 'taxpayer',
    watch,
    judges: (credentials) => !isOfVendor(credentials),
    authenticate: async (request, scope) => {
      const authenticated = await authenticate(request, scope);
      if (authenticated.kind === 'refused') return authenticated;
      const { identity } = authenticated;
      if (identity.kind !== 'taxpayer') throw new Error('an operator has no scope of a taxpayer');
      const { taxpayerId, tokenId, name } = identity;
      return { kind: 'known', identity: { tenantId: taxpayerId, tokenId, name } };
    },
    list: (taxpayerId, after, limit) => listEvents(confirmed(pool), taxpayerId, after, limit),
  };
}

/** For what is said of alerts. */
export const taxpayerFeedWriter: FeedWriter<AlertEvent> = {
  lock: lockCounters,
  record: (tx, events) =>
    recordEvents(
      tx,
      events.map(({ tenantId, ...event }) => ({ ...event, taxpayerId: tenantId })),
    ),
};

import type { Pool } from 'pg';
import { confirmed } from '../../platform/database/barrier.ts';
import { onCommit } from '../../platform/database/database.ts';
import { EventWatch } from '../../platform/events/event-watch.ts';
import type { Feed } from '../../platform/events/feed.ts';
import { findMovedCounters } from '../../platform/events/store.ts';
import type { Log } from '../../platform/logging/log.ts';
import { listEvents } from './store.ts';

/** Made here for all tenants, because the receipts among the events are known here. */
export function createFeed(pool: Pool, log: Log): Feed {
  const watch = new EventWatch({ moved: (ids, after) => findMovedCounters(pool, ids, after), log });
  onCommit(pool, (tenantIds) => watch.nudge(tenantIds));
  return { watch, list: (tenantId, after, limit) => listEvents(confirmed(pool), tenantId, after, limit) };
}

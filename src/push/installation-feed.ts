import type { Pool } from 'pg';
import { confirmed } from '../platform/database/barrier.ts';
import { onCommit } from '../platform/database/database.ts';
import { EventWatch } from '../platform/events/event-watch.ts';
import type { Feed } from '../platform/events/feed.ts';
import type { Log } from '../platform/logging/log.ts';
import { findMovedAlertCounter, listAlertEvents } from './alert-store.ts';

/** Alerts of all tenants and of the installation itself: for the endpoints of its operators. */
export function installationFeed(pool: Pool, log: Log): Feed {
  const watch = new EventWatch({ moved: (_ids, after) => findMovedAlertCounter(pool, after), log });
  onCommit(pool, (tenantIds) => watch.nudge(tenantIds));
  return { watch, list: (_tenantId, after, limit) => listAlertEvents(confirmed(pool), after, limit) };
}

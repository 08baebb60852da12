import type { Pool } from 'pg';
import { confirmed } from '../../platform/database/barrier.ts';
import { onCommit } from '../../platform/database/database.ts';
import { EventWatch } from '../../platform/events/event-watch.ts';
import type { Feed } from '../../platform/events/feed.ts';
import { findMovedCounters } from '../../platform/events/store.ts';
import type { EventSource } from '../../platform/events/tenant-guard.ts';
import type { Log } from '../../platform/logging/log.ts';
import { isOfPayments } from '../../platform/tokens/auth.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { listEvents } from './store.ts';

/** Taxpayers, as readers of events. */
export function taxpayerEvents(authenticate: Authenticate): EventSource {
  return {
    kind: 'taxpayer',
    judges: (credentials) => !isOfPayments(credentials),
    authenticate: async (request, scope) => {
      const authenticated = await authenticate(request, scope);
      if (authenticated.kind === 'refused') return authenticated;
      const { identity } = authenticated;
      if (identity.kind !== 'taxpayer') throw new Error('an operator has no scope of a taxpayer');
      const { taxpayerId, tokenId, name } = identity;
      return { kind: 'known', identity: { tenantId: taxpayerId, tokenId, name } };
    },
  };
}

/** Made here for all tenants, because the receipts among the events are known here. */
export function createFeed(pool: Pool, log: Log): Feed {
  const watch = new EventWatch({ moved: (ids, after) => findMovedCounters(pool, ids, after), log });
  onCommit(pool, (tenantIds) => watch.nudge(tenantIds));
  return { watch, list: (tenantId, after, limit) => listEvents(confirmed(pool), tenantId, after, limit) };
}

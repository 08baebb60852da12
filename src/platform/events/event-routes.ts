import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/platform/event.ts';
import { type Refusal, refused } from '../../kernel/refusal.ts';
import { route } from '../http/route.ts';
import { eventPage } from './event-page.ts';
import type { Feed } from './feed.ts';
import { type EventSource, type Tenant, tenantGuard, tenantOf } from './tenant-guard.ts';

/** Every till of a large shop may wait with one token; more than this is a client that opens polls and forgets them. */
export const MAX_WAITING_PER_TOKEN = 200;
const DEFAULT_PAGE = 100;

/** `GET /api/events` for the tenants of all these services. */
export function eventRoutes(app: FastifyInstance, feed: Feed, sources: readonly [EventSource, ...EventSource[]]): void {
  // A stopping server does not let its long polls run out.
  app.addHook('preClose', (done) => {
    feed.watch.stop();
    done();
  });
  const waiting = new Map<string, number>();

  route(app, tenantGuard(sources), contract.listEvents, async ({ request, reply, query }) => {
    const reader = tenantOf(request);
    const after = BigInt(query.After ?? query.after ?? '0');
    const limit = query.Limit ?? query.limit ?? DEFAULT_PAGE;
    const waitMs = (query.Wait ?? query.wait ?? 0) * 1000;
    if (waitMs > 0) {
      const before = waiting.get(reader.tokenId) ?? 0;
      if (before >= MAX_WAITING_PER_TOKEN) return refused(TOO_MANY_WAITING);
      waiting.set(reader.tokenId, before + 1);
      const hasEvents = await untilEvents(feed, reader, after, waitMs, reply.raw);
      const left = (waiting.get(reader.tokenId) ?? 1) - 1;
      if (left === 0) waiting.delete(reader.tokenId);
      else waiting.set(reader.tokenId, left);
      // Ten thousand that hang up at once are not worth ten thousand answers.
      if (reply.raw.destroyed) return reply.hijack();
      // There is no need to ask the database to know that there is nothing.
      if (!hasEvents) return eventPage([], after);
    }
    return eventPage(await feed.list(reader.tenantId, after, limit), after);
  });
}

const TOO_MANY_WAITING: Refusal = {
  code: 'RateLimited',
  detail: `${MAX_WAITING_PER_TOKEN} requests with this token are waiting for events already. One is enough for all events of a tenant: let it be answered before you send the next, or ask without wait.`,
  retryAfterSeconds: 5,
};

/** Whether there is something to read: false when the time is up, the service stops or the client has gone. */
function untilEvents(
  feed: Feed,
  { tenantId }: Tenant,
  after: bigint,
  waitMs: number,
  response: ServerResponse,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (hasEvents: boolean) => {
      clearTimeout(timer);
      unwatch();
      response.off('close', onGone);
      resolve(hasEvents);
    };
    const onGone = () => end(false);
    const timer = setTimeout(end, waitMs, false);
    const unwatch = feed.watch.watch(tenantId, after, end);
    response.once('close', onGone);
  });
}

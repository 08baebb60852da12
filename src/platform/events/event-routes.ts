import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as contract from '../../contract/platform/event.ts';
import { ExactText } from '../../kernel/exact-json.ts';
import { type Refusal, refused } from '../../kernel/refusal.ts';
import { sendProblem } from '../http/problem.ts';
import { route } from '../http/route.ts';
import { type Credentials, readCredentials } from '../tokens/auth.ts';
import type { Authenticated, TokenRequest } from '../tokens/authentication.ts';
import type { Feed, TenantEvent } from './feed.ts';

/** Every till of a large shop may wait with one token; more than this is a client that opens polls and forgets them. */
export const MAX_WAITING_PER_TOKEN = 200;
const DEFAULT_PAGE = 100;

/** A service whose tenants have events. Each numbers its own; the address is one. */
export interface EventSource extends Feed {
  /** Whether these credentials are of its kind: only this kind of tenant is then asked. */
  readonly judges: (credentials: Credentials | undefined) => boolean;
  readonly authenticate: (request: TokenRequest) => Promise<Authenticated<Omit<Reader, 'source'>>>;
}

interface Reader {
  readonly source: EventSource;
  readonly tenantId: string;
  readonly tokenId: string;
}

/** `GET /api/events` for the tenants of all these services. */
export function eventRoutes(app: FastifyInstance, sources: readonly [EventSource, ...EventSource[]]): void {
  // A stopping server does not let its long polls run out.
  app.addHook('preClose', (done) => {
    for (const { watch } of sources) watch.stop();
    done();
  });
  const waiting = new Map<string, number>();
  const readers = new WeakMap<FastifyRequest, Reader>();

  async function authenticate(request: FastifyRequest, reply: FastifyReply) {
    const { authorization } = request.headers;
    const credentials = readCredentials(authorization);
    const source = sources.find((one) => one.judges(credentials)) ?? sources[0];
    const authenticated = await source.authenticate(request);
    if (authenticated.kind === 'refused') return sendProblem(reply, authenticated.refusal);
    readers.set(request, { source, ...authenticated.identity });
    return undefined;
  }

  route(
    app,
    () => authenticate,
    contract.listEvents,
    async ({ request, reply, query }) => {
      const reader = readers.get(request);
      if (reader === undefined) throw new Error('the events were reached without authentication');
      const after = BigInt(query.After ?? query.after ?? '0');
      const limit = query.Limit ?? query.limit ?? DEFAULT_PAGE;
      const waitMs = (query.Wait ?? query.wait ?? 0) * 1000;
      if (waitMs > 0) {
        const before = waiting.get(reader.tokenId) ?? 0;
        if (before >= MAX_WAITING_PER_TOKEN) return refused(TOO_MANY_WAITING);
        waiting.set(reader.tokenId, before + 1);
        const hasEvents = await untilEvents(reader, after, waitMs, reply.raw);
        const left = (waiting.get(reader.tokenId) ?? 1) - 1;
        if (left === 0) waiting.delete(reader.tokenId);
        else waiting.set(reader.tokenId, left);
        // Ten thousand that hang up at once are not worth ten thousand answers.
        if (reply.raw.destroyed) return reply.hijack();
        // There is no need to ask the database to know that there is nothing.
        if (!hasEvents) return page([], after);
      }
      return page(await reader.source.list(reader.tenantId, after, limit), after);
    },
  );
}

const TOO_MANY_WAITING: Refusal = {
  code: 'RateLimited',
  detail: `${MAX_WAITING_PER_TOKEN} requests with this token are waiting for events already. One is enough for all events of a tenant: let it be answered before you send the next, or ask without wait.`,
  retryAfterSeconds: 5,
};

/** Whether there is something to read: false when the time is up, the service stops or the client has gone. */
function untilEvents(
  { source, tenantId }: Reader,
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
    const unwatch = source.watch.watch(tenantId, after, end);
    response.once('close', onGone);
  });
}

/** What an event carries is text from its row, and goes out as it is. */
function page(events: readonly TenantEvent[], after: bigint) {
  return {
    Events: events.map(
      ({ number, type, at, data }) =>
        new ExactText(`{"Number":${number},"Type":"${type}","At":"${at.toISOString()}","Data":${data}}`),
    ),
    LastNumber: new ExactText(String(events.at(-1)?.number ?? after)),
  };
}

import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/console/overview.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';
import { type Refusal, refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { route } from '../../platform/http/route.ts';
import { SECURITY_HEADERS } from '../../platform/http/security-headers.ts';
import { principalOf } from '../operators/principal.ts';
import { findSession } from '../operators/session-store.ts';
import { type Listener, LiveFeed } from './live-feed.ts';
import { OverviewReader } from './read-overview.ts';

const MAX_LISTENERS = 200;
const HEARTBEAT_MS = 15_000;
/** What a listener may leave unread; who is slower misses news, and never the newest. */
const MAX_UNREAD_BYTES = 256 * 1024;

const FULL: Refusal = { code: 'Overloaded', detail: 'Too many watch at once. Try again later.', retryAfterSeconds: 30 };

/** The state of everything at a glance, once or live. */
export function overviewRoutes(
  app: FastifyInstance,
  context: Administration & ConstructorParameters<typeof OverviewReader>[0],
): void {
  const { pool, clock, guard } = context;
  const reader = new OverviewReader(context);
  const feed = new LiveFeed(async () => writeExactJson(await reader.read()), app.log);
  app.addHook('preClose', (done) => {
    feed.close();
    done();
  });

  route(app, guard, contract.getOverview, () => reader.read());

  route(app, guard, contract.getLiveOverview, ({ request, reply }) => {
    if (feed.listeners >= MAX_LISTENERS) return refused(FULL);
    const { session } = principalOf(request);
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      ...SECURITY_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-request-id': request.id,
      'x-accel-buffering': 'no',
    });
    const heartbeat = setInterval(() => raw.write(':\n\n'), HEARTBEAT_MS).unref();
    const listener: Listener = {
      send: (news) => {
        if (raw.writableLength < MAX_UNREAD_BYTES) raw.write(`event: overview\ndata: ${news}\n\n`);
      },
      isWelcome: async () =>
        session === undefined || (await findSession(pool, session.sessionHash, clock())) !== undefined,
      end: () => raw.end(),
    };
    raw.on('close', () => {
      clearInterval(heartbeat);
      feed.remove(listener);
    });
    raw.on('error', () => {});
    raw.write('retry: 2000\n\n');
    feed.add(listener);
    return reply;
  });
}

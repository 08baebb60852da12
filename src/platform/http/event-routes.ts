import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Credentials, readCredentials } from '../auth.ts';
import type { Authenticated } from '../authentication.ts';
import { listEventsDocumentation } from './event-documentation.ts';
import { sendProblem } from './problem.ts';

const LOOK_AGAIN_MS = 200;
const DEFAULT_PAGE = 100;

interface EventsQuery {
  after?: string;
  wait?: number;
  limit?: number;
}

export interface TenantEvent {
  readonly number: bigint;
  readonly type: string;
  readonly at: Date;
  /** JSON text. */
  readonly data: string;
}

/** A service whose tenants have events. Each numbers its own; the address is one. */
export interface EventSource {
  /** Whether these credentials are of its kind: nobody else is asked about them. */
  readonly judges: (credentials: Credentials | undefined) => boolean;
  readonly authenticate: (authorization: string | undefined) => Promise<Authenticated<{ readonly tenantId: string }>>;
  readonly list: (tenantId: string, after: bigint, limit: number) => Promise<readonly TenantEvent[]>;
}

interface Reader {
  readonly source: EventSource;
  readonly tenantId: string;
}

/** `GET /api/events` for the tenants of all these services. */
export function eventRoutes(app: FastifyInstance, sources: readonly [EventSource, ...EventSource[]]): void {
  // A stopping server does not let its long polls run out.
  const closing = new AbortController();
  app.addHook('preClose', (done) => {
    closing.abort();
    done();
  });
  const readers = new WeakMap<FastifyRequest, Reader>();

  async function authenticate(request: FastifyRequest, reply: FastifyReply) {
    const { authorization } = request.headers;
    const credentials = readCredentials(authorization);
    const source = sources.find((one) => one.judges(credentials)) ?? sources[0];
    const authenticated = await source.authenticate(authorization);
    if (authenticated.kind === 'refused') return sendProblem(reply, authenticated.refusal);
    readers.set(request, { source, tenantId: authenticated.identity.tenantId });
    return undefined;
  }

  app.get<{ Querystring: EventsQuery }>('/api/events', {
    onRequest: authenticate,
    schema: {
      documentation: listEventsDocumentation,
      querystring: Type.Object(
        {
          after: Type.Optional(
            Type.String({ pattern: '^[0-9]{1,18}$', description: 'Number of the last event you have.' }),
          ),
          wait: Type.Optional(Type.Integer({ minimum: 0, maximum: 30, description: 'Seconds to wait for an event.' })),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: DEFAULT_PAGE })),
        },
        { additionalProperties: false },
      ),
    },
    handler: async (request, reply) => {
      const reader = readers.get(request);
      if (reader === undefined) throw new Error('the events were reached without authentication');
      const after = BigInt(request.query.after ?? '0');
      const limit = request.query.limit ?? DEFAULT_PAGE;
      const look = () => reader.source.list(reader.tenantId, after, limit);
      const deadline = Date.now() + (request.query.wait ?? 0) * 1000;
      let events = await look();
      while (events.length === 0 && Date.now() < deadline && !request.raw.destroyed && !closing.signal.aborted) {
        await delay(LOOK_AGAIN_MS);
        events = await look();
      }
      const items = events.map(
        (event) =>
          `{"Number":${event.number},"Type":"${event.type}","At":"${event.at.toISOString()}","Data":${event.data}}`,
      );
      const last = events.at(-1)?.number ?? after;
      return reply.type('application/json; charset=utf-8').send(`{"Events":[${items.join(',')}],"LastNumber":${last}}`);
    },
  });
}

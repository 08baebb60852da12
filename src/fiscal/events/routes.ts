import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { Type } from 'typebox';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, requireScope } from '../taxpayers/require-scope.ts';
import { listEventsDocumentation } from './event-documentation.ts';
import { listEvents } from './store.ts';

const LOOK_AGAIN_MS = 200;
const DEFAULT_PAGE = 100;

interface EventsQuery {
  after?: string;
  wait?: number;
  limit?: number;
}

export function eventRoutes(app: FastifyInstance, context: { pool: Pool; authenticate: Authenticate }): void {
  // A stopping server does not let its long polls run out.
  const closing = new AbortController();
  app.addHook('preClose', (done) => {
    closing.abort();
    done();
  });
  app.get<{ Querystring: EventsQuery }>('/api/events', {
    onRequest: requireScope(context.authenticate, 'read'),
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
      const { taxpayerId } = callerOf(request);
      const after = BigInt(request.query.after ?? '0');
      const limit = request.query.limit ?? DEFAULT_PAGE;
      const deadline = Date.now() + (request.query.wait ?? 0) * 1000;
      let events = await listEvents(context.pool, taxpayerId, after, limit);
      while (events.length === 0 && Date.now() < deadline && !request.raw.destroyed && !closing.signal.aborted) {
        await delay(LOOK_AGAIN_MS);
        events = await listEvents(context.pool, taxpayerId, after, limit);
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

import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { Type } from 'typebox';
import { sendProblem } from '../../platform/http/problem.ts';
import { readBillers } from '../billers/read-billers.ts';
import { visibleCodes } from '../billers/visible.ts';
import { unknownBiller } from '../payments/refusals.ts';
import type { AuthenticateVendor } from '../vendors/authenticate.ts';
import { requireVendor, vendorOf } from '../vendors/require-vendor.ts';
import { feedDocumentation } from './feed-documentation.ts';
import { feedItemText, readFeed } from './read-feed.ts';

const PAGE = 20;

const FeedQuerySchema = Type.Object(
  {
    billercode: Type.String({ maxLength: 50 }),
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'ZIG is taken for ZWG.' })),
    before: Type.Optional(
      Type.Integer({
        description: 'Unix time in milliseconds of the oldest record of the page before; only older ones are answered.',
      }),
    ),
  },
  { additionalProperties: false },
);

export function feedRoutes(
  app: FastifyInstance,
  { pool, authenticate }: { readonly pool: Pool; readonly authenticate: AuthenticateVendor },
): void {
  app.get<{ Querystring: Type.Static<typeof FeedQuerySchema> }>('/api/payment/feed', {
    onRequest: requireVendor(authenticate, 'read'),
    schema: { querystring: FeedQuerySchema, documentation: feedDocumentation },
    handler: async (request, reply) => {
      const { billercode, currency, before } = request.query;
      const codes = [billercode];
      const [billers, visible] = await Promise.all([
        readBillers(pool, codes),
        visibleCodes(pool, vendorOf(request).vendorId, codes),
      ]);
      const biller = visible.has(billercode) ? billers.get(billercode) : undefined;
      if (biller === undefined) return sendProblem(reply, unknownBiller());
      if (!biller.allowsFeed) {
        return sendProblem(reply, { code: 'Forbidden', detail: 'The feed of this biller is not enabled (AllowFeed).' });
      }
      const rows = await readFeed(pool, { billerCode: billercode, currency, before, limit: PAGE });
      return reply.type('application/json; charset=utf-8').send(`[${rows.map(feedItemText).join(',')}]`);
    },
  });
}

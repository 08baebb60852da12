import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { Type } from 'typebox';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import { readBillers } from '../billers/read-billers.ts';
import { visibleCodes } from '../billers/visible.ts';
import { unknownBiller } from '../payments/refusals.ts';
import type { AuthenticateVendor } from '../vendors/authenticate.ts';
import { requireVendor, vendorOf } from '../vendors/require-vendor.ts';
import { feedDocumentation } from './feed-documentation.ts';
import { type FeedRow, listFeed } from './store.ts';

const PAGE = 20;
/** The last millisecond of the year 9999, which every program and the database can write down. */
const END_OF_TIME_MS = 253_402_300_799_999;

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
      const { billercode, currency, before = END_OF_TIME_MS } = request.query;
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
      const until = new Date(Math.min(Math.max(0, before), END_OF_TIME_MS));
      const wanted = currency === undefined ? undefined : canonicalCurrency(currency);
      const rows = await listFeed(pool, billercode, wanted, until, PAGE);
      return reply.type('application/json; charset=utf-8').send(`[${rows.map(itemText).join(',')}]`);
    },
  });
}

function itemText({ paid_at, member_number, amount, meta_data }: FeedRow): string {
  const member = JSON.stringify(member_number);
  return `{"Date":"${paid_at.toISOString()}","MemberNumber":${member},"Amount":${amount},"MetaData":${meta_data}}`;
}

import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import {
  feedItemText,
  findBillers,
  findViewers,
  NO_BILLER,
  presentTargetStats,
  readFeed,
  readTargetStats,
} from '../billpay/index.ts';
import { canonicalCurrency } from '../kernel/currency.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import {
  getBillerFeedDocumentation,
  getBillerTargetDocumentation,
  listBillerVendorsDocumentation,
} from './biller-figures-documentation.ts';
import type { ConsoleContext } from './context.ts';
import { BillerCode, closed, DEFAULT_PAGE, nextCursor, page } from './schemas.ts';

interface Params {
  billerCode: string;
}
const params = Type.Object({ billerCode: BillerCode });
const Currency = Type.Optional(
  Type.String({ pattern: '^[A-Z]{3}$', description: 'Only payments in this currency. `ZIG` is `ZWG`.' }),
);
const Cursor = Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'NextCursor of the page before.' }));
const JSON_TYPE = 'application/json; charset=utf-8';

/** What a biller has come to, as its vendors see it: an operator has no token of theirs. */
export function billerFiguresRoutes(app: FastifyInstance, { pool, allow }: ConsoleContext): void {
  app.get<{ Params: Params }>('/api/admin/billers/:billerCode/vendors', {
    onRequest: allow('viewer'),
    schema: { params, documentation: listBillerVendorsDocumentation },
    handler: async (request, reply) => {
      const { billerCode } = request.params;
      const [billers, VendorIds] = await Promise.all([findBillers(pool, [billerCode]), findViewers(pool, billerCode)]);
      return billers.length === 0 ? sendProblem(reply, NO_BILLER) : { VendorIds };
    },
  });

  app.get<{ Params: Params; Querystring: { Currency?: string } }>('/api/admin/billers/:billerCode/target', {
    onRequest: allow('viewer'),
    schema: { params, querystring: Type.Object({ Currency }, closed), documentation: getBillerTargetDocumentation },
    handler: async (request, reply) => {
      const { Currency: currency } = request.query;
      const wanted = currency === undefined ? undefined : canonicalCurrency(currency);
      const stats = await readTargetStats(pool, undefined, request.params.billerCode, wanted);
      if (stats.kind === 'unknown biller') return sendProblem(reply, NO_BILLER);
      const text = stats.kind === 'stats' ? presentTargetStats(stats.target, stats.achieved) : 'null';
      return reply.type(JSON_TYPE).send(`{"Target":${text}}`);
    },
  });

  app.get<{ Params: Params; Querystring: { Currency?: string; Limit?: number; Cursor?: string } }>(
    '/api/admin/billers/:billerCode/feed',
    {
      onRequest: allow('viewer'),
      schema: {
        params,
        querystring: Type.Object({ Currency, ...page, Cursor }, closed),
        documentation: getBillerFeedDocumentation,
      },
      handler: async (request, reply) => {
        const { billerCode } = request.params;
        const { Currency: currency, Cursor: cursor, Limit: limit = DEFAULT_PAGE } = request.query;
        const before = cursor === undefined ? undefined : Number(cursor);
        const [billers, feed] = await Promise.all([
          findBillers(pool, [billerCode]),
          readPage(limit, (most) => readFeed(pool, { billerCode, currency, before, limit: most })),
        ]);
        if (billers.length === 0) return sendProblem(reply, NO_BILLER);
        const next = nextCursor(feed, (last) => String(last.paid_at.getTime()));
        const items = feed.rows.map(feedItemText).join(',');
        return reply.type(JSON_TYPE).send(`{"Items":[${items}],"NextCursor":${JSON.stringify(next)}}`);
      },
    },
  );
}

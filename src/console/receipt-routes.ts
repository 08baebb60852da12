import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import {
  type ListQuery,
  listFields,
  listReceipts,
  readListQuery,
  signedReceiptText,
  writeCursor,
} from '../fiscal/index.ts';
import { sendProblem } from '../platform/http/problem.ts';
import type { ConsoleContext } from './context.ts';
import { searchReceiptsDocumentation } from './receipt-documentation.ts';
import { closed, DEFAULT_PAGE, Id } from './schemas.ts';

const STATES = ['Pending', 'Submitted', 'Refused', 'Undeliverable'] as const;

interface SearchQuery extends ListQuery {
  TaxpayerId?: string;
  State?: (typeof STATES)[number];
}

/** Receipts of all taxpayers, for operators. */
export function receiptSearchRoutes(app: FastifyInstance, { pool, allow }: ConsoleContext): void {
  app.get<{ Querystring: SearchQuery }>('/api/admin/receipts', {
    onRequest: allow('viewer'),
    schema: {
      documentation: searchReceiptsDocumentation,
      querystring: Type.Object(
        {
          TaxpayerId: Type.Optional(Id),
          State: Type.Optional(Type.String({ enum: STATES })),
          ...listFields,
        },
        closed,
      ),
    },
    handler: async (request, reply) => {
      const { TaxpayerId, State, Limit: limit = DEFAULT_PAGE } = request.query;
      const filter = readListQuery(request.query);
      if (Array.isArray(filter)) {
        return sendProblem(reply, { code: 'InvalidRequest', detail: 'The query has errors.', errors: filter });
      }
      const search = { ...filter, taxpayerId: TaxpayerId, state: State };
      const { receipts, last } = await listReceipts(pool, search, limit);
      const items = receipts.map(
        ({ taxpayerId, sealed }) =>
          `{"TaxpayerId":"${taxpayerId}","SealedAt":"${sealed.sealedAt.toISOString()}",` +
          `"State":"${sealed.submission.state}","Receipt":${signedReceiptText(sealed)}}`,
      );
      const next = last !== undefined && receipts.length === limit ? `"${writeCursor(last)}"` : 'null';
      return reply
        .type('application/json; charset=utf-8')
        .send(`{"Receipts":[${items.join(',')}],"NextCursor":${next}}`);
    },
  });
}

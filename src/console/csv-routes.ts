import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type SearchQuery, searchFields } from '../contract/managed-receipt.ts';
import { readListQuery, receiptCsv } from '../fiscal/index.ts';
import { Refused } from '../kernel/refusal.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction } from '../platform/database.ts';
import { sendCsv } from '../platform/http/csv.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { downloadReceiptsDocumentation } from './csv-documentation.ts';
import { closed } from './schemas.ts';

/** What a search finds as a table, for spreadsheets: everything, however much it is. */
export function csvRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { pool, allow, timeZone } = context;

  app.get<{ Querystring: SearchQuery }>('/api/admin/receipts.csv', {
    onRequest: allow('operator'),
    schema: { documentation: downloadReceiptsDocumentation, querystring: Type.Object(searchFields, closed) },
    handler: async (request, reply) => {
      const search = readListQuery(request.query);
      if (search instanceof Refused) return sendProblem(reply, search.refusal);
      await recordDownload(context, actorOf(request), request.query);
      return sendCsv(reply, context, 'receipts', receiptCsv(pool, search, timeZone));
    },
  });
}

/** Buyers leave the house with this: who took them, and which. */
function recordDownload(
  { pool }: ConsoleContext,
  { actor }: ReturnType<typeof actorOf>,
  filter: SearchQuery,
): Promise<void> {
  return inTransaction(pool, (tx) =>
    recordAudit(tx, {
      actor,
      action: 'receipts.downloaded',
      taxpayerId: filter.TaxpayerId,
      subject: 'receipts',
      before: undefined,
      after: filter,
    }),
  );
}

import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { listFields, receiptCsv } from '../fiscal/index.ts';
import type { Violation } from '../kernel/refusal.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction } from '../platform/database.ts';
import { sendCsv } from '../platform/http/csv.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { downloadReceiptsDocumentation } from './csv-documentation.ts';
import { readSearch, type SearchQuery, searchFields } from './receipt-routes.ts';
import { closed } from './schemas.ts';

const { Limit: _limit, Cursor: _cursor, ...receiptFields } = { ...searchFields, ...listFields };

/** What a search finds as a table, for spreadsheets: everything, however much it is. */
export function csvRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { pool, allow, timeZone } = context;

  app.get<{ Querystring: SearchQuery }>('/api/admin/receipts.csv', {
    onRequest: allow('operator'),
    schema: { documentation: downloadReceiptsDocumentation, querystring: Type.Object(receiptFields, closed) },
    handler: async (request, reply) => {
      const search = readSearch(request.query);
      if (Array.isArray(search)) return refuse(reply, search);
      await recordDownload(context, actorOf(request), request.query);
      return sendCsv(reply, context, 'receipts', receiptCsv(pool, search, timeZone));
    },
  });
}

function refuse(reply: FastifyReply, errors: Violation[]): FastifyReply {
  return sendProblem(reply, { code: 'InvalidRequest', detail: 'The query has errors.', errors });
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

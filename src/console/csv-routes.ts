import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { type PaymentListQuery, paymentCsv, paymentListFields, readPaymentListQuery } from '../billpay/index.ts';
import { listFields, receiptCsv } from '../fiscal/index.ts';
import type { Violation } from '../kernel/refusal.ts';
import { formatZoned } from '../kernel/zone.ts';
import { recordAudit } from '../platform/audit.ts';
import { seconds } from '../platform/clock.ts';
import { inTransaction } from '../platform/database.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { downloadPaymentsDocumentation, downloadReceiptsDocumentation } from './csv-documentation.ts';
import { readSearch, type SearchQuery, searchFields } from './receipt-routes.ts';
import { closed, Id } from './schemas.ts';

const { Limit: _limit, Cursor: _cursor, ...receiptFields } = { ...searchFields, ...listFields };
const { Limit: _most, Cursor: _place, ...paymentFields } = { VendorId: Type.Optional(Id), ...paymentListFields };

/** What a search finds as a table, for spreadsheets: everything, however much it is. */
export function csvRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { pool, allow, timeZone } = context;

  app.get<{ Querystring: SearchQuery }>('/api/admin/receipts.csv', {
    onRequest: allow('operator'),
    schema: { documentation: downloadReceiptsDocumentation, querystring: Type.Object(receiptFields, closed) },
    handler: async (request, reply) => {
      const search = readSearch(request.query);
      if (Array.isArray(search)) return refuse(reply, search);
      await recordDownload(context, actorOf(request), 'receipts', request.query);
      return sendCsv(context, reply, 'receipts', receiptCsv(pool, search, timeZone));
    },
  });

  app.get<{ Querystring: PaymentListQuery & { VendorId?: string } }>('/api/admin/payments.csv', {
    onRequest: allow('operator'),
    schema: { documentation: downloadPaymentsDocumentation, querystring: Type.Object(paymentFields, closed) },
    handler: async (request, reply) => {
      const read = readPaymentListQuery(request.query);
      if (Array.isArray(read)) return refuse(reply, read);
      await recordDownload(context, actorOf(request), 'payments', request.query);
      return sendCsv(context, reply, 'payments', paymentCsv(pool, request.query.VendorId, read.filter, timeZone));
    },
  });
}

function refuse(reply: FastifyReply, errors: Violation[]): FastifyReply {
  return sendProblem(reply, { code: 'InvalidRequest', detail: 'The query has errors.', errors });
}

/** Buyers and members leave the house with this: who took them, and which. */
function recordDownload(
  { pool }: ConsoleContext,
  { actor }: ReturnType<typeof actorOf>,
  noun: 'receipts' | 'payments',
  filter: Readonly<Partial<SearchQuery & PaymentListQuery>>,
): Promise<void> {
  return inTransaction(pool, (tx) =>
    recordAudit(tx, {
      actor,
      action: `${noun}.downloaded`,
      taxpayerId: filter.TaxpayerId,
      subject: noun,
      before: undefined,
      after: filter,
    }),
  );
}

/** Made as it is read; whoever hangs up ends it. */
function sendCsv(
  { clock, timeZone }: ConsoleContext,
  reply: FastifyReply,
  noun: string,
  lines: AsyncGenerator<string>,
) {
  const today = formatZoned(timeZone, seconds(clock())).slice(0, 10);
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${noun}-${today}.csv"`)
    .send(Readable.from(lines, { objectMode: false }));
}

import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import {
  findInvoiceFields,
  findPayment,
  findVendor,
  HAND_OUTCOMES,
  type HandOutcome,
  listTransitions,
  NO_INVOICE_FIELDS,
  type Payment,
  type PaymentListQuery,
  paymentListFields,
  paymentText,
  readPaymentListQuery,
  searchPayments,
  settleByHand,
  settlePayments,
  unknownPayment,
  writePaymentCursor,
} from '../billpay/index.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction, type Queryable } from '../platform/database.ts';
import { bodyOf } from '../platform/http/body.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import {
  getPaymentDocumentation,
  reversePaymentDocumentation,
  searchPaymentsDocumentation,
  settlePaymentDocumentation,
} from './payment-documentation.ts';
import { closed, DEFAULT_PAGE, Id } from './schemas.ts';

interface Params {
  billPayReference: string;
}
const params = Type.Object({ billPayReference: Type.String({ maxLength: 100 }) });
const Reason = Type.String({ minLength: 1, maxLength: 200, description: 'Kept in the history of the payment.' });
const Settlement = Type.Object(
  { Outcome: Type.Unsafe<HandOutcome>({ type: 'string', enum: HAND_OUTCOMES }), Reason },
  { ...closed, title: 'PaymentSettlement' },
);
const AdminReversal = Type.Object({ Reason }, { ...closed, title: 'PaymentReversal' });

/** Payments of all vendors, for operators. */
export function paymentAdminRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { pool, clock, allow } = context;

  app.get<{ Querystring: PaymentListQuery & { VendorId?: string } }>('/api/admin/payments', {
    onRequest: allow('viewer'),
    schema: {
      querystring: Type.Object({ VendorId: Type.Optional(Id), ...paymentListFields }, closed),
      documentation: searchPaymentsDocumentation,
    },
    handler: async (request, reply) => {
      const { VendorId, Limit: limit = DEFAULT_PAGE } = request.query;
      const read = readPaymentListQuery(request.query);
      if (Array.isArray(read)) {
        return sendProblem(reply, { code: 'InvalidRequest', detail: 'The query has errors.', errors: read });
      }
      const { rows: found, last } = await readPage(limit, (most) =>
        searchPayments(pool, VendorId, read.filter, read.cursor, most),
      );
      const invoices = await findInvoiceFields(
        pool,
        found.map(({ payment }) => payment),
      );
      const items = found.map(({ vendorCode, payment }) => {
        const text = paymentText(payment, invoices.get(payment.paymentId) ?? NO_INVOICE_FIELDS);
        return `{"VendorId":"${payment.vendorId}","VendorCode":"${vendorCode}","Payment":${text}}`;
      });
      const next = last === undefined ? 'null' : `"${writePaymentCursor(last.payment.billPayReference)}"`;
      return sendJson(reply, `{"Payments":[${items.join(',')}],"NextCursor":${next}}`);
    },
  });

  app.get<{ Params: Params }>('/api/admin/payments/:billPayReference', {
    onRequest: allow('viewer'),
    schema: { params, documentation: getPaymentDocumentation },
    handler: async (request, reply) => {
      const { billPayReference } = request.params;
      const payment = await findPayment(pool, { vendorId: undefined, billPayReference });
      if (payment === undefined) return sendProblem(reply, unknownPayment());
      return sendJson(reply, await statusText(pool, payment));
    },
  });

  app.post<{ Params: Params }>('/api/admin/payments/:billPayReference/settle', {
    onRequest: allow('operator'),
    schema: { params, body: Settlement, documentation: settlePaymentDocumentation },
    handler: async (request, reply) => {
      const { billPayReference } = request.params;
      const { Outcome, Reason: reason } = bodyOf<{ Outcome: HandOutcome; Reason: string }>(request);
      const settled = await inTransaction(pool, async (tx) => {
        const outcome = await settleByHand(tx, clock, billPayReference, Outcome, reason);
        if (outcome.kind === 'refused') return outcome;
        await recordAudit(tx, {
          ...actorOf(request),
          action: 'payment.settled',
          taxpayerId: undefined,
          subject: `payment ${billPayReference}`,
          before: { Status: outcome.before },
          after: { Status: outcome.payment.status, Reason: reason },
        });
        return outcome;
      });
      if (settled.kind === 'refused') return sendProblem(reply, settled.refusal);
      return sendJson(reply, await statusText(pool, settled.payment));
    },
  });

  app.post<{ Params: Params }>('/api/admin/payments/:billPayReference/reverse', {
    onRequest: allow('operator'),
    schema: { params, body: AdminReversal, documentation: reversePaymentDocumentation },
    handler: async (request, reply) => {
      const { billPayReference } = request.params;
      const { Reason: reason } = bodyOf<{ Reason: string }>(request);
      const { actor } = actorOf(request);
      const outcome = await context.reversePayment({ vendorId: undefined, billPayReference }, reason, (change) =>
        inTransaction(pool, async (tx) => {
          const [changed] = await settlePayments(tx, clock, [change]);
          if (changed === undefined || changed.kind === 'again') throw new Error('a single change was put off');
          if (changed.kind === 'changed') {
            await recordAudit(tx, {
              actor,
              action: 'payment.reversed',
              taxpayerId: undefined,
              subject: `payment ${billPayReference}`,
              before: { Status: 'Paid' },
              after: { Status: changed.payment.status, Reason: reason },
            });
          }
          return changed;
        }),
      );
      if (outcome.kind === 'refused') return sendProblem(reply, outcome.refusal);
      if (outcome.isReplay) reply.header('idempotent-replay', 'true');
      return sendJson(reply, await statusText(pool, outcome.payment));
    },
  });
}

async function statusText(db: Queryable, payment: Payment): Promise<string> {
  const [vendor, invoices, transitions] = await Promise.all([
    findVendor(db, payment.vendorId),
    findInvoiceFields(db, [payment]),
    listTransitions(db, payment),
  ]);
  const owner = `{"VendorId":"${payment.vendorId}","VendorCode":${JSON.stringify(vendor?.vendorCode ?? null)},`;
  return owner + paymentText(payment, invoices.get(payment.paymentId) ?? NO_INVOICE_FIELDS, transitions).slice(1);
}

function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}

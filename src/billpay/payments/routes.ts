import type { FastifyInstance, FastifyReply } from 'fastify';
import { bodyOf } from '../../platform/http/body.ts';
import type { ExactJson } from '../../platform/http/exact-json.ts';
import { readPage } from '../../platform/http/page.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import type { Payment } from '../core/payment.ts';
import { PaymentRequestSchema, type WirePayment } from '../core/payment-schema.ts';
import { readPayment } from '../core/read-payment.ts';
import { findInvoiceFields, NO_INVOICE_FIELDS } from '../invoices/find.ts';
import type { AuthenticateVendor } from '../vendors/authenticate.ts';
import { requireVendor, vendorOf } from '../vendors/require-vendor.ts';
import {
  DEFAULT_PAGE,
  type PaymentListQuery,
  PaymentListSchema,
  paymentIdOf,
  readPaymentListQuery,
  writePaymentCursor,
} from './list-query.ts';
import {
  authDocumentation,
  listPaymentsDocumentation,
  payDocumentation,
  reverseDocumentation,
  statusDocumentation,
} from './payment-documentation.ts';
import { type NameFields, nameOf, ReverseSchema, StatusSchema } from './payment-name.ts';
import { paymentText } from './present-payment.ts';
import { unknownPayment } from './refusals.ts';
import { type ReverseContext, reversePayment } from './reverse-payment.ts';
import { findPayment, listPayments, listTransitions } from './store.ts';
import { takePayment } from './take-payment.ts';

export interface PaymentRoutesContext extends ReverseContext {
  readonly authenticate: AuthenticateVendor;
}

export function paymentRoutes(app: FastifyInstance, context: PaymentRoutesContext): void {
  const { pool, authenticate } = context;
  for (const [path, wants, documentation] of [
    ['/api/payment/auth', 'authorisation', authDocumentation],
    ['/api/payment/pay', 'payment', payDocumentation],
  ] as const) {
    app.post(path, {
      onRequest: requireVendor(authenticate, 'pay'),
      schema: { body: PaymentRequestSchema, documentation },
      handler: async (request, reply) => {
        const { value, numberText } = request.body as ExactJson;
        const asked = readPayment(value as WirePayment, numberText);
        const outcome = await takePayment(context, vendorOf(request).vendorId, wants, asked);
        if (outcome.kind === 'refused') return sendProblem(reply, outcome.refusal);
        return sendPayment(reply, context, outcome.payment, outcome.isReplay);
      },
    });
  }

  app.post('/api/payment/reverse', {
    onRequest: requireVendor(authenticate, 'pay'),
    schema: { body: ReverseSchema, documentation: reverseDocumentation },
    handler: async (request, reply) => {
      const body = bodyOf<NameFields & { Reason?: string | null }>(request);
      const name = nameOf(body, vendorOf(request).vendorId, 'VendorReference', 'BillPayReference');
      if ('code' in name) return sendProblem(reply, name);
      const outcome = await reversePayment(context, name, body.Reason ?? undefined);
      if (outcome.kind === 'refused') return sendProblem(reply, outcome.refusal);
      return sendPayment(reply, context, outcome.payment, outcome.isReplay);
    },
  });

  app.get<{ Querystring: { vendorReference?: string; billPayReference?: string } }>('/api/payment/status', {
    onRequest: requireVendor(authenticate, 'read'),
    schema: { querystring: StatusSchema, documentation: statusDocumentation },
    handler: async (request, reply) => {
      const { vendorReference: VendorReference, billPayReference: BillPayReference } = request.query;
      const fields = { VendorReference, BillPayReference };
      const name = nameOf(fields, vendorOf(request).vendorId, 'vendorReference', 'billPayReference');
      if ('code' in name) return sendProblem(reply, name);
      const payment = await findPayment(pool, name);
      if (payment === undefined) return sendProblem(reply, unknownPayment());
      const [invoices, transitions] = await Promise.all([
        findInvoiceFields(pool, [payment]),
        listTransitions(pool, payment),
      ]);
      return sendJson(reply, paymentText(payment, invoices.get(payment.paymentId) ?? NO_INVOICE_FIELDS, transitions));
    },
  });

  app.get<{ Querystring: PaymentListQuery }>('/api/payment/list', {
    onRequest: requireVendor(authenticate, 'read'),
    schema: { querystring: PaymentListSchema, documentation: listPaymentsDocumentation },
    handler: async (request, reply) => {
      const read = readPaymentListQuery(request.query);
      const place = 'cursor' in read && read.cursor !== undefined ? paymentIdOf(read.cursor) : undefined;
      if (Array.isArray(read) || (read.cursor !== undefined && place === undefined)) {
        const errors = Array.isArray(read) ? read : [FOREIGN_CURSOR];
        return sendProblem(reply, { code: 'InvalidRequest', detail: 'The query has errors.', errors });
      }
      const limit = request.query.Limit ?? DEFAULT_PAGE;
      const { rows: payments, last } = await readPage(limit, (most) =>
        listPayments(pool, vendorOf(request).vendorId, read.filter, place, most),
      );
      const invoices = await findInvoiceFields(pool, payments);
      const items = payments.map((one) => paymentText(one, invoices.get(one.paymentId) ?? NO_INVOICE_FIELDS));
      const next = last === undefined ? 'null' : `"${writePaymentCursor(String(last.paymentId))}"`;
      return sendJson(reply, `{"Payments":[${items.join(',')}],"NextCursor":${next}}`);
    },
  });
}

const FOREIGN_CURSOR = {
  Field: 'Cursor',
  Code: 'Malformed',
  Message: 'Cursor must be the NextCursor of an answer to this list, unchanged',
};

async function sendPayment(
  reply: FastifyReply,
  { pool }: PaymentRoutesContext,
  payment: Payment,
  isReplay: boolean,
): Promise<FastifyReply> {
  // A payment that was just made has no invoice yet, so nothing is looked up for it.
  const isNew = !isReplay && payment.reversedAt === undefined;
  const invoices = isNew ? undefined : await findInvoiceFields(pool, [payment]);
  if (isReplay) reply.header('idempotent-replay', 'true');
  return sendJson(reply, paymentText(payment, invoices?.get(payment.paymentId) ?? NO_INVOICE_FIELDS));
}

function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}

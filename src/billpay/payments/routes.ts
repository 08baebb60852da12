import type { FastifyInstance, FastifyReply } from 'fastify';
import * as contract from '../../contract/billpay/payment.ts';
import { Refused, refused } from '../../kernel/refusal.ts';
import { confirmed, confirmedOne } from '../../platform/database/barrier.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { type Guard, route } from '../../platform/http/route.ts';
import { NO_PAYMENT } from '../core/payment-refusals.ts';
import { readPayment } from '../core/read-payment.ts';
import { findInvoiceFields } from '../invoices/store.ts';
import { vendorOf } from '../vendors/require-vendor.ts';
import { isPaymentId, readPaymentQuery, writePaymentCursor } from './list-query.ts';
import { presentPayment, presentPayments, presentStatus } from './present-payment.ts';
import { type ReverseContext, reversePayment } from './reverse-payment.ts';
import { findPayment, listPayments, type PaymentName } from './store.ts';
import { type PaymentOutcome, takePayment } from './take-payment.ts';

export function paymentRoutes(app: FastifyInstance, guard: Guard, context: ReverseContext): void {
  /** What vendors are told of payments. */
  const confirmedDb = confirmed(context.pool);
  const answer = async (reply: FastifyReply, outcome: PaymentOutcome | Refused) => {
    if (outcome instanceof Refused) return outcome;
    const { payment, isReplay } = outcome;
    if (isReplay) reply.header('idempotent-replay', 'true');
    // A payment that was just made has no invoice yet, so nothing is looked up for it.
    const isNew = !isReplay && payment.reversedAt === undefined;
    const invoices = isNew ? undefined : await findInvoiceFields(confirmedDb, [payment]);
    return presentPayment(payment, invoices?.get(payment.paymentId));
  };

  route(app, guard, contract.authorisePayment, async ({ request, reply, body }) =>
    answer(reply, await takePayment(context, vendorOf(request).vendorId, 'authorisation', readPayment(body))),
  );

  route(app, guard, contract.payBill, async ({ request, reply, body }) =>
    answer(reply, await takePayment(context, vendorOf(request).vendorId, 'payment', readPayment(body))),
  );

  route(app, guard, contract.reversePayment, async ({ request, reply, body }) => {
    const { VendorReference, BillPayReference, Reason } = body;
    const name = nameOf({ VendorReference, BillPayReference }, vendorOf(request).vendorId);
    if (name instanceof Refused) return name;
    return answer(reply, await reversePayment(context, name, Reason ?? undefined));
  });

  route(app, guard, contract.getPaymentStatus, async ({ request, query }) => {
    const { vendorReference, billPayReference } = query;
    const name = nameOf({ vendorReference, billPayReference }, vendorOf(request).vendorId);
    if (name instanceof Refused) return name;
    const payment = await findPayment(confirmedOne(context.pool), name);
    return payment === undefined ? refused(NO_PAYMENT) : presentStatus(confirmedDb, payment);
  });

  route(app, guard, contract.listPayments, async ({ request, query }) => {
    const read = readPaymentQuery(query, isPaymentId);
    if (read instanceof Refused) return read;
    const before = read.place === undefined ? undefined : BigInt(read.place);
    const payments = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) =>
      listPayments(confirmedDb, vendorOf(request).vendorId, read.filter, before, limit),
    );
    return {
      Payments: await presentPayments(confirmedDb, payments.rows),
      NextCursor: nextCursor(payments, (last) => writePaymentCursor(String(last.paymentId))),
    };
  });
}

/** The one payment that is meant by the vendor's reference or ours, under the names they have here. */
function nameOf(
  references: Readonly<Record<string, string | null | undefined>>,
  vendorId: string,
): PaymentName | Refused {
  const [[vendorField, vendorReference] = ['', null], [ourField, billPayReference] = ['', null]] =
    Object.entries(references);
  if (typeof vendorReference === 'string' && typeof billPayReference !== 'string') return { vendorId, vendorReference };
  if (typeof billPayReference === 'string' && typeof vendorReference !== 'string')
    return { vendorId, billPayReference };
  const isNone = typeof vendorReference !== 'string';
  const Message = isNone ? `send ${vendorField} or ${ourField}` : `send either ${vendorField} or ${ourField}, not both`;
  return refused({
    code: 'InvalidRequest',
    detail: 'The request must name exactly one payment.',
    errors: [{ Field: vendorField, Code: isNone ? 'Required' : 'Malformed', Message }],
  });
}

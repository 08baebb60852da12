import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/billpay/managed-payment.ts';
import { Refused, refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { sendCsv } from '../../platform/http/csv.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { NO_PAYMENT } from '../core/payment-refusals.ts';
import { findInvoiceFields } from '../invoices/store.ts';
import { readPaymentQuery, writePaymentCursor } from './list-query.ts';
import { paymentCsv } from './payment-csv.ts';
import type { PaymentWork } from './payment-work.ts';
import { presentManaged, presentPayment } from './present-payment.ts';
import { settlePayments } from './settle.ts';
import { settleByHand } from './settle-by-hand.ts';
import { findPayment, searchPayments } from './store.ts';

export interface PaymentAdministration extends Administration {
  /** Asks the biller to take a payment back, then writes it. */
  readonly reversePayment: PaymentWork['reverse'];
  /** Of the moments in a table for spreadsheets. */
  readonly timeZone: string;
}

/** Payments of all vendors, for operators. */
export function paymentAdminRoutes(app: FastifyInstance, context: PaymentAdministration): void {
  const { pool, clock, guard, audited } = context;

  route(app, guard, contract.searchPayments, async ({ query }) => {
    const read = readPaymentQuery(query);
    if (read instanceof Refused) return read;
    const found = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) =>
      searchPayments(pool, query.VendorId, read.filter, read.place, limit),
    );
    const invoices = await findInvoiceFields(
      pool,
      found.rows.map(({ payment }) => payment),
    );
    return {
      Payments: found.rows.map(({ vendorCode, payment }) => ({
        VendorId: payment.vendorId,
        VendorCode: vendorCode,
        Payment: presentPayment(payment, invoices.get(payment.paymentId)),
      })),
      NextCursor: nextCursor(found, (last) => writePaymentCursor(last.payment.billPayReference)),
    };
  });

  route(app, guard, contract.downloadPayments, async ({ request, reply, query }) => {
    const read = readPaymentQuery(query);
    if (read instanceof Refused) return read;
    // These are data about members: the audit log says who downloaded them, and which.
    await audited(request, async () => ({
      action: 'payments.downloaded',
      subject: 'payments',
      after: query,
      answer: undefined,
    }));
    const lines = paymentCsv(pool, query.VendorId, read.filter, context.timeZone);
    return sendCsv(reply, context, 'payments', lines);
  });

  route(app, guard, contract.getPayment, async ({ params: { billPayReference } }) => {
    const payment = await findPayment(pool, { vendorId: undefined, billPayReference });
    return payment === undefined ? refused(NO_PAYMENT) : presentManaged(pool, payment);
  });

  route(app, guard, contract.settlePayment, ({ request, params, body }) =>
    audited(request, (tx) => settleByHand(tx, clock, params.billPayReference, body)),
  );

  route(app, guard, contract.reversePaymentAsOperator, async ({ request, reply, params, body: { Reason } }) => {
    const { billPayReference } = params;
    const outcome = await context.reversePayment({ vendorId: undefined, billPayReference }, Reason, (change) =>
      audited(request, async (tx) => {
        const [changed] = await settlePayments(tx, clock, [change]);
        if (changed === undefined || changed.kind === 'again') throw new Error('a single change was put off');
        if (changed.kind === 'unchanged') return { answer: changed };
        return {
          action: 'payment.reversed',
          subject: `payment ${billPayReference}`,
          before: { Status: 'Paid' },
          after: { Status: changed.payment.status, Reason },
          answer: changed,
        };
      }),
    );
    if (outcome instanceof Refused) return outcome;
    if (outcome.isReplay) reply.header('idempotent-replay', 'true');
    return presentManaged(pool, outcome.payment);
  });
}

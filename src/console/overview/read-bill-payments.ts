import { listDeliveries, readInvoiceBacklog, searchPayments } from '../../billpay/index.ts';
import type { Overview } from '../../contract/console/overview.ts';
import { add } from '../../kernel/decimal.ts';
import type { Queryable } from '../../platform/database/database.ts';

const MAX_SHOWN = 5;
const ANY_DELIVERY = { vendorId: undefined, state: undefined, before: undefined };

/** The newest of bill payments, each from the end of its index: viewers learn from it that something has changed. */
export async function readBillPayments(db: Queryable, now: Date): Promise<Overview['BillPayments']> {
  const [payments, deliveries, invoices] = await Promise.all([
    searchPayments(db, undefined, {}, undefined, MAX_SHOWN),
    listDeliveries(db, ANY_DELIVERY, MAX_SHOWN),
    readInvoiceBacklog(db, now),
  ]);
  return {
    InvoicesWaiting: invoices.waiting,
    InvoicesRejected: invoices.rejected,
    LatestPayments: payments.map(({ vendorCode, payment }) => ({
      BillPayReference: payment.billPayReference,
      VendorReference: payment.vendorReference,
      VendorCode: vendorCode,
      BillerCode: payment.billerCode,
      Currency: payment.currency,
      TotalAmount: add(payment.amount, payment.fee),
      Status: payment.status,
      CreatedAt: payment.createdAt.toISOString(),
    })),
    LatestWebhooks: deliveries.map(({ DeliveryId, VendorCode, BillerCodes, State, AttemptCount }) => ({
      DeliveryId,
      VendorCode,
      BillerCodes,
      State,
      AttemptCount,
    })),
  };
}

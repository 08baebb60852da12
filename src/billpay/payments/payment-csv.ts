import { PAYMENT_CSV_HEADER } from '../../contract/billpay/managed-payment.ts';
import { CSV_START, csvLine } from '../../kernel/csv.ts';
import { add } from '../../kernel/decimal.ts';
import { formatZoned } from '../../kernel/zone.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { cutPage } from '../../platform/http/page.ts';
import { findInvoiceFields } from '../invoices/store.ts';
import { moneyText } from './payment-row.ts';
import { type FoundPayment, type PaymentFilter, searchPayments } from './store.ts';

const PAGE = 400;

/** What the search finds, newest first, some hundred lines at a time, each page by a separate statement. Moments are in `zone`. */
export async function* paymentCsv(
  db: Queryable,
  vendorId: string | undefined,
  filter: PaymentFilter,
  zone: string,
): AsyncGenerator<string> {
  yield `${CSV_START}${PAYMENT_CSV_HEADER}\r\n`;
  for (let before: string | undefined; ; ) {
    const { rows, last } = cutPage(await searchPayments(db, vendorId, filter, before, PAGE + 1), PAGE);
    const invoices = await findInvoiceFields(
      db,
      rows.map(({ payment }) => payment),
    );
    yield rows
      .map((found) => cellsOf(found, invoices.get(found.payment.paymentId)?.VendorInvoiceReference, zone))
      .map(csvLine)
      .join('');
    if (last === undefined) return;
    before = last.payment.billPayReference;
  }
}

function cellsOf({ vendorCode, payment }: FoundPayment, invoice: string | null | undefined, zone: string) {
  const moment = (at: Date | undefined) => at && formatZoned(zone, Math.floor(at.getTime() / 1000));
  return [
    moment(payment.createdAt),
    moment(payment.paidAt),
    moment(payment.reversedAt),
    vendorCode,
    payment.vendorReference,
    payment.billPayReference,
    payment.billerCode,
    payment.memberNumber,
    payment.memberName,
    payment.currency,
    moneyText(payment.amount),
    moneyText(payment.fee),
    moneyText(add(payment.amount, payment.fee)),
    payment.paymentType,
    payment.status,
    payment.narration,
    invoice,
  ];
}

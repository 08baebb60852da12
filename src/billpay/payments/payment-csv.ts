import { PAYMENT_CSV } from '../../contract/billpay/managed-payment.ts';
import { CSV_START, type CsvCell, csvLine } from '../../kernel/csv.ts';
import { add } from '../../kernel/decimal.ts';
import { formatZoned } from '../../kernel/zone.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { cutPage } from '../../platform/http/page.ts';
import { findInvoiceFields } from '../invoices/store.ts';
import { moneyText } from './payment-row.ts';
import { type FoundPayment, type PaymentFilter, searchPayments } from './store.ts';

const PAGE = 400;
type Column = keyof typeof PAYMENT_CSV;
const COLUMNS = Object.keys(PAYMENT_CSV) as Column[];

/** What the search finds, newest first, some hundred lines at a time, each page by a separate statement. Moments are in `zone`. */
export async function* paymentCsv(
  db: Queryable,
  vendorId: string | undefined,
  filter: PaymentFilter,
  zone: string,
): AsyncGenerator<string> {
  yield `${CSV_START}${csvLine(COLUMNS)}`;
  for (let before: string | undefined; ; ) {
    const { rows, last } = cutPage(await searchPayments(db, vendorId, filter, before, PAGE + 1), PAGE);
    const invoices = await findInvoiceFields(
      db,
      rows.map(({ payment }) => payment),
    );
    yield rows
      .map((found) => cellsOf(found, invoices.get(found.payment.paymentId)?.VendorInvoiceReference, zone))
      .map((cells) => csvLine(COLUMNS.map((name) => cells[name])))
      .join('');
    if (last === undefined) return;
    before = last.payment.billPayReference;
  }
}

function cellsOf(
  { vendorCode, payment }: FoundPayment,
  invoice: string | null | undefined,
  zone: string,
): Record<Column, CsvCell> {
  const moment = (at: Date | undefined) => at && formatZoned(zone, Math.floor(at.getTime() / 1000));
  return {
    CreatedAt: moment(payment.createdAt),
    PaidAt: moment(payment.paidAt),
    ReversedAt: moment(payment.reversedAt),
    VendorCode: vendorCode,
    VendorReference: payment.vendorReference,
    BillPayReference: payment.billPayReference,
    BillerCode: payment.billerCode,
    MemberNumber: payment.memberNumber,
    MemberName: payment.memberName,
    Currency: payment.currency,
    Amount: moneyText(payment.amount),
    Fee: moneyText(payment.fee),
    TotalAmount: moneyText(add(payment.amount, payment.fee)),
    PaymentType: payment.paymentType,
    Status: payment.status,
    Narration: payment.narration,
    VendorInvoiceReference: invoice,
  };
}

import { add } from '../../kernel/decimal.ts';
import type { Payment } from '../core/payment.ts';
import type { InvoiceFields } from '../invoices/find.ts';
import { moneyText, productsText } from './payment-row.ts';
import type { RecordedTransition } from './store.ts';

/** A payment as every answer shows it. Text, because its numbers are exact. */
export function paymentText(
  payment: Payment,
  invoice: InvoiceFields,
  transitions?: readonly RecordedTransition[],
): string {
  const history =
    transitions === undefined ? '' : `,"Transitions":${JSON.stringify(transitions.map(presentTransition))}`;
  return (
    `{"VendorReference":${JSON.stringify(payment.vendorReference)},"BillPayReference":"${payment.billPayReference}",` +
    `"BillerCode":${JSON.stringify(payment.billerCode)},"MemberNumber":${JSON.stringify(payment.memberNumber)},` +
    `"MemberName":${JSON.stringify(payment.memberName ?? null)},"Currency":"${payment.currency}",` +
    `"Amount":${moneyText(payment.amount)},"Fee":${moneyText(payment.fee)},` +
    `"TotalAmount":${moneyText(add(payment.amount, payment.fee))},"Products":${productsText(payment.products)},` +
    `"PaymentType":"${payment.paymentType}","MetaData":${JSON.stringify(payment.metaData)},` +
    `"Status":"${payment.status}","Narration":${JSON.stringify(payment.narration ?? null)},` +
    `"CreatedAt":${instantText(payment.createdAt)},"PaidAt":${instantText(payment.paidAt)},` +
    `"ReversedAt":${instantText(payment.reversedAt)},` +
    `"VendorInvoiceReference":${JSON.stringify(invoice.VendorInvoiceReference)},` +
    `"VendorFiscalSignature":${JSON.stringify(invoice.VendorFiscalSignature)},` +
    `"VendorFiscalMetadata":${JSON.stringify(invoice.VendorFiscalMetadata)}${history}}`
  );
}

function presentTransition({ from, to, at, cause }: RecordedTransition): object {
  return { From: from, To: to, At: at.toISOString(), Cause: cause };
}

function instantText(date: Date | undefined): string {
  return date === undefined ? 'null' : `"${date.toISOString()}"`;
}

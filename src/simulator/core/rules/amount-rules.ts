/** RCPT010, 016–019, 028, 037–040, 043: what a receipt says about itself. */
import { isCurrentCurrency } from '../../../kernel/currency.ts';
import { add, equals, signOf, sum } from '../../../kernel/decimal.ts';
import type { SubmittedReceipt } from '../receipt.ts';
import type { RemarkCode } from '../remarks.ts';

export function amountRules(receipt: SubmittedReceipt): RemarkCode[] {
  const { lines, taxes, payments, total, isTaxInclusive, buyer } = receipt;
  const found: RemarkCode[] = [];
  const wrongSign = receipt.type === 'CreditNote' ? 1 : -1;
  const lineSum = sum(lines.map((line) => line.total));
  const taxSum = sum(taxes.map((tax) => tax.taxAmount));
  const salesSum = sum(taxes.map((tax) => tax.salesAmount));
  const paid = sum(payments.map((payment) => payment.amount));

  if (!isCurrentCurrency(receipt.currency)) found.push('RCPT010');
  if (lines.length === 0) found.push('RCPT016');
  if (taxes.length === 0) found.push('RCPT017');
  if (payments.length === 0) found.push('RCPT018');
  if (isTaxInclusive && !equals(total, lineSum)) found.push('RCPT019');
  if (!isTaxInclusive && !equals(total, add(lineSum, taxSum))) found.push('RCPT037');
  if (!equals(total, salesSum)) found.push('RCPT038');
  if (!equals(total, paid)) found.push('RCPT039');
  if (signOf(total) === wrongSign) found.push('RCPT040');
  if (payments.some((payment) => signOf(payment.amount) === wrongSign)) found.push('RCPT028');
  if (buyer && (buyer.registerName === undefined || buyer.tin === undefined)) found.push('RCPT043');
  return found;
}

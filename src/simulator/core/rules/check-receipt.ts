import type { FdmsReceiptType } from '../../../fdms/index.ts';
import { isCurrentCurrency } from '../../../kernel/currency.ts';
import { add, type Decimal, equals, multiply, signOf, sum } from '../../../kernel/decimal.ts';
import { formatWall } from '../../../kernel/zone.ts';
import type { OriginalReference, ReceiptLine, SubmittedReceipt, TaxIdentity } from '../receipt.ts';
import { distinct, type Remark, type RemarkCode, remark } from '../remarks.ts';
import { isWithin, type Rounding, roundToCents } from '../rounding.ts';
import { isOneOf, type TaxContext, taxRules } from './tax-rules.ts';

export interface CheckContext extends LineContext, DateContext, Omit<TaxContext, 'originalTaxes'> {
  readonly isInvoiceNoTaken: boolean;
  readonly original: Original | undefined;
}

/** Every rule that does not need the receipt before this one. */
export function checkReceipt(receipt: SubmittedReceipt, context: CheckContext): Remark[] {
  const originalTaxes = receipt.type === 'FiscalInvoice' ? [] : (context.original?.taxes ?? []);
  const found = [
    ...amountRules(receipt),
    ...lineRules(receipt, context),
    ...taxRules(receipt, { ...context, originalTaxes }),
    ...dateRules(receipt, context),
    ...noteRules(receipt, context.original),
  ];
  if (context.isInvoiceNoTaken) found.push('RCPT013');
  return distinct(found.map(remark));
}

interface DateContext {
  readonly openedAt: number;
  readonly now: number;
  readonly dayMaxHours: number;
  readonly openingAllowanceSeconds: number;
  readonly futureAllowanceSeconds: number;
  readonly dayEndAllowanceSeconds: number;
}

function dateRules({ date }: SubmittedReceipt, context: DateContext): RemarkCode[] {
  const dayEnd = context.openedAt + context.dayMaxHours * 3600;
  const found: RemarkCode[] = [];
  // The rule says "later than", its message "earlier than": the very second of the opening passes.
  if (date < context.openedAt - context.openingAllowanceSeconds) found.push('RCPT014');
  if (date > context.now + context.futureAllowanceSeconds) found.push('RCPT031');
  if (date > dayEnd + context.dayEndAllowanceSeconds) found.push('RCPT041');
  return found;
}

function amountRules(receipt: SubmittedReceipt): RemarkCode[] {
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

interface LineContext {
  readonly isVatPayer: boolean;
  readonly rounding: Rounding;
  readonly toleranceCents: number;
}

function lineRules(receipt: SubmittedReceipt, context: LineContext): RemarkCode[] {
  return receipt.lines.flatMap((line) => {
    const found: RemarkCode[] = [];
    if (hasWrongPriceSign(line, receipt)) found.push('RCPT022');
    if (signOf(line.quantity) <= 0) found.push('RCPT023');
    if (!isPriceTimesQuantity(line, context)) found.push('RCPT024');
    if (context.isVatPayer && line.hsCode === undefined) found.push('RCPT047');
    if (line.hsCode !== undefined && !isHsCodeLengthRight(line, line.hsCode, context.isVatPayer)) found.push('RCPT048');
    return found;
  });
}

/** Nothing is stated for discounts on notes, so nothing is checked there. */
function hasWrongPriceSign({ kind, price }: ReceiptLine, { type }: SubmittedReceipt): boolean {
  if (price === undefined) return false;
  if (kind === 'Sale') return signOf(price) !== (type === 'CreditNote' ? -1 : 1);
  return type === 'FiscalInvoice' && signOf(price) !== -1;
}

function isPriceTimesQuantity({ price, quantity, total }: ReceiptLine, context: LineContext): boolean {
  if (price === undefined) return true;
  return isWithin(total, roundToCents(multiply(price, quantity), context.rounding), context.toleranceCents);
}

function isHsCodeLengthRight(line: ReceiptLine, hsCode: string, isVatPayer: boolean): boolean {
  const isTaxed = line.percent !== undefined && signOf(line.percent) > 0;
  return hsCode.length === 8 || (hsCode.length === 4 && (!isVatPayer || isTaxed));
}

/** The receipt a note refers to, of the same taxpayer, and what other notes have already taken from it or added. */
interface Original {
  readonly type: FdmsReceiptType;
  readonly currency: string;
  readonly date: number;
  readonly total: Decimal;
  readonly taxes: readonly TaxIdentity[];
  readonly noteTotals: readonly Decimal[];
}

function noteRules(receipt: SubmittedReceipt, original: Original | undefined): RemarkCode[] {
  if (receipt.type === 'FiscalInvoice') return receipt.creditDebitNote ? ['RCPT029'] : [];
  const found: RemarkCode[] = [];
  if (receipt.notes === undefined) found.push('RCPT034');
  if (!isReference(receipt.creditDebitNote)) found.push('RCPT015');
  if (original?.type !== 'FiscalInvoice') return [...found, 'RCPT032'];

  if (original.date < twelveMonthsBefore(receipt.date)) found.push('RCPT033');
  if (original.currency !== receipt.currency) found.push('RCPT042');
  if (![...receipt.lines, ...receipt.taxes].every((tax) => isOneOf(tax, original.taxes))) found.push('RCPT036');
  // Credit notes are negative and debit notes positive, so a plain sum is what is left of the invoice.
  const left = add(sum([original.total, ...original.noteTotals]), receipt.total);
  if (receipt.type === 'CreditNote' && signOf(left) < 0) found.push('RCPT035');
  return found;
}

function isReference(reference: OriginalReference | undefined): boolean {
  if (reference === undefined) return false;
  return reference.receiptId !== undefined || (reference.deviceId !== undefined && reference.globalNo !== undefined);
}

/** The same day and time a year earlier; 29 February counts as the 28th. */
function twelveMonthsBefore(date: number): number {
  const text = formatWall(date);
  const year = Number(text.slice(0, 4)) - 1;
  const monthAndDay = text.slice(4, 10) === '-02-29' ? '-02-28' : text.slice(4, 10);
  return Date.parse(`${year}${monthAndDay}${text.slice(10)}Z`) / 1000;
}

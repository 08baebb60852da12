/** RCPT022–024, 047, 048: the lines one by one. */
import { multiply, signOf } from '../../../kernel/decimal.ts';
import type { ReceiptLine, SubmittedReceipt } from '../receipt.ts';
import type { RemarkCode } from '../remarks.ts';
import { isWithin, type Rounding, roundToCents } from '../rounding.ts';

export interface LineContext {
  readonly isVatPayer: boolean;
  readonly rounding: Rounding;
  readonly toleranceCents: number;
}

export function lineRules(receipt: SubmittedReceipt, context: LineContext): RemarkCode[] {
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

import type { ReceiptDraft } from '../../contract/fiscal/receipt-body.ts';
import { type Receipt, readReceiptDate, taxSums } from '../../fdms/index.ts';
import { type Decimal, formatDecimal, multiply, signOf, subtract, sum, ZERO } from '../../kernel/decimal.ts';
import type { Violation } from '../../kernel/refusal.ts';
import type { TaxRounding } from '../../kernel/tax.ts';
import { type ExactNumber, readReceipt } from './read-receipt.ts';

export interface CompletedReceipt {
  readonly receipt: Receipt;
  /** Why it could not be completed. */
  readonly violations: readonly Violation[];
}

/**
 * Completes a receipt by the rules it will be checked with (docs/signing.md, "Tax sums"): a line's total, which is its price times
 * its quantity, `Taxes` and `TotalAmount` where they are missing, and the amount of one payment, which is what the others leave. Without a date it is now.
 * What was given stays as it is, and nothing is rounded: a product that is not whole cents is for the rules to refuse.
 */
export function completeReceipt(
  draft: ReceiptDraft,
  exact: ExactNumber,
  now: Date,
  rounding?: TaxRounding,
): CompletedReceipt {
  const orZero: ExactNumber = (holder, key) => (isMissing(Reflect.get(holder, key)) ? ZERO : exact(holder, key));
  const given = readReceipt(draft, orZero);
  const ReceiptLines = given.ReceiptLines.map((line, index) =>
    line.UnitPrice !== undefined && isMissing(draft.ReceiptLines[index]?.LineTotal)
      ? { ...line, LineTotal: multiply(line.UnitPrice, line.Quantity) }
      : line,
  );
  const sums = taxSums(given.ReceiptLinesTaxInclusive, ReceiptLines, rounding);
  const Taxes = isMissing(draft.Taxes) ? sums.Taxes : given.Taxes;
  const TotalAmount = isMissing(draft.TotalAmount) ? sums.TotalAmount : given.TotalAmount;
  const open = draft.Payments.flatMap(({ Amount }, index) => (isMissing(Amount) ? [index] : []));
  const paid = sum(given.Payments.map((payment) => payment.Amount));
  const rest = subtract(TotalAmount, paid);
  const Payments = given.Payments.map((payment, index) => (index === open[0] ? { ...payment, Amount: rest } : payment));
  const withoutTotal = checkLines(draft);
  // As long as a line has no total, what the payments leave is not known either.
  const violations = withoutTotal.length > 0 ? withoutTotal : checkOpen(open, TotalAmount, paid, rest);
  const date = draft.Date ? given.Date : readReceiptDate(now.toISOString());
  return { receipt: { ...given, Date: date, TotalAmount, ReceiptLines, Payments, Taxes }, violations };
}

function checkLines({ ReceiptLines }: ReceiptDraft): Violation[] {
  const Message = 'LineTotal is missing: send it, or the UnitPrice by which Quantity is multiplied';
  return ReceiptLines.flatMap(({ LineTotal, UnitPrice }, index) =>
    isMissing(LineTotal) && isMissing(UnitPrice)
      ? [{ Field: `ReceiptLines[${index}].LineTotal`, Code: 'Required', Message }]
      : [],
  );
}

function checkOpen(open: readonly number[], total: Decimal, paid: Decimal, rest: Decimal): Violation[] {
  const [first, ...others] = open.map((index) => `Payments[${index}].Amount`);
  if (first !== undefined && signOf(rest) === -signOf(total) && signOf(rest) !== 0) {
    const Message = `the other payments, ${formatDecimal(paid)}, exceed TotalAmount, ${formatDecimal(total)}: nothing is left for this one`;
    return [{ Field: first, Code: 'RCPT039', Message }];
  }
  return others.map((Field) => ({
    Field,
    Code: 'Required',
    Message: 'Amount is missing: only one payment may be without it, and gets what the others leave of TotalAmount',
  }));
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

import { add, type Decimal, formatDecimal, roundHalfEven, sum } from '../../kernel/decimal.ts';
import { dependsOnRounding, type TaxRounding, taxOf } from '../../kernel/tax.ts';
import type { Receipt, ReceiptLine, TaxSummary } from './receipt.ts';

/** The lines of one percentage, added up. */
export interface LineGroup {
  readonly percent: Decimal | null;
  readonly lineTotal: Decimal;
}

type SummedLine = Pick<ReceiptLine, 'LineTotal' | 'TaxPercent'>;

/** By percentKey, in the order in which the percentages first appear. Amounts count as cents: more is reported at the line. */
export function groupLines(lines: readonly SummedLine[]): Map<string, LineGroup> {
  const groups = new Map<string, LineGroup>();
  for (const line of lines) {
    const key = percentKey(line.TaxPercent);
    const known = groups.get(key);
    const total = roundHalfEven(line.LineTotal, 2);
    const lineTotal = known === undefined ? total : add(known.lineTotal, total);
    groups.set(key, { percent: line.TaxPercent, lineTotal });
  }
  return groups;
}

/** What the lines come to (docs/signing.md, "Tax sums"): the tax table and the total that the rules demand. */
export function taxSums(
  isInclusive: boolean,
  lines: readonly SummedLine[],
  rounding?: TaxRounding,
): Pick<Receipt, 'Taxes' | 'TotalAmount'> {
  const Taxes = [...groupLines(lines).values()].map(({ percent, lineTotal }): TaxSummary => {
    const { sales, tax } = taxOf(isInclusive, percent, lineTotal, rounding);
    return { TaxPercent: percent, SalesAmountWithTax: sales, TaxAmount: tax };
  });
  return { Taxes, TotalAmount: sum(Taxes.map((tax) => tax.SalesAmountWithTax)) };
}

/** Whether the tax of one of its groups is exactly half a cent, which programs round differently. */
export function hasExactHalf(receipt: Pick<Receipt, 'ReceiptLines' | 'ReceiptLinesTaxInclusive'>): boolean {
  return [...groupLines(receipt.ReceiptLines).values()].some(({ percent, lineTotal }) =>
    dependsOnRounding(receipt.ReceiptLinesTaxInclusive, percent, lineTotal),
  );
}

/** Percentages are grouped by value: 15.5 is 15.50, and exempt is not 0. */
export function percentKey(percent: Decimal | null): string {
  return percent === null ? 'exempt' : formatDecimal(percent);
}

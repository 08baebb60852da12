import { type Amount, Decimal } from './wire/decimal.ts';

export interface TaxedLine {
  readonly LineTotal: Amount;
  /** `null` is exempt, which is not 0. */
  readonly TaxPercent: Amount | null;
}

export interface TaxSum {
  readonly TaxPercent: Decimal | null;
  readonly SalesAmountWithTax: Decimal;
  readonly TaxAmount: Decimal;
}

export interface TaxSums {
  /** One for each percentage on the lines, in the order in which they first appear. */
  readonly Taxes: readonly TaxSum[];
  readonly TotalAmount: Decimal;
}

/**
 * The sums of a receipt, computed offline by the rule with which Tillseal checks them (docs/signing.md). Tax is rounded once per
 * percentage, on the sum of its lines, to 2 decimals, half to even.
 */
export function taxSums(lines: readonly TaxedLine[], isTaxInclusive: boolean): TaxSums {
  const groups = new Map<string, { readonly percent: Decimal | null; readonly total: Decimal }>();
  for (const { LineTotal, TaxPercent } of lines) {
    const percent = TaxPercent === null ? null : Decimal.of(TaxPercent);
    const total = groups.get(String(percent))?.total ?? Decimal.ZERO;
    groups.set(String(percent), { percent, total: total.plus(LineTotal) });
  }
  const Taxes = [...groups.values()].map(({ percent, total }) => taxSum(percent, total, isTaxInclusive));
  const TotalAmount = Taxes.reduce((sum, { SalesAmountWithTax }) => sum.plus(SalesAmountWithTax), Decimal.ZERO);
  return { Taxes, TotalAmount };
}

function taxSum(percent: Decimal | null, total: Decimal, isTaxInclusive: boolean): TaxSum {
  if (percent === null || percent.sign === 0)
    return { TaxPercent: percent, SalesAmountWithTax: total, TaxAmount: Decimal.ZERO };
  if (isTaxInclusive) {
    const net = total.times('100').dividedBy(percent.plus('100'), 2);
    return { TaxPercent: percent, SalesAmountWithTax: total, TaxAmount: total.minus(net) };
  }
  const TaxAmount = total.times(percent).dividedBy('100', 2);
  return { TaxPercent: percent, SalesAmountWithTax: total.plus(TaxAmount), TaxAmount };
}

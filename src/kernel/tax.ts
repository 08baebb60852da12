import {
  absolute,
  add,
  type Decimal,
  decimal,
  divideHalfEven,
  equals,
  multiply,
  ONE,
  ONE_HUNDRED,
  roundHalfEven,
  signOf,
  subtract,
  ZERO,
} from './decimal.ts';

const ONE_HUNDREDTH = decimal('0.01');
const HALF_A_CENT = decimal('0.005');

/** Where exactly half a cent goes: to the even one, or away from zero. The authority does not say what it does. */
export const TAX_ROUNDINGS = ['half-even', 'half-up'] as const;
export type TaxRounding = (typeof TAX_ROUNDINGS)[number];

/**
 * The tax of a group of lines: rounded once, on the group's sum. Inclusive: sales − round(sales / (1 + p));
 * exclusive: round(sum × p), and sales derived from it, so that the receipt's sums cannot drift apart by a cent.
 */
export function taxOf(
  inclusive: boolean,
  percent: Decimal | null,
  lineTotal: Decimal,
  rounding: TaxRounding = 'half-even',
): { readonly tax: Decimal; readonly sales: Decimal } {
  if (percent === null || signOf(percent) <= 0) return { tax: ZERO, sales: lineTotal };
  if (inclusive) {
    const [gross, whole] = [multiply(lineTotal, ONE_HUNDRED), add(ONE_HUNDRED, percent)];
    const net = divideHalfEven(gross, whole, 2);
    return { tax: subtract(lineTotal, rounding === 'half-up' ? halfUp(net, gross, whole) : net), sales: lineTotal };
  }
  const exact = multiply(lineTotal, multiply(percent, ONE_HUNDREDTH));
  const even = roundHalfEven(exact, 2);
  const tax = rounding === 'half-up' ? halfUp(even, exact, ONE) : even;
  return { tax, sales: add(lineTotal, tax) };
}

/** Whether the tax of a group is exactly half a cent that programs round differently. */
export function dependsOnRounding(inclusive: boolean, percent: Decimal | null, lineTotal: Decimal): boolean {
  const taxBy = (rounding: TaxRounding) => taxOf(inclusive, percent, lineTotal, rounding).tax;
  return !equals(taxBy('half-even'), taxBy('half-up'));
}

/** Of a / b, from what it is half to even; b is positive. */
function halfUp(even: Decimal, a: Decimal, b: Decimal): Decimal {
  const rest = subtract(a, multiply(even, b));
  const isCut = signOf(rest) === signOf(a) && equals(absolute(rest), multiply(b, HALF_A_CENT));
  if (!isCut) return even;
  return signOf(a) > 0 ? add(even, ONE_HUNDREDTH) : subtract(even, ONE_HUNDREDTH);
}

import {
  add,
  type Decimal,
  decimal,
  divideHalfEven,
  multiply,
  ONE_HUNDRED,
  roundHalfEven,
  signOf,
  subtract,
  ZERO,
} from './decimal.ts';

const ONE_HUNDREDTH = decimal('0.01');

/**
 * The tax of a group of lines: rounded once, on the group's sum, half to even. Inclusive: sales − round(sales / (1 + p));
 * exclusive: round(sum × p), and sales derived from it, so that the receipt's sums cannot drift apart by a cent.
 */
export function taxOf(
  inclusive: boolean,
  percent: Decimal | null,
  lineTotal: Decimal,
): { readonly tax: Decimal; readonly sales: Decimal } {
  if (percent === null || signOf(percent) <= 0) return { tax: ZERO, sales: lineTotal };
  if (inclusive) {
    const net = divideHalfEven(multiply(lineTotal, ONE_HUNDRED), add(ONE_HUNDRED, percent), 2);
    return { tax: subtract(lineTotal, net), sales: lineTotal };
  }
  const hundredth = multiply(percent, ONE_HUNDREDTH);
  const tax = roundHalfEven(multiply(lineTotal, hundredth), 2);
  return { tax, sales: add(lineTotal, tax) };
}

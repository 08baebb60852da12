/** Rounding to cents and the taxes of a group of lines: RCPT026 and RCPT027, with the mode that the specification leaves open as a switch. */
import {
  absolute,
  add,
  compare,
  type Decimal,
  divideHalfEven,
  fromCents,
  multiply,
  ONE,
  ONE_HUNDRED,
  roundHalfEven,
  signOf,
  subtract,
  ZERO,
} from '../../kernel/decimal.ts';

/** half-up rounds a half away from zero. */
export type Rounding = 'half-even' | 'half-up';

export interface GroupAmounts {
  readonly taxAmount: Decimal;
  readonly salesAmount: Decimal;
}

/** The group's sum is rounded once, never line by line. `percent` undefined: exempt. */
export function groupAmounts(
  sum: Decimal,
  percent: Decimal | undefined,
  isTaxInclusive: boolean,
  rounding: Rounding,
): GroupAmounts {
  if (percent === undefined || signOf(percent) === 0) return { taxAmount: ZERO, salesAmount: sum };
  if (isTaxInclusive) {
    const net = quotient(multiply(sum, ONE_HUNDRED), add(ONE_HUNDRED, percent), rounding);
    return { taxAmount: subtract(sum, net), salesAmount: sum };
  }
  const taxAmount = quotient(multiply(sum, percent), ONE_HUNDRED, rounding);
  return { taxAmount, salesAmount: add(sum, taxAmount) };
}

export function roundToCents(amount: Decimal, rounding: Rounding): Decimal {
  return rounding === 'half-even' ? roundHalfEven(amount, 2) : quotient(amount, ONE, rounding);
}

export function isWithin(a: Decimal, b: Decimal, toleranceCents: number): boolean {
  return compare(absolute(subtract(a, b)), fromCents(BigInt(toleranceCents))) <= 0;
}

/** Half up by whole numbers: the doubled quotient, moved by one away from zero, halved towards zero. */
function quotient(a: Decimal, b: Decimal, rounding: Rounding): Decimal {
  if (rounding === 'half-even') return divideHalfEven(a, b, 2);
  const numerator = BigInt(a.coefficient) * 10n ** BigInt(b.scale + 2) * 2n;
  const denominator = BigInt(b.coefficient) * 10n ** BigInt(a.scale);
  const doubled = numerator / denominator;
  return fromCents((doubled + (doubled < 0n ? -1n : 1n)) / 2n);
}

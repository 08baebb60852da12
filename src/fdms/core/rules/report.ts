import {
  type Decimal,
  equals,
  formatDecimal,
  formatFixed,
  hasMoreWholeDigits,
  multiply,
  ONE_HUNDRED,
  roundHalfEven,
  signOf,
} from '../../../kernel/decimal.ts';
import type { Violation } from '../../../kernel/refusal.ts';

/** The codes of broken rules. RCPT… are the authority's own; the others name what it would refuse as malformed. */
export type RuleCode =
  | `RCPT0${10 | 15 | 16 | 17 | 18 | 19 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29}`
  | `RCPT0${30 | 31 | 32 | 33 | 34 | 35 | 36 | 37 | 38 | 39 | 40 | 42 | 43 | 47 | 48}`
  | 'TooLong'
  | 'TooMany'
  | 'Malformed'
  | 'NotOneOf'
  | 'TooManyDecimals'
  | 'TooLarge'
  | 'DeviceUnknown';

export type Report = (field: string, code: RuleCode, message: string) => void;

/** Runs checks and gathers everything they report, because a caller wants to fix all of it at once. */
export function gather(checks: (report: Report) => void): Violation[] {
  const violations: Violation[] = [];
  checks((Field, Code, Message) => violations.push({ Field, Code, Message }));
  return violations;
}

/** An amount as people write it: two decimals, more only where there are more. */
export function money(amount: Decimal): string {
  return amount.scale <= 2 ? formatFixed(amount, 2) : formatDecimal(amount);
}

/**
 * An amount as it counts in sums: one with too many decimals is reported where it stands, and would otherwise be reported
 * again by every sum that it is part of.
 */
export function cents(amount: Decimal): Decimal {
  return roundHalfEven(amount, 2);
}

/** What to say of an amount with too many decimals: only binary floats have this many. */
export function floatHint(amount: Decimal): string {
  return amount.scale < 10 ? '' : `: it comes from a binary float, send ${money(cents(amount))}`;
}

/** Two sums that should be equal, and one is a hundred times the other. */
export function centsHint(one: Decimal, other: Decimal): string {
  const isHundredfold = equals(multiply(one, ONE_HUNDRED), other) || equals(multiply(other, ONE_HUNDRED), one);
  return isHundredfold ? '; one of them seems to be in cents: amounts are in whole units, 5.50 and not 550' : '';
}

/** What to say of a tax between 0 and 1 that is not known: 0.155 where 15.5 is meant. */
export function fractionHint(percent: Decimal): string {
  const isFraction = signOf(percent) > 0 && !hasMoreWholeDigits(percent, 0);
  return isFraction ? `: it is a percentage, send ${formatDecimal(multiply(percent, ONE_HUNDRED))}` : '';
}

export function percentName(percent: Decimal | null): string {
  return percent === null ? 'exempt' : `${formatDecimal(percent)}%`;
}

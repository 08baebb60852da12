import { CODE_PATTERN } from '../../kernel/code.ts';
import { canonicalCurrency, isCurrentCurrency } from '../../kernel/currency.ts';
import { compare, type Decimal, formatDecimal, hasMoreWholeDigits, ONE_HUNDRED, signOf } from '../../kernel/decimal.ts';

/** The codes of what can be wrong with a biller or a vendor. */
export type BillerRuleCode =
  | 'Required'
  | 'TooLong'
  | 'TooMany'
  | 'TooManyDecimals'
  | 'TooLarge'
  | 'Malformed'
  | 'NotOneOf'
  | 'Duplicate'
  | 'OutOfDate'
  | 'OutOfRange'
  | 'CurrencyUnknown'
  | 'AddressRefused';

export type BillerReport = (field: string, code: BillerRuleCode, message: string) => void;

const CODE = new RegExp(CODE_PATTERN);
const CONTROL = /\p{Cc}/u;
/** What numeric(19, 2) holds in front of the point. */
const MAX_WHOLE_DIGITS = 17;

export function checkCode(field: string, code: string, report: BillerReport): void {
  if (CODE.test(code)) return;
  report(field, 'Malformed', 'must be 1 to 50 letters, digits, _ and -, beginning with a letter or digit');
}

export function checkText(field: string, text: string, most: number, report: BillerReport): void {
  if (text.trim() === '') report(field, 'Malformed', 'must not be empty');
  if (text.length > most) report(field, 'TooLong', `at most ${most} characters`);
  if (CONTROL.test(text)) report(field, 'Malformed', 'must not contain line breaks or other control characters');
}

export function checkCurrency(field: string, currency: string, report: BillerReport): void {
  if (isCurrentCurrency(canonicalCurrency(currency))) return;
  report(field, 'CurrencyUnknown', `${currency.slice(0, 20)} is not a current ISO 4217 code`);
}

/** An entry of a list per currency: the currency is one of the biller's, and there is one entry for each. */
export function checkCurrencyEntries(
  field: string,
  entries: readonly { readonly Currency: string }[],
  taken: readonly string[],
  report: BillerReport,
): void {
  reportDuplicates(
    entries.map(({ Currency }) => canonicalCurrency(Currency)),
    (index) => `${field}[${index}].Currency`,
    report,
  );
  for (const [index, { Currency }] of entries.entries()) {
    if (taken.includes(canonicalCurrency(Currency))) continue;
    const message = `must be one of Currencies (${taken.join(', ')}), got ${Currency.slice(0, 20)}`;
    report(`${field}[${index}].Currency`, 'NotOneOf', message);
  }
}

export function reportDuplicates(
  values: readonly string[],
  fieldAt: (index: number) => string,
  report: BillerReport,
): void {
  const seen = new Set<string>();
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) report(fieldAt(index), 'Duplicate', `${value.slice(0, 60)} already exists`);
    seen.add(value);
  }
}

export function checkMoney(field: string, amount: Decimal, isZeroAllowed: boolean, report: BillerReport): void {
  if (amount.scale > 2) report(field, 'TooManyDecimals', `at most 2 decimals, got ${formatDecimal(amount)}`);
  if (hasMoreWholeDigits(amount, MAX_WHOLE_DIGITS)) report(field, 'TooLarge', 'at most 17 digits before the point');
  const sign = signOf(amount);
  if (sign < 0 || (sign === 0 && !isZeroAllowed))
    report(field, 'OutOfRange', `must be ${isZeroAllowed ? 'at least' : 'above'} 0, got ${formatDecimal(amount)}`);
}

/** `why` says what the percentage refers to, which explains its limits. */
export function checkPercent(field: string, percent: Decimal, why: string, report: BillerReport): void {
  if (percent.scale > 2) report(field, 'TooManyDecimals', `at most 2 decimals (${why}), got ${formatDecimal(percent)}`);
  if (signOf(percent) < 0 || compare(percent, ONE_HUNDRED) > 0)
    report(field, 'OutOfRange', `must be from 0 to 100 (${why}), got ${formatDecimal(percent)}`);
}

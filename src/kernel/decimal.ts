/**
 * Exact decimal numbers: value = coefficient / 10^scale, and never a binary fraction.
 *
 * The coefficient is a whole number: a plain one as long as it is safe (up to 2^53, where every step is exact), a bigint beyond;
 * bigints alone take four times as long. Always normalised (no trailing zero behind the point, zero has scale 0), so two
 * equal numbers are equal field by field and `10`, `10.00` and `1e1` are the same Decimal. Digits and exponents are bounded
 * where text comes in, because `1e50000000` would otherwise cost seconds.
 */
export interface Decimal {
  readonly coefficient: Whole;
  readonly scale: number;
}

/** A plain number when it is safe, otherwise a bigint: never both for the same value, and never a negative zero. */
type Whole = number | bigint;

/** Beyond this many digits on either side of the point a number is cut to a stand-in that every rule still refuses. */
const DIGIT_BOUND = 60;

/** This many digits always fit an exact integer. */
const MAX_SAFE_DIGITS = 15;
const NUMBER_TEXT = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export const ZERO: Decimal = { coefficient: 0, scale: 0 };
export const ONE: Decimal = { coefficient: 1, scale: 0 };
export const ONE_HUNDRED: Decimal = { coefficient: 100, scale: 0 };

/**
 * Reads the text of a JSON number. Total: a number beyond the bound becomes ±10^60 (too large for every field) or
 * ±10^-60 (too many decimals for every field), so that the rule of its field refuses it with the field's own message.
 */
export function readDecimal(text: string): Decimal {
  // Nearly every number is short and plain (`5`, `-115.5`); the pattern below costs ten times as much.
  if (text.length <= MAX_SAFE_DIGITS) {
    const short = readShort(text);
    if (short !== undefined) return short;
  }
  const match = NUMBER_TEXT.exec(text);
  if (!match) throw new TypeError(`not the text of a number: ${text.slice(0, 40)}`);
  const [, minus, integer = '', fraction = '', exponentText = '0'] = match;
  const digits = (integer + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return ZERO;
  const exponent = Number(exponentText);
  const scale = fraction.length - (digits.length - significant.length) - exponent;
  const sign = minus === '-' ? -1 : 1;
  if (significant.length - scale > DIGIT_BOUND) return { coefficient: times(sign, tenTo(DIGIT_BOUND)), scale: 0 };
  if (scale > DIGIT_BOUND) return { coefficient: sign, scale: DIGIT_BOUND };
  const coefficient = times(sign, whole(BigInt(significant)));
  return scale >= 0 ? { coefficient, scale } : { coefficient: times(coefficient, tenTo(-scale)), scale: 0 };
}

/**
 * The decimal of at most 15 digits that a float was read from; there is only one. Nearly every amount has two decimals or
 * fewer: when the quotient, correctly rounded, is the float again, that is the one. All others are found by their text.
 */
export function fromFloat(value: number): Decimal {
  const cents = Math.round(value * 100) + 0;
  if (cents / 100 !== value || Math.abs(cents) >= 1e15) return readDecimal(String(value));
  if (cents % 100 === 0) return { coefficient: cents / 100, scale: 0 };
  return cents % 10 === 0 ? { coefficient: cents / 10, scale: 1 } : { coefficient: cents, scale: 2 };
}

/** A loop, because `/0+$/` takes minutes for a 1, half a million zeros and a 1: it starts again at every zero. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** Sign, digits and at most one point, not ending in 0 behind it; anything else is left to the pattern. */
function readShort(text: string): Decimal | undefined {
  const isNegative = text.charCodeAt(0) === 0x2d;
  let digits = 0;
  let point = -1;
  let last = 0;
  for (let at = isNegative ? 1 : 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    last = code - 0x30;
    if (last >= 0 && last <= 9) digits = digits * 10 + last;
    else if (code === 0x2e && point < 0 && at > (isNegative ? 1 : 0)) point = at;
    else return undefined;
  }
  if (digits === 0 || point === text.length - 1 || (point >= 0 && last === 0)) return undefined;
  return { coefficient: isNegative ? -digits : digits, scale: point < 0 ? 0 : text.length - 1 - point };
}

/** A decimal from trusted text (a constant, a column): the same reading, named for what it is used for. */
export const decimal = readDecimal;

export function fromCents(cents: bigint): Decimal {
  return normalised(whole(cents), 2);
}

/** The amount in hundredths. The caller has checked that there are no more than two decimals. */
export function toCents(amount: Decimal): bigint {
  if (amount.scale > 2) throw new RangeError(`${formatDecimal(amount)} has more than two decimals`);
  return BigInt(atScale(amount, 2));
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return normalised(plus(atScale(a, scale), atScale(b, scale)), scale);
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, negate(b));
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return normalised(times(a.coefficient, b.coefficient), a.scale + b.scale);
}

export function negate(a: Decimal): Decimal {
  return { coefficient: times(a.coefficient, -1), scale: a.scale };
}

export function absolute(a: Decimal): Decimal {
  return a.coefficient < 0 ? negate(a) : a;
}

export function sum(numbers: Iterable<Decimal>): Decimal {
  let total = ZERO;
  for (const number of numbers) total = add(total, number);
  return total;
}

/** The quotient a / b rounded to `scale` decimals, half to even. */
export function divideHalfEven(a: Decimal, b: Decimal, scale: number): Decimal {
  if (b.coefficient === 0) throw new RangeError('division by zero');
  const shift = scale + b.scale - a.scale;
  const numerator = shift >= 0 ? times(a.coefficient, tenTo(shift)) : a.coefficient;
  const denominator = shift >= 0 ? b.coefficient : times(b.coefficient, tenTo(-shift));
  return normalised(quotientHalfEven(numerator, denominator), scale);
}

export function roundHalfEven(a: Decimal, scale: number): Decimal {
  return a.scale <= scale ? a : normalised(quotientHalfEven(a.coefficient, tenTo(a.scale - scale)), scale);
}

export function compare(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const scale = Math.max(a.scale, b.scale);
  const left = atScale(a, scale);
  const right = atScale(b, scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function equals(a: Decimal, b: Decimal): boolean {
  return a.coefficient === b.coefficient && a.scale === b.scale;
}

export function signOf(a: Decimal): -1 | 0 | 1 {
  return a.coefficient < 0 ? -1 : a.coefficient > 0 ? 1 : 0;
}

/** Of digits in front of the point (`0.05` has none): what a column of decimal(precision, scale) bounds. */
export function hasMoreWholeDigits(a: Decimal, most: number): boolean {
  const digits = most + a.scale;
  if (digits > MAX_SAFE_DIGITS && typeof a.coefficient === 'number') return false;
  return absolute(a).coefficient >= tenTo(digits);
}

/** Plain notation without trailing zeros or exponent: valid JSON, and `numeric` for PostgreSQL. */
export function formatDecimal(a: Decimal): string {
  return a.scale === 0 ? String(a.coefficient) : withPoint(a.coefficient, a.scale);
}

/** Plain notation with exactly `scale` decimals; refuses to lose any. */
export function formatFixed(a: Decimal, scale: number): string {
  if (a.scale > scale) throw new RangeError(`${formatDecimal(a)} has more than ${scale} decimals`);
  const coefficient = atScale(a, scale);
  return scale === 0 ? String(coefficient) : withPoint(coefficient, scale);
}

function withPoint(coefficient: Whole, scale: number): string {
  const minus = coefficient < 0 ? '-' : '';
  const digits = String(coefficient < 0 ? -coefficient : coefficient).padStart(scale + 1, '0');
  return `${minus}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function atScale(a: Decimal, scale: number): Whole {
  return a.scale === scale ? a.coefficient : times(a.coefficient, tenTo(scale - a.scale));
}

const POWERS_OF_TEN = Array.from({ length: 2 * DIGIT_BOUND }, (_, exponent) => whole(10n ** BigInt(exponent)));

/** Looked up: the operator makes two numbers on the way, and this is asked for every amount. */
function tenTo(exponent: number): Whole {
  return POWERS_OF_TEN[exponent] ?? whole(10n ** BigInt(exponent));
}

function whole(value: bigint): Whole {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** A product of plain numbers that comes out safe is exact: one beyond 2^53 cannot be rounded to one below. */
function times(a: Whole, b: Whole): Whole {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0; // makes a plain zero of a negative one
  }
  return whole(BigInt(a) * BigInt(b));
}

function plus(a: Whole, b: Whole): Whole {
  if (typeof a === 'number' && typeof b === 'number') {
    const total = a + b;
    if (Number.isSafeInteger(total)) return total;
  }
  return whole(BigInt(a) + BigInt(b));
}

function normalised(coefficient: Whole, scale: number): Decimal {
  if (typeof coefficient === 'bigint') return normalisedLarge(coefficient, scale);
  while (scale > 0 && coefficient % 10 === 0) {
    coefficient /= 10;
    scale -= 1;
  }
  return { coefficient, scale };
}

function normalisedLarge(coefficient: bigint, scale: number): Decimal {
  while (scale > 0 && coefficient % 10n === 0n) {
    coefficient /= 10n;
    scale -= 1;
  }
  return { coefficient: whole(coefficient), scale };
}

function quotientHalfEven(numerator: Whole, denominator: Whole): Whole {
  if (typeof numerator === 'bigint' || typeof denominator === 'bigint') return largeQuotient(numerator, denominator);
  const rest = numerator % denominator;
  // Without its rest it can be divided exactly.
  const quotient = (numerator - rest) / denominator + 0;
  const doubled = 2 * Math.abs(rest);
  const size = Math.abs(denominator);
  const roundsAway = doubled > size || (doubled === size && quotient % 2 !== 0);
  return roundsAway ? quotient + (numerator < 0 === denominator < 0 ? 1 : -1) : quotient;
}

function largeQuotient(numerator: Whole, denominator: Whole): Whole {
  const dividend = BigInt(numerator);
  const divisor = BigInt(denominator);
  const quotient = dividend / divisor;
  const doubled = 2n * magnitude(dividend % divisor);
  const size = magnitude(divisor);
  const roundsAway = doubled > size || (doubled === size && quotient % 2n !== 0n);
  const away = dividend < 0n === divisor < 0n ? 1n : -1n;
  return whole(roundsAway ? quotient + away : quotient);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

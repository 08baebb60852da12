/**
 * Exact decimal numbers: value = coefficient / 10^scale, with a bigint coefficient and never a binary float.
 *
 * Always normalised (no trailing zero behind the point, zero has scale 0), so two equal numbers are equal field by
 * field and `10`, `10.00` and `1e1` are the same Decimal. Digits and exponents are bounded where text comes in, because
 * `1e50000000` would otherwise cost seconds.
 */
export interface Decimal {
  readonly coefficient: bigint;
  readonly scale: number;
}

/** Beyond this many digits on either side of the point a number is cut to a stand-in that every rule still refuses. */
const DIGIT_BOUND = 60;

/** So many characters always fit an exact integer once the point is taken out. */
const MOST_SAFE_DIGITS = 15;
const NUMBER_TEXT = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export const ZERO: Decimal = { coefficient: 0n, scale: 0 };
export const ONE_HUNDRED: Decimal = { coefficient: 100n, scale: 0 };

/**
 * Reads the text of a JSON number. Total: a number beyond the bound becomes ±10^60 (too large for every field) or
 * ±10^-60 (too many decimals for every field), so that the rule of its field refuses it with the field's own message.
 */
export function readDecimal(text: string): Decimal {
  // Nearly every number is short and plain (`5`, `-115.5`); the pattern below costs ten times as much.
  if (text.length <= MOST_SAFE_DIGITS) {
    const short = readShort(text);
    if (short !== undefined) return short;
  }
  const match = NUMBER_TEXT.exec(text);
  if (!match) throw new TypeError(`not the text of a number: ${text.slice(0, 40)}`);
  const [, minus, whole = '', fraction = '', exponentText = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return ZERO;
  const exponent = Number(exponentText);
  const scale = fraction.length - (digits.length - significant.length) - exponent;
  const sign = minus === '-' ? -1n : 1n;
  if (significant.length - scale > DIGIT_BOUND) return { coefficient: sign * 10n ** BigInt(DIGIT_BOUND), scale: 0 };
  if (scale > DIGIT_BOUND) return { coefficient: sign, scale: DIGIT_BOUND };
  const coefficient = sign * BigInt(significant);
  return scale >= 0 ? { coefficient, scale } : { coefficient: coefficient * 10n ** BigInt(-scale), scale: 0 };
}

/** A loop, because `/0+$/` takes minutes for a 1, half a million zeros and a 1: it starts anew at every zero. */
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
  return { coefficient: BigInt(isNegative ? -digits : digits), scale: point < 0 ? 0 : text.length - 1 - point };
}

/** A decimal from trusted text (a constant, a column): the same reading, named for what it is used for. */
export const decimal = readDecimal;

export function fromCents(cents: bigint): Decimal {
  return normalised(cents, 2);
}

/** The amount in hundredths. The caller has checked that there are no more than two decimals. */
export function toCents(amount: Decimal): bigint {
  if (amount.scale > 2) throw new RangeError(`${formatDecimal(amount)} has more than two decimals`);
  return amount.coefficient * tenTo(2 - amount.scale);
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return normalised(atScale(a, scale) + atScale(b, scale), scale);
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, negate(b));
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return normalised(a.coefficient * b.coefficient, a.scale + b.scale);
}

export function negate(a: Decimal): Decimal {
  return { coefficient: -a.coefficient, scale: a.scale };
}

export function absolute(a: Decimal): Decimal {
  return a.coefficient < 0n ? negate(a) : a;
}

export function sum(numbers: Iterable<Decimal>): Decimal {
  let total = ZERO;
  for (const number of numbers) total = add(total, number);
  return total;
}

/** The quotient a / b rounded to `scale` decimals, half to even. */
export function divideHalfEven(a: Decimal, b: Decimal, scale: number): Decimal {
  if (b.coefficient === 0n) throw new RangeError('division by zero');
  const shift = scale + b.scale - a.scale;
  const numerator = shift >= 0 ? a.coefficient * tenTo(shift) : a.coefficient;
  const denominator = shift >= 0 ? b.coefficient : b.coefficient * tenTo(-shift);
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
  return a.coefficient < 0n ? -1 : a.coefficient > 0n ? 1 : 0;
}

/** Digits in front of the point (`0.05` has none): what a column of decimal(precision, scale) bounds. */
export function wholeDigits(a: Decimal): number {
  const digits = absolute(a).coefficient.toString().length;
  return a.coefficient === 0n ? 0 : Math.max(0, digits - a.scale);
}

/** Plain notation without trailing zeros or exponent: valid JSON, and `numeric` for PostgreSQL. */
export function formatDecimal(a: Decimal): string {
  return a.scale === 0 ? a.coefficient.toString() : withPoint(a.coefficient, a.scale);
}

/** Plain notation with exactly `scale` decimals; refuses to lose any. */
export function formatFixed(a: Decimal, scale: number): string {
  if (a.scale > scale) throw new RangeError(`${formatDecimal(a)} has more than ${scale} decimals`);
  const coefficient = atScale(a, scale);
  return scale === 0 ? coefficient.toString() : withPoint(coefficient, scale);
}

function withPoint(coefficient: bigint, scale: number): string {
  const minus = coefficient < 0n ? '-' : '';
  const digits = (coefficient < 0n ? -coefficient : coefficient).toString().padStart(scale + 1, '0');
  return `${minus}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function atScale(a: Decimal, scale: number): bigint {
  return a.scale === scale ? a.coefficient : a.coefficient * tenTo(scale - a.scale);
}

const POWERS_OF_TEN = Array.from({ length: 2 * DIGIT_BOUND }, (_, exponent) => 10n ** BigInt(exponent));

/** Looked up: the operator makes two numbers on the way, and this is asked for every amount. */
function tenTo(exponent: number): bigint {
  return POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent);
}

function normalised(coefficient: bigint, scale: number): Decimal {
  while (scale > 0 && coefficient % 10n === 0n) {
    coefficient /= 10n;
    scale -= 1;
  }
  return { coefficient, scale };
}

function quotientHalfEven(numerator: bigint, denominator: bigint): bigint {
  if (denominator < 0n) return quotientHalfEven(-numerator, -denominator);
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  const doubled = (rest < 0n ? -rest : rest) * 2n;
  const roundsAway = doubled > denominator || (doubled === denominator && quotient % 2n !== 0n);
  return roundsAway ? quotient + (numerator < 0n ? -1n : 1n) : quotient;
}

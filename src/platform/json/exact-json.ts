/**
 * Reads a JSON body so that no number loses a digit and nothing ambiguous gets through.
 *
 * JSON.parse turns numbers into binary floats, keeps the last of two equal keys and lets `\u0000` and half characters
 * pass. One scan over the bytes finds the bodies for which that matters. For all others the plain parse is exact: a number
 * of at most 15 characters without an exponent has at most 15 significant digits, two different decimals of 15 digits
 * never share a float, and String() gives the shortest decimal of a float, hence the very number that was written
 * (perhaps as `1e-7`, which readDecimal reads). Where the scan finds a longer number, a reviver notes its source text.
 *
 * Measured with a receipt of 1.35 KB: 8 µs, of which JSON.parse takes 5; 38 µs where the reviver is needed.
 */
import { isUtf8 } from 'node:buffer';
import { type Decimal, fromFloat, readDecimal } from '../../kernel/decimal.ts';
import { jsonFault } from './json-fault.ts';
import { JsonRefusal, scanJson } from './json-scan.ts';

export { JsonRefusal } from './json-scan.ts';

export interface ExactJson {
  /** As JSON.parse gives it, all numbers finite: a shape can be checked on it, but no amount may be taken from it. */
  readonly value: unknown;
  /** The exact decimal at `holder[key]`, not always in the spelling it was sent in (`10.00` may come as `10`). */
  readonly numberText: (holder: object, key: string | number) => string;
  /** The same as a Decimal, without the text on the way where there is none. */
  readonly decimal: (holder: object, key: string) => Decimal;
  /** From now on the digits that came as text at `holder[key]` are the number they spell, as if sent without quotes. */
  readonly takeDigits: (holder: object, key: string, digits: string) => void;
}

type NumberTexts = WeakMap<object, Map<string, string>>;

export function parseExactJson(body: Buffer): ExactJson {
  if (body.length === 0) throw new JsonRefusal('The body is empty; a JSON document is expected.');
  if (!isUtf8(body)) throw new JsonRefusal(`The body is not valid UTF-8 at byte ${firstInvalidByte(body)}.`);
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) {
    throw new JsonRefusal('The body begins with a byte order mark; send the JSON without it.');
  }
  const found = scanJson(body);
  const text = body.toString('utf8');
  let texts: NumberTexts | undefined = found.hasInexactNumber ? new WeakMap() : undefined;
  const value = parse(text, texts);
  if (countKeys(value) !== found.keyCount) throw new JsonRefusal(jsonFault(text));
  const notedDecimal = (holder: object, key: string) => readDecimal(numberText(holder, key, texts));
  const json = {
    value,
    numberText: (holder: object, key: string | number) => numberText(holder, key, texts),
    decimal: texts === undefined ? plainDecimal : notedDecimal,
    takeDigits: (holder: object, key: string, digits: string) => {
      texts ??= new WeakMap();
      json.decimal = notedDecimal;
      Reflect.set(holder, key, note(texts, holder, key, digits));
    },
  };
  return json;
}

function parse(text: string, texts: NumberTexts | undefined): unknown {
  try {
    return texts === undefined ? JSON.parse(text) : JSON.parse(text, noting(texts));
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonRefusal(jsonFault(text));
    throw error;
  }
}

/** A reviver that notes the source text of numbers whose String() would be another one, and keeps every value finite. */
function noting(texts: NumberTexts) {
  return function revive(this: object, key: string, value: unknown, context?: { readonly source?: string }): unknown {
    if (typeof value !== 'number') return value;
    const source = context?.source;
    return source === undefined || source === String(value) ? value : note(texts, this, key, source);
  };
}

/** Returns the nearest finite number, for the shape. */
function note(texts: NumberTexts, holder: object, key: string, source: string): number {
  texts.set(holder, (texts.get(holder) ?? new Map<string, string>()).set(key, source));
  // Adding 0 makes a plain zero of a negative one.
  return Math.min(Math.max(Number(source), -Number.MAX_VALUE), Number.MAX_VALUE) + 0;
}

function numberText(holder: object, key: string | number, texts: NumberTexts | undefined): string {
  const noted = texts?.get(holder)?.get(String(key));
  if (noted !== undefined) return noted;
  const value: unknown = Reflect.get(holder, key);
  if (typeof value !== 'number') throw new TypeError(`${key} holds no number`);
  return String(value);
}

function plainDecimal(holder: object, key: string): Decimal {
  const value: unknown = holder[key as keyof typeof holder];
  if (typeof value !== 'number') throw new TypeError(`${key} holds no number`);
  return fromFloat(value);
}

/**
 * Of two equal keys only one is left after parsing, so fewer keys than colons means a duplicate. `__proto__` arrives as
 * an ordinary key, but would set a prototype as soon as something copies it by assignment.
 */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countKeys(item);
    return count;
  }
  for (const key in value) {
    if (key === '__proto__') throw new JsonRefusal('The key "__proto__" is not allowed.');
    count += 1;
    const item: unknown = value[key as keyof typeof value];
    if (typeof item === 'object') count += countKeys(item);
  }
  return count;
}

/** What decoding replaced comes back as other bytes. */
function firstInvalidByte(body: Buffer): number {
  const replaced = Buffer.from(body.toString('utf8'));
  return body.findIndex((byte, at) => byte !== replaced[at]);
}

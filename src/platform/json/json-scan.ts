/**
 * One pass over the bytes of a JSON document for what JSON.parse hides: how many keys were written, whether a number needs
 * its source text, how deep it goes, and escapes that stand for no storable character.
 *
 * Has to understand valid JSON only: whatever it misreads in anything else, JSON.parse refuses afterwards.
 */

/** The message is for the person who sent the body. */
export class JsonRefusal extends Error {
  override readonly name = 'JsonRefusal';
}

/** A receipt needs three levels; a reviver overflows the stack at some thousands. */
const MAX_DEPTH = 32;

/**
 * The largest receipt, of 2,000 lines, has 20,000. A mebibyte of short numbers would keep the reviver, and with it everyone
 * else's request, busy for half a second; this many take 50 ms.
 */
const MAX_VALUES = 50_000;

/** Up to this length a number without exponent is exact as a float: see exact-json.ts. */
const MAX_EXACT_LENGTH = 15;

export interface JsonScan {
  readonly keyCount: number;
  readonly hasInexactNumber: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;

export function scanJson(body: Buffer): JsonScan {
  let depth = 0;
  let keyCount = 0;
  let valueCount = 1;
  let hasInexactNumber = false;
  let at = 0;
  while (at < body.length) {
    const byte = body[at] ?? 0;
    if (byte === QUOTE) {
      at = endOfString(body, at + 1);
    } else if (byte === MINUS || isDigit(byte)) {
      const end = endOfNumber(body, at + 1);
      hasInexactNumber ||= isInexact(body, at, end);
      at = end;
    } else {
      if (byte === 0x3a /* : */) keyCount += 1;
      else if (byte === 0x2c /* , */) valueCount += 1;
      else if (byte === 0x7b /* { */ || byte === 0x5b /* [ */) {
        depth += 1;
        if (depth > MAX_DEPTH)
          throw new JsonRefusal(`The JSON is nested more than ${MAX_DEPTH} levels deep at byte ${at}.`);
      } else if (byte === 0x7d /* } */ || byte === 0x5d /* ] */) depth -= 1;
      at += 1;
    }
  }
  if (valueCount > MAX_VALUES) throw new JsonRefusal(`The JSON holds more than ${MAX_VALUES} values.`);
  return { keyCount, hasInexactNumber };
}

function endOfString(body: Buffer, start: number): number {
  let at = start;
  while (at < body.length) {
    const byte = body[at];
    if (byte === QUOTE) return at + 1;
    at = byte === BACKSLASH ? endOfEscape(body, at) : at + 1;
  }
  return at;
}

/**
 * Half a character can only come from an escape, since the bytes are UTF-8; and U+0000 too, since JSON wants control
 * characters escaped. PostgreSQL stores neither.
 */
function endOfEscape(body: Buffer, at: number): number {
  const unit = escapedUnit(body, at);
  if (unit === undefined) return at + 2;
  if (unit === 0) throw new JsonRefusal(`The character \\u0000 at byte ${at} is not allowed.`);
  if (unit < 0xd800 || unit > 0xdfff) return at + 6;
  const next = unit < 0xdc00 ? escapedUnit(body, at + 6) : undefined;
  if (next !== undefined && next >= 0xdc00 && next <= 0xdfff) return at + 12;
  const text = body.toString('latin1', at, at + 6);
  throw new JsonRefusal(`The escape ${text} at byte ${at} is half of a surrogate pair and not a character.`);
}

/** The code unit of a `\uXXXX` that begins here. */
function escapedUnit(body: Buffer, at: number): number | undefined {
  if (body[at] !== BACKSLASH || body[at + 1] !== 0x75 /* u */) return undefined;
  let unit = 0;
  for (let digit = at + 2; digit < at + 6; digit += 1) unit = unit * 16 + hexDigit(body[digit] ?? 0);
  return Number.isNaN(unit) ? undefined : unit;
}

function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - 0x30;
  const lowerCase = byte | 0x20;
  return lowerCase >= 0x61 && lowerCase <= 0x66 ? lowerCase - 0x57 : Number.NaN;
}

function endOfNumber(body: Buffer, start: number): number {
  let at = start;
  while (at < body.length && isInNumber(body[at] ?? 0)) at += 1;
  return at;
}

/** Whether String() of the float may be another number than the one written, or write it without its minus. */
function isInexact(body: Buffer, start: number, end: number): boolean {
  if (end - start > MAX_EXACT_LENGTH) return true;
  let isZero = true;
  for (let at = start; at < end; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === 0x65 /* e */ || byte === 0x45 /* E */) return true;
    if (byte > 0x30 && byte <= 0x39) isZero = false;
  }
  return isZero && body[start] === MINUS;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Digits and `+ - . e E`. */
function isInNumber(byte: number): boolean {
  return isDigit(byte) || byte === 0x2e || byte === 0x65 || byte === 0x45 || byte === 0x2b || byte === MINUS;
}

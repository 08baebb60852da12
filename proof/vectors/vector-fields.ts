/**
 * Reads the fields of a test vector, of which nothing is certain: a wrong field throws a VectorFault that names it, which
 * fails this vector and no other. Numbers have been turned into their text when the file was parsed, so both spellings
 * of an amount, `"10.00"` and `10.00`, arrive here as text.
 */
import { type Decimal, readDecimal } from '../../src/kernel/decimal.ts';

export class VectorFault extends Error {}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new VectorFault(`${name} is ${kindOf(value)}, not text`);
  return value;
}

/** For optional fields (`?` in the vectors' README). */
export function optionalText(fields: Fields, name: string): string | undefined {
  return fields[name] === undefined || fields[name] === null ? undefined : text(fields, name);
}

/** For fields that must be there but may be `null`. */
export function textOrNull(fields: Fields, name: string): string | null {
  return fields[name] === null ? null : text(fields, name);
}

export function matching(fields: Fields, name: string, pattern: RegExp, form: string): string {
  const value = text(fields, name);
  if (!pattern.test(value)) throw new VectorFault(`${name} is not ${form}`);
  return value;
}

export function oneOf<Name extends string>(fields: Fields, name: string, names: readonly Name[]): Name {
  const value = text(fields, name);
  const known = names.find((candidate) => candidate === value);
  if (known === undefined) throw new VectorFault(`${name} is none of ${names.join(', ')}`);
  return known;
}

export function integer(fields: Fields, name: string): number {
  const number = Number(matching(fields, name, /^(0|[1-9]\d*)$/, 'a whole number'));
  if (!Number.isSafeInteger(number)) throw new VectorFault(`${name} is too large`);
  return number;
}

export function amount(fields: Fields, name: string): Decimal {
  return withDecimals(fields, name);
}

/** `null` is exempt. */
export function percent(fields: Fields, name: string): Decimal | null {
  return fields[name] === null ? null : withDecimals(fields, name);
}

/** More than two decimals cannot be written into a signed string. */
function withDecimals(fields: Fields, name: string): Decimal {
  const number = readDecimal(matching(fields, name, /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/, 'a decimal number'));
  if (number.scale > 2) throw new VectorFault(`${name} has more than two decimals`);
  return number;
}

export function list(fields: Fields, name: string): Fields[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw new VectorFault(`${name} is ${kindOf(value)}, not a list`);
  return value.map((item: unknown, index) => {
    if (!isFields(item)) throw new VectorFault(`${name}[${index}] is ${kindOf(item)}, not an object`);
    return item;
  });
}

/** Bytes from standard base64 with padding. Node ignores what does not belong there, and with it a changed character. */
export function bytes(base64: string, name: string): Buffer {
  const decoded = Buffer.from(base64, 'base64');
  if (decoded.toString('base64') !== base64) throw new VectorFault(`${name} is not standard base64 with padding`);
  return decoded;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}

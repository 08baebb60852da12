/**
 * Reads the fields of a JSON object as strictly as the authority's schemas say: types, lengths, scales, no unknown names.
 * Faults are collected under their path; a faulty field yields a stand-in, since nothing is used when there is a fault.
 */
import { type Decimal, hasMoreWholeDigits, readDecimal, ZERO } from '../../kernel/decimal.ts';
import { parseWall } from '../../kernel/zone.ts';
import type { ExactJson } from '../../platform/json/exact-json.ts';

export type Faults = Map<string, string[]>;

const INT32_MAX = 2_147_483_647;

export interface Fields {
  text(name: string, maximum: number): string;
  optionalText(name: string, maximum: number): string | undefined;
  integer(name: string): number;
  optionalInteger(name: string, maximum?: number): number | undefined;
  decimal(name: string, precision: number, scale: number): Decimal;
  optionalDecimal(name: string, precision: number, scale: number): Decimal | undefined;
  boolean(name: string): boolean;
  optionalBoolean(name: string): boolean | undefined;
  date(name: string): number;
  oneOf<const T extends string>(name: string, values: readonly T[]): T;
  optionalOneOf<const T extends string>(name: string, values: readonly T[]): T | undefined;
  /** Base64 of at most, or of exactly, a number of bytes. */
  bytes(name: string, limit: { readonly most: number } | { readonly exactly: number }): string;
  object<T>(name: string, read: (fields: Fields) => T): T | undefined;
  optionalObject<T>(name: string, read: (fields: Fields) => T): T | undefined;
  list<T>(name: string, read: (fields: Fields) => T): T[];
  optionalList<T>(name: string, read: (fields: Fields) => T): T[] | undefined;
  /** Any object, unread. */
  optionalJson(name: string): Readonly<Record<string, unknown>> | undefined;
  fault(name: string, message: string): void;
}

/** Undefined when the value is no object; unknown names are faults. */
export function readFields<T>(
  json: ExactJson,
  value: unknown,
  path: string,
  faults: Faults,
  read: (fields: Fields) => T,
): T | undefined {
  const report = (at: string, message: string): void => {
    faults.set(at, [...(faults.get(at) ?? []), message]);
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report(path === '' ? '$' : path, 'The JSON value must be an object.');
    return undefined;
  }
  const known = new Set<string>();
  const result = read(fieldsOf(json, value, path, faults, known, report));
  for (const name of Object.keys(value)) {
    if (!known.has(name)) report(join(path, name), `The property ${name} is not part of the message.`);
  }
  return result;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** As the authority writes field names in its messages: FiscalCounterValue. */
function titled(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

function fieldsOf(
  json: ExactJson,
  holder: object,
  path: string,
  faults: Faults,
  known: Set<string>,
  report: (at: string, message: string) => void,
): Fields {
  /** Null and absent mean the same. */
  const take = (name: string): unknown => {
    known.add(name);
    return Object.getOwnPropertyDescriptor(holder, name)?.value ?? undefined;
  };
  const fault = (name: string, message: string): void => report(join(path, name), message);
  const required = <T>(name: string, value: T | undefined, standIn: T): T => {
    if (value !== undefined) return value;
    if (!faults.has(join(path, name))) fault(name, `The ${titled(name)} field is required.`);
    return standIn;
  };

  const fields: Fields = {
    fault,
    optionalText(name, maximum) {
      const value = take(name);
      if (value === undefined) return undefined;
      if (typeof value !== 'string') fault(name, `The field ${titled(name)} must be a string.`);
      else if (value.length > maximum)
        fault(name, `The field ${titled(name)} must be a string with a maximum length of ${maximum}.`);
      else return value;
      return undefined;
    },
    text(name, maximum) {
      const value = required(name, fields.optionalText(name, maximum), '');
      if (value === '' && !faults.has(join(path, name))) fault(name, `The ${titled(name)} field is required.`);
      return value;
    },
    optionalInteger(name, maximum = INT32_MAX) {
      const value = take(name);
      if (value === undefined) return undefined;
      if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= maximum) return value;
      fault(name, `The field ${titled(name)} must be an integer up to ${maximum}.`);
      return undefined;
    },
    integer: (name) => required(name, fields.optionalInteger(name), 0),
    optionalDecimal(name, precision, scale) {
      const value = take(name);
      if (value === undefined) return undefined;
      if (typeof value === 'number') {
        const number = readDecimal(json.numberText(holder, name));
        if (number.scale <= scale && !hasMoreWholeDigits(number, precision - scale)) return number;
        fault(name, `provided value ${titled(name)} do not satisfy decimal(${precision},${scale}).`);
      } else fault(name, `The field ${titled(name)} must be a number.`);
      return undefined;
    },
    decimal: (name, precision, scale) => required(name, fields.optionalDecimal(name, precision, scale), ZERO),
    optionalBoolean(name) {
      const value = take(name);
      if (value === undefined || typeof value === 'boolean') return value;
      fault(name, `The field ${titled(name)} must be a boolean.`);
      return undefined;
    },
    boolean: (name) => required(name, fields.optionalBoolean(name), false),
    date(name) {
      const text = fields.optionalText(name, 40);
      const wall = text === undefined ? undefined : parseWall(text.includes('T') ? text : '');
      if (text !== undefined && wall === undefined) {
        fault(name, `The field ${titled(name)} must be a local date and time, YYYY-MM-DDTHH:mm:ss.`);
      }
      return required(name, wall, 0);
    },
    optionalOneOf(name, values) {
      const value = take(name);
      const found = values.find((allowed) => allowed === value);
      if (value !== undefined && found === undefined)
        fault(name, `The field ${titled(name)} must be one of ${values.join(', ')}.`);
      return found;
    },
    oneOf(name, values) {
      const [first] = values;
      if (first === undefined) throw new TypeError(`${name} has no values`);
      return required(name, fields.optionalOneOf(name, values), first);
    },
    bytes(name, limit) {
      const text = fields.text(name, 4096);
      const bytes = Buffer.from(text, 'base64');
      const isFitting = 'most' in limit ? bytes.length <= limit.most : bytes.length === limit.exactly;
      if (faults.has(join(path, name))) return '';
      if (bytes.toString('base64') !== text) fault(name, `The field ${titled(name)} must be base64.`);
      else if (!isFitting) {
        const wanted = 'most' in limit ? `at most ${limit.most}` : `exactly ${limit.exactly}`;
        fault(name, `The field ${titled(name)} must have ${wanted} bytes.`);
      }
      return text;
    },
    optionalObject(name, read) {
      const value = take(name);
      return value === undefined ? undefined : readFields(json, value, join(path, name), faults, read);
    },
    object(name, read) {
      const value = take(name);
      if (value !== undefined) return readFields(json, value, join(path, name), faults, read);
      fault(name, `The ${titled(name)} field is required.`);
      return undefined;
    },
    optionalList(name, read) {
      const value = take(name);
      if (value === undefined) return undefined;
      if (!Array.isArray(value)) {
        fault(name, `The field ${titled(name)} must be a list.`);
        return undefined;
      }
      return value.flatMap((item: unknown, index) => {
        const entry = readFields(json, item, `${join(path, name)}[${index}]`, faults, read);
        return entry === undefined ? [] : [entry];
      });
    },
    list: (name, read) => required(name, fields.optionalList(name, read), []),
    optionalJson(name) {
      const value = take(name);
      if (value === undefined) return undefined;
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
      fault(name, `The field ${titled(name)} must be an object.`);
      return undefined;
    },
  };
  return fields;
}

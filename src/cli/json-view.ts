import { formatDecimal, formatFixed, readDecimal } from '../kernel/decimal.ts';
import { parseExactJson } from '../platform/http/exact-json.ts';
import { momentIn, momentOfWall } from './moment.ts';
import { NOTHING } from './shown.ts';
import { harmless } from './terminal.ts';

/** A JSON object as a person reads it: numbers with all their digits, and nothing that could move the cursor. */
export interface JsonView {
  /** The value as text; `–` where there is none. */
  readonly text: (key: string) => string;
  /** The same, but undefined where there is none. */
  readonly optional: (key: string) => string | undefined;
  /** An amount with at least two decimals. */
  readonly amount: (key: string) => string;
  /** A moment on the wall clock of the service's zone, with its offset; `–` where there is none. */
  readonly moment: (key: string) => string;
  /** The same, but undefined where there is none. */
  readonly optionalMoment: (key: string) => string | undefined;
  /** The same of what the clock of another zone showed. */
  readonly momentOfWall: (key: string, otherZone: string) => string;
  readonly isTrue: (key: string) => boolean;
  readonly object: (key: string) => JsonView | undefined;
  readonly list: (key: string) => readonly JsonView[];
  readonly keys: readonly string[];
}

/** Moments are shown in `zone`. */
export function viewJson(text: string, zone = 'UTC'): JsonView {
  const { value, numberText } = parseExactJson(Buffer.from(text));
  if (!isObject(value)) throw new TypeError('the answer is no JSON object');
  return viewObject(value, { numberText, zone });
}

type NumberText = (holder: object, key: string | number) => string;

interface Look {
  readonly numberText: NumberText;
  readonly zone: string;
}

function viewObject(holder: object, look: Look): JsonView {
  const { numberText, zone } = look;
  const valueAt = (key: string): unknown => (Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined);
  const optional = (key: string) => show(holder, key, numberText);
  const optionalMoment = (key: string) => {
    const text = optional(key);
    return text === undefined ? undefined : momentIn(zone, text);
  };
  return {
    text: (key) => optional(key) ?? NOTHING,
    optional,
    amount: (key) => {
      if (typeof valueAt(key) !== 'number') return optional(key) ?? NOTHING;
      const amount = readDecimal(numberText(holder, key));
      return amount.scale <= 2 ? formatFixed(amount, 2) : formatDecimal(amount);
    },
    moment: (key) => optionalMoment(key) ?? NOTHING,
    optionalMoment,
    momentOfWall: (key, otherZone) => momentOfWall(zone, optional(key) ?? NOTHING, otherZone),
    isTrue: (key) => valueAt(key) === true,
    object: (key) => {
      const value = valueAt(key);
      return isObject(value) ? viewObject(value, look) : undefined;
    },
    list: (key) => {
      const value = valueAt(key);
      return Array.isArray(value) ? value.filter(isObject).map((item) => viewObject(item, look)) : [];
    },
    keys: Object.keys(holder),
  };
}

function show(holder: object, key: string | number, numberText: NumberText): string | undefined {
  const value: unknown = Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return harmless(value);
  if (typeof value === 'number') return formatDecimal(readDecimal(numberText(holder, key)));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((_, index) => show(value, index, numberText) ?? NOTHING).join(', ');
  return Object.keys(value)
    .map((name) => `${name} ${show(value, name, numberText) ?? NOTHING}`)
    .join(', ');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a line of an export. Numbers come as the text they were written in, so none passes through a binary float; whatever
 * is missing or of another kind is a fault of the file and not of the program.
 */
import { type Decimal, readDecimal } from '../kernel/decimal.ts';
import { BrokenProof } from './broken-proof.ts';

export class Fields {
  readonly #holder: object;
  readonly #place: string;

  constructor(holder: object, place: string) {
    this.#holder = holder;
    this.#place = place;
  }

  static parse(text: string): Fields {
    let value: unknown;
    try {
      value = JSON.parse(text, numbersAsText);
    } catch {
      // Then it is no object either.
    }
    if (!isObject(value)) throw new BrokenProof('unreadable', 'the line is no JSON object');
    return new Fields(value, '');
  }

  optional(key: string): string | undefined {
    const value = this.#value(key);
    if (value === undefined || value === null) return undefined;
    return typeof value === 'string' ? value : this.#refuse(key, 'no text');
  }

  text(key: string): string {
    return this.optional(key) ?? this.#refuse(key, 'missing');
  }

  integer(key: string): number {
    const text = this.text(key);
    return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : this.#refuse(key, 'no whole number');
  }

  /** At most two decimals, as everything that is signed has. */
  amount(key: string): Decimal {
    const text = this.text(key);
    if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return this.#refuse(key, 'no number');
    const amount = readDecimal(text);
    return amount.scale <= 2 ? amount : this.#refuse(key, 'an amount with more than two decimals');
  }

  /** `null` is exempt. */
  percent(key: string): Decimal | null {
    return this.optional(key) === undefined ? null : this.amount(key);
  }

  bytes(key: string): Buffer {
    const text = this.text(key);
    const bytes = Buffer.from(text, 'base64');
    return bytes.toString('base64') === text && bytes.length > 0 ? bytes : this.#refuse(key, 'no base64');
  }

  isTrue(key: string): boolean {
    return this.#value(key) === true;
  }

  object(key: string): Fields | undefined {
    const value = this.#value(key);
    if (value === undefined || value === null) return undefined;
    return isObject(value) ? new Fields(value, `${this.#place}${key}.`) : this.#refuse(key, 'no object');
  }

  list(key: string): Fields[] {
    const value = this.#value(key);
    if (!Array.isArray(value)) return this.#refuse(key, 'no list');
    return value.map((item: unknown, index) =>
      isObject(item) ? new Fields(item, `${this.#place}${key}[${index}].`) : this.#refuse(key, 'no list of objects'),
    );
  }

  #value(key: string): unknown {
    return Object.hasOwn(this.#holder, key) ? Reflect.get(this.#holder, key) : undefined;
  }

  #refuse(key: string, reason: string): never {
    throw new BrokenProof('unreadable', `${this.#place}${key} is ${reason}`);
  }
}

function numbersAsText(_key: string, value: unknown, context?: { readonly source: string }): unknown {
  return typeof value === 'number' ? context?.source : value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads one object of an answer field by field. What must be there and is not makes the whole answer one that is not the
 * protocol's; unknown fields are passed over; null and absent are the same. Decimals come out as their exact text.
 */
import { formatDecimal, readDecimal } from '../../kernel/decimal.ts';
import type { ExactJson } from '../../platform/json/exact-json.ts';
import type { FdmsDate, FdmsNumber, Named } from '../core/protocol.ts';

/** Says what was wrong with an answer. Names fields, never their content. */
export class NotTheProtocol extends Error {
  override readonly name = 'NotTheProtocol';
}

const WIRE_DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?$/;

export class AnswerReader {
  readonly #json: ExactJson;
  readonly #holder: object;
  readonly #path: string;

  constructor(json: ExactJson, holder: unknown, path = '') {
    if (typeof holder !== 'object' || holder === null || Array.isArray(holder)) {
      throw new NotTheProtocol(`${path === '' ? 'the answer' : path} is not an object`);
    }
    this.#json = json;
    this.#holder = holder;
    this.#path = path;
  }

  text(key: string): string {
    return this.optionalText(key) ?? this.#missing(key);
  }

  /** An empty text says as much as none. */
  optionalText(key: string): string | undefined {
    const value = this.#value(key);
    if (value !== undefined && typeof value !== 'string') throw this.#wrong(key, 'a text');
    return value === '' ? undefined : value;
  }

  date(key: string): FdmsDate {
    return this.optionalDate(key) ?? this.#missing(key);
  }

  optionalDate(key: string): FdmsDate | undefined {
    const text = this.optionalText(key);
    if (text !== undefined && !WIRE_DATE.test(text)) throw this.#wrong(key, 'a date');
    return text;
  }

  integer(key: string): number {
    return this.optionalInteger(key) ?? this.#missing(key);
  }

  optionalInteger(key: string): number | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw this.#wrong(key, 'a whole number');
    return value;
  }

  decimal(key: string): FdmsNumber {
    return this.optionalDecimal(key) ?? this.#missing(key);
  }

  optionalDecimal(key: string): FdmsNumber | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'number') throw this.#wrong(key, 'a number');
    return formatDecimal(readDecimal(this.#json.numberText(this.#holder, key)));
  }

  /** A name as it came, unless it differs only in case from a known one: the authority does not regard case either. */
  name<T extends string>(key: string, known: readonly T[]): Named<T> {
    return this.optionalName(key, known) ?? this.#missing(key);
  }

  optionalName<T extends string>(key: string, known: readonly T[]): Named<T> | undefined {
    const value = this.#value(key);
    const text = typeof value === 'number' ? String(value) : this.optionalText(key);
    return known.find((name) => name.toLowerCase() === text?.toLowerCase()) ?? text;
  }

  object(key: string): AnswerReader {
    return this.optionalObject(key) ?? this.#missing(key);
  }

  optionalObject(key: string): AnswerReader | undefined {
    const value = this.#value(key);
    return value === undefined ? undefined : new AnswerReader(this.#json, value, this.#pathOf(key));
  }

  list<T>(key: string, read: (item: AnswerReader) => T): readonly T[] {
    return this.optionalList(key, read) ?? this.#missing(key);
  }

  optionalList<T>(key: string, read: (item: AnswerReader) => T): readonly T[] | undefined {
    return this.#array(key)?.map((item, at) => read(new AnswerReader(this.#json, item, `${this.#pathOf(key)}[${at}]`)));
  }

  texts(key: string): readonly string[] {
    const items = this.#array(key) ?? this.#missing(key);
    return items.map((item) => {
      if (typeof item !== 'string' || item === '') throw this.#wrong(key, 'a list of texts');
      return item;
    });
  }

  #array(key: string): readonly unknown[] | undefined {
    const value = this.#value(key);
    if (value !== undefined && !Array.isArray(value)) throw this.#wrong(key, 'a list');
    return value;
  }

  #value(key: string): unknown {
    const value: unknown = Object.getOwnPropertyDescriptor(this.#holder, key)?.value;
    return value === null ? undefined : value;
  }

  #pathOf(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`;
  }

  #missing(key: string): never {
    throw new NotTheProtocol(`${this.#pathOf(key)} is missing`);
  }

  #wrong(key: string, expected: string): NotTheProtocol {
    return new NotTheProtocol(`${this.#pathOf(key)} is not ${expected}`);
  }
}

/**
 * Reads one object of an answer field by field, generously: names in any letter case, numbers as digits in a text, null and absent
 * and empty as the same, unknown fields passed over. Only what something depends on and cannot be read makes the whole answer one that
 * is not the protocol's. Decimals come out as their exact text.
 */
import { formatDecimal, readDecimal } from '../../kernel/decimal.ts';
import type { ExactJson } from '../../platform/json/exact-json.ts';
import type { FdmsNumber, Named } from '../core/protocol.ts';

/** Says what was wrong with an answer. Names fields, never their content. */
export class NotTheProtocol extends Error {
  override readonly name = 'NotTheProtocol';
}

const WHOLE_NUMBER = /^([+-]?\d+)(?:\.0*)?$/;
const DECIMAL_NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The field of this name, or else one whose name differs only in letter case. */
export function findField(
  holder: unknown,
  name: string,
): { readonly key: string; readonly value: unknown } | undefined {
  if (typeof holder !== 'object' || holder === null) return undefined;
  const key = Object.hasOwn(holder, name)
    ? name
    : Object.keys(holder).find((other) => other.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : { key, value: Object.getOwnPropertyDescriptor(holder, key)?.value };
}

export class AnswerReader {
  readonly #json: ExactJson;
  readonly #holder: object;
  readonly #path: string;

  constructor(json: ExactJson, holder: unknown, path = '') {
    if (!isObject(holder)) throw new NotTheProtocol(`${path === '' ? 'the answer' : path} is not an object`);
    this.#json = json;
    this.#holder = holder;
    this.#path = path;
  }

  text(key: string): string {
    return this.optionalText(key) ?? this.#missing(key);
  }

  /** An empty text says as much as none, and so does what is no text. */
  optionalText(key: string): string | undefined {
    const field = findField(this.#holder, key);
    if (typeof field?.value === 'number') return this.#json.numberText(this.#holder, field.key);
    return typeof field?.value === 'string' && field.value.trim() !== '' ? field.value : undefined;
  }

  integer(key: string): number {
    return this.optionalInteger(key) ?? this.#missing(key);
  }

  optionalInteger(key: string): number | undefined {
    if (this.#isAbsent(key)) return undefined;
    const value = Number(this.bigInteger(key));
    if (!Number.isSafeInteger(value)) throw this.#wrong(key, 'a whole number');
    return value;
  }

  /** Within what the database can keep. */
  bigInteger(key: string): bigint {
    if (this.#isAbsent(key)) return this.#missing(key);
    const digits = WHOLE_NUMBER.exec(this.optionalText(key)?.trim() ?? '')?.[1];
    const value = digits === undefined ? undefined : BigInt(digits);
    if (value === undefined || BigInt.asIntN(64, value) !== value) throw this.#wrong(key, 'a whole number');
    return value;
  }

  decimal(key: string): FdmsNumber {
    return this.optionalDecimal(key) ?? this.#missing(key);
  }

  optionalDecimal(key: string): FdmsNumber | undefined {
    if (this.#isAbsent(key)) return undefined;
    const text = this.optionalText(key)?.trim() ?? '';
    if (!DECIMAL_NUMBER.test(text)) throw this.#wrong(key, 'a number');
    return formatDecimal(readDecimal(text));
  }

  /** A name as it came, unless it differs only in case from a known one: the authority does not regard case either. */
  name<T extends string>(key: string, known: readonly T[]): Named<T> {
    return this.optionalName(key, known) ?? this.#missing(key);
  }

  optionalName<T extends string>(key: string, known: readonly T[]): Named<T> | undefined {
    const text = this.optionalText(key);
    return known.find((name) => name.toLowerCase() === text?.toLowerCase()) ?? text;
  }

  /** Of what is no object nothing is there. */
  part(key: string): AnswerReader {
    const value = findField(this.#holder, key)?.value;
    return new AnswerReader(this.#json, isObject(value) ? value : {}, this.#pathOf(key));
  }

  optionalPart(key: string): AnswerReader | undefined {
    return this.#isAbsent(key) ? undefined : this.part(key);
  }

  list<T>(key: string, read: (item: AnswerReader) => T): readonly T[] {
    return this.optionalList(key, read) ?? this.#missing(key);
  }

  optionalList<T>(key: string, read: (item: AnswerReader) => T): readonly T[] | undefined {
    const value = findField(this.#holder, key)?.value ?? undefined;
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw this.#wrong(key, 'a list');
    return value.map((item, at) => read(new AnswerReader(this.#json, item, `${this.#pathOf(key)}[${at}]`)));
  }

  texts(key: string): readonly string[] {
    const value = findField(this.#holder, key)?.value ?? this.#missing(key);
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.map((item) => {
      if (typeof item !== 'string' || item === '') throw this.#wrong(key, 'a list of texts');
      return item;
    });
  }

  #isAbsent(key: string): boolean {
    const value = findField(this.#holder, key)?.value;
    return value === undefined || value === null || value === '';
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Evidence that cannot be read is left out (undefined), and the rest of the answer is used: nothing waits for evidence. */
export function evidenceOf<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotTheProtocol) return undefined;
    throw error;
  }
}

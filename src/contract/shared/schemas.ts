/** What a schema is made of: the words of JSON Schema, and those of ours, which begin small or are of the API. */
export * from 'typebox';

import { type Static, type TSchema, Type } from 'typebox';
import { CODE_PATTERN } from '../../kernel/code.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { ID_PATTERN, REGISTRATION } from './values.ts';

/** On a text that is a list of words: which ones, so that a refusal can name them. */
export const SOME_OF = 'x-some-of';

export const Id = Type.String({ pattern: ID_PATTERN });

/** Of a device, and of a receipt or day on it: the authority's numbers. */
export const DeviceId = Type.Integer(REGISTRATION.AuthorityDeviceId);

export const BillerCode = Type.String({ pattern: CODE_PATTERN });

export const KeyValue = Type.Object(
  { Key: Type.String({ minLength: 1, maxLength: 50 }), Value: Type.String({ maxLength: 500 }) },
  { additionalProperties: false, title: 'KeyValue' },
);

/** A moment in UTC. */
export const Instant = Type.String({ format: 'date-time' });

/** An exact decimal: a JSON number outside, a Decimal inside. */
export const decimal = (options: object = {}) =>
  Type.Unsafe<Decimal>({ type: 'number', format: 'decimal', ...options });

/** A whole number of any size. */
export const wholeDecimal = (options: object = {}) => decimal({ type: 'integer', ...options });

/** Infers the words themselves, which `Type.String({ enum })` does not. */
export const oneOf = <const Words extends readonly string[]>(words: Words, options: object = {}) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: words, ...options });

/** Of a query: one of the words, or several with commas between them. */
export const someOf = (words: readonly string[], description: string) => {
  const one = `(${words.join('|')})`;
  return Type.String({
    pattern: `^${one}(,${one})*$`,
    maxLength: 200,
    description: `${description}, separated by commas: ${words.join(', ')}.`,
    [SOME_OF]: words,
  });
};

/**
 * The schema, or null. JSON Schema has a list of types for that, which TypeBox does not write; a shape with a title keeps its
 * name, and stands beside null.
 */
export function orNull<Schema extends TSchema>(schema: Schema, options: object = {}) {
  if ('title' in schema) return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, Type.Null()], ...options });
  const { type, enum: words, ...rest }: { type?: unknown; enum?: unknown } = { ...schema, ...options };
  const among = Array.isArray(words) ? { enum: [...words, null] } : {};
  return Type.Unsafe<Static<Schema> | null>({ ...rest, ...among, type: [type, 'null'] });
}

export const textOrNull = (options: object = {}) => orNull(Type.String(), options);

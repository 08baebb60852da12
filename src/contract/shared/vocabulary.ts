/** Shapes that several nouns share. */
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { CODE_PATTERN } from '../../kernel/code.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { ID_PATTERN, REGISTRATION } from './values.ts';

/** An object with a name, which the API description and clients' types have, too. */
export const shape = <Fields extends TProperties>(title: string, fields: Fields, options: object = {}) =>
  Type.Object(fields, { ...options, title });

/** No other field is accepted. */
const closed = { additionalProperties: false } as const;
export const only = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, closed);

/** A body with a name. */
export const input = <Fields extends TProperties>(title: string, fields: Fields, options: object = {}) =>
  shape(title, fields, { ...options, ...closed });

/** A body of which only the fields that are sent change. */
export const change = <Fields extends TProperties>(title: string, fields: Fields) =>
  Type.Partial(Type.Object(fields), { ...closed, title });

export const Id = Type.String({ pattern: ID_PATTERN });

/** Of a device, and of a receipt or day on it: the authority's numbers. */
export const DeviceId = Type.Integer(REGISTRATION.AuthorityDeviceId);

export const BillerCode = Type.String({ pattern: CODE_PATTERN });

export const KeyValue = Type.Object(
  { Key: Type.String({ minLength: 1, maxLength: 50 }), Value: Type.String({ maxLength: 500 }) },
  { ...closed, title: 'KeyValue' },
);

/** On a body: its values are left to the rules of its area, which know their own codes. */
export const RULES_APART = 'x-rules-apart';
/** On an object: names that other services have for its fields, in lower case, for "did you mean". They are not accepted. */
export const OTHER_NAMES = 'x-other-names';
/** On a required field: what to send, said where it is missing. */
export const IF_MISSING = 'x-if-missing';
/** On a number: what it counts, for the message about one that is too small. */
export const UNIT = 'x-unit';
/** On an object: fields of its answer. Sent back without a value (null, "", 0, []) they are ignored, as typed programs send them. */
export const IGNORED_EMPTY = 'x-ignored-empty';
/** On a text that is a list of words: which ones, so that a refusal can name them. */
export const SOME_OF = 'x-some-of';

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

export const LAST_PAGE = 'NextCursor of the previous page.';
const pageQuery = {
  Limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  Cursor: Type.String({ maxLength: 200, description: LAST_PAGE }),
};

/** The good answer of an operation. Its example follows from the schema. */
export function answered<Schema extends TSchema>(description: string, schema: Schema) {
  return { description, schema };
}

/** A list: the fields by which one may ask for some of it, and its pages, each under the name of what it lists. */
export function pages<Name extends string, Item extends TSchema, By extends TProperties>(
  name: Name,
  item: Item,
  title: string,
  by: By,
) {
  const properties = {
    [name]: Type.Array(item),
    NextCursor: textOrNull({ description: 'Cursor of the next page; null on the last.' }),
  } as { [Key in Name]: Type.TArray<Item> } & { NextCursor: ReturnType<typeof textOrNull> };
  const fields: Omit<typeof pageQuery, keyof By> & By = { ...by, ...pageQuery, ...by };
  return { query: Type.Partial(Type.Object(fields), closed), answer: answered('A page.', shape(title, properties)) };
}

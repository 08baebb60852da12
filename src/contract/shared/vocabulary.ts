/** Shapes that several nouns share. */
import * as Type from './schemas.ts';

export { Type };

/** An object with a name, which the API description and clients' types have, too. */
export const shape = <Fields extends Type.TProperties>(title: string, fields: Fields, options: object = {}) =>
  Type.Object(fields, { ...options, title });

/** No other field is accepted. */
const closed = { additionalProperties: false } as const;
export const only = <Fields extends Type.TProperties>(fields: Fields) => Type.Object(fields, closed);

/** A body with a name. */
export const input = <Fields extends Type.TProperties>(title: string, fields: Fields, options: object = {}) =>
  shape(title, fields, { ...options, ...closed });

/** A body of which only the fields that are sent change. */
export const change = <Fields extends Type.TProperties>(title: string, fields: Fields) =>
  Type.Partial(Type.Object(fields), { ...closed, title });

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
export const LAST_PAGE = 'NextCursor of the previous page.';
const pageQuery = {
  Limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  Cursor: Type.String({ maxLength: 200, description: LAST_PAGE }),
};

/** The good answer of an operation. Its example follows from the schema. */
export function answered<Schema extends Type.TSchema>(description: string, schema: Schema, status?: 201 | 202) {
  return { description, schema, ...(status && { status }) };
}

/** A list: the fields by which one may ask for some of it, and its pages, each under the name of what it lists. */
export function pages<Name extends string, Item extends Type.TSchema, By extends Type.TProperties>(
  name: Name,
  item: Item,
  title: string,
  by: By,
) {
  const properties = {
    [name]: Type.Array(item),
    NextCursor: Type.textOrNull({ description: 'Cursor of the next page; null on the last.' }),
  } as { [Key in Name]: Type.TArray<Item> } & { NextCursor: ReturnType<typeof Type.textOrNull> };
  const fields: Omit<typeof pageQuery, keyof By> & By = { ...by, ...pageQuery, ...by };
  return { query: Type.Partial(Type.Object(fields), closed), answer: answered('A page.', shape(title, properties)) };
}

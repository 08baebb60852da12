import { Type } from 'typebox';
import { CODE_PATTERN } from '../kernel/code.ts';
import type { Answer } from '../platform/http/documentation.ts';

/** Shapes that several administration routes share. Here, unlike in receipts, patterns and bounds are checked from the schema. */
export const closed = { additionalProperties: false };

export const Id = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });

export const BillerCode = Type.String({ pattern: CODE_PATTERN });

export const textOrNull = (options: object) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

export const page = {
  Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  Cursor: Type.Optional(Type.String({ maxLength: 200, description: 'NextCursor of the page before.' })),
};

/** How the reference shows a page of a list. */
export function listOf(name: string, item: Type.TSchema, title: string, example: object): Answer {
  const NextCursor = textOrNull({ description: 'Cursor of the next page; null on the last.' });
  return {
    description: 'A page.',
    schema: Type.Object({ [name]: Type.Array(item), NextCursor }, { title }),
    examples: { page: { summary: 'The last page', value: { [name]: [example], NextCursor: null } } },
  };
}

export { DEFAULT_PAGE, nextCursor } from '../platform/http/page.ts';

type Json = Record<string, unknown>;

/** Keywords whose values are data, not schemas: a problem in an example has a `title` too. */
const DATA = new Set(['examples', 'example', 'default', 'enum', 'const']);

/**
 * Moves every schema with a title to the components of the document and leaves a reference, so that a receipt is one type
 * with one name for tools that generate code from it.
 */
export function hoistTitled(node: unknown, components: Json): unknown {
  if (Array.isArray(node)) return node.map((item) => hoistTitled(item, components));
  if (typeof node !== 'object' || node === null) return node;
  const parts = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, DATA.has(key) ? value : hoistTitled(value, components)]),
  );
  const { title, ...schema } = parts;
  if (typeof title !== 'string' || !('type' in schema)) return parts;
  const known = components[title];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`two different schemas are called ${title}`);
  }
  components[title] = schema;
  return { $ref: `#/components/schemas/${title}` };
}

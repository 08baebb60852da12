import type { ExactJson } from './exact-json.ts';

interface Parts {
  readonly properties?: Readonly<Record<string, object>>;
  readonly items?: object;
  /** A shape or null. */
  readonly anyOf?: readonly object[];
}

type Convert = (value: unknown, exact: ExactJson) => void;

/**
 * Makes the reader of a checked document: the same value, each number whose schema has the format `decimal` as a Decimal.
 * What has no decimals costs nothing.
 */
export function exactValue(schema: object): (exact: ExactJson) => unknown {
  const convert = converterOf(schema);
  return (exact) => {
    convert?.(exact.value, exact);
    return exact.value;
  };
}

function converterOf(schema: object): Convert | undefined {
  const { properties = {}, items, anyOf }: Parts = schema;
  if (anyOf !== undefined) return anyOf.map(converterOf).find((convert) => convert !== undefined);
  const ofItem = items === undefined ? undefined : converterOf(items);
  if (ofItem !== undefined) {
    return (value, exact) => {
      if (Array.isArray(value)) for (const item of value) ofItem(item, exact);
    };
  }
  const parts = Object.entries(properties).flatMap(([name, part]) => {
    const convert = isDecimal(part) ? makeDecimal(name) : inside(name, converterOf(part));
    return convert === undefined ? [] : [convert];
  });
  if (parts.length === 0) return undefined;
  return (value, exact) => {
    if (typeof value === 'object' && value !== null) for (const convert of parts) convert(value, exact);
  };
}

function isDecimal(schema: object): boolean {
  return 'format' in schema && schema.format === 'decimal';
}

function makeDecimal(name: string): Convert {
  return (holder, exact) => {
    const value: unknown = Reflect.get(Object(holder), name);
    if (typeof value === 'number') Reflect.set(Object(holder), name, exact.decimal(Object(holder), name));
  };
}

function inside(name: string, convert: Convert | undefined): Convert | undefined {
  return convert && ((holder, exact) => convert(Reflect.get(Object(holder), name), exact));
}

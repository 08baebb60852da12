/**
 * JSON on the wire, with what JSON.stringify cannot write: duplicate keys, numbers beyond any double, text that is not JSON.
 */
export type Tree = string | number | boolean | null | Raw | Tree[] | Fields;

export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An object as a list, so that it can have a key twice. */
export class Fields {
  pairs: [string, Tree][];

  constructor(pairs: [string, Tree][]) {
    this.pairs = pairs;
  }
}

export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return value.map(treeOf);
  if (typeof value === 'object' && value !== null) {
    return new Fields(Object.entries(value).map(([key, part]) => [key, treeOf(part)]));
  }
  return value as string | number | boolean | null;
}

export function textOf(tree: Tree): string {
  if (tree instanceof Raw) return tree.text;
  if (Array.isArray(tree)) return `[${tree.map(textOf).join(',')}]`;
  if (tree instanceof Fields) {
    return `{${tree.pairs.map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`).join(',')}}`;
  }
  return JSON.stringify(tree);
}

/** One place in a tree, with its schema if it has one. */
export interface Place {
  readonly holder: Tree[] | Fields;
  readonly index: number;
  readonly schema: Schema | undefined;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly default?: unknown;
}

/** Every place of a tree, outer ones first. */
export function placesOf(tree: Tree, known: Schema | undefined): Place[] {
  if (Array.isArray(tree)) {
    return tree.flatMap((part, index) => [
      { holder: tree, index, schema: known?.items },
      ...placesOf(part, known?.items),
    ]);
  }
  if (!(tree instanceof Fields)) return [];
  return tree.pairs.flatMap(([key, part], index) => [
    { holder: tree, index, schema: known?.properties?.[key] },
    ...placesOf(part, known?.properties?.[key]),
  ]);
}

export function valueAt({ holder, index }: Place): Tree {
  return (holder instanceof Fields ? holder.pairs[index]?.[1] : holder[index]) ?? null;
}

export function putAt({ holder, index }: Place, value: Tree): void {
  if (!(holder instanceof Fields)) holder[index] = value;
  else holder.pairs[index] = [holder.pairs[index]?.[0] ?? '', value];
}

export function removeAt({ holder, index }: Place): void {
  (holder instanceof Fields ? holder.pairs : holder).splice(index, 1);
}

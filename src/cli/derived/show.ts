import type { Operation } from '../../contract/shared/operation.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { type Invocation, printsJson } from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';
import { amount, type Showable, shown } from '../shared/shown.ts';
import { type Column, type Fact, printFacts } from '../shared/table.ts';
import { isType, type Schema, schemaOf, wordsOf } from './schema.ts';

type Names<Item> = keyof Item & string;
/** `Code`, or `Payment.Code` of a part. */
type Path<Item> = { [Name in Names<Item>]: Name | `${Name}.${Names<NonNullable<Item[Name]>>}` }[Names<Item>];
/** Under a title of its own: a field, or what is made of the item. */
type Cells<Item> = Readonly<Record<string, Path<Item> | ((item: Item, zone: string) => Showable)>>;
/** What is shown of an item: fields, each under its own name and as its schema says, and cells. */
export type Columns<Item> = readonly (Path<Item> | Cells<Item>)[];

interface Cell<Item> {
  readonly title: string;
  readonly read: (item: Item, zone: string) => Showable;
  readonly say: (item: Item, zone: string) => string;
}

/** The key of a list in its answer, and what an item of it is. */
export function listIn(operation: Operation): { readonly key: string; readonly item: Schema } | undefined {
  const { properties = {} } = schemaOf(operation.answer.schema);
  const [key, list] = Object.entries(properties).find(([, part]) => part.items !== undefined) ?? [];
  return key === undefined || list?.items === undefined || !('NextCursor' in properties)
    ? undefined
    : { key, item: schemaOf(list.items) };
}

function at(path: string, item: unknown): Showable {
  return path.split('.').reduce((part: unknown, name) => Object(part)[name], item) as Showable;
}

function schemaAt(path: string, schema: Schema): Schema {
  return path.split('.').reduce((part, name) => schemaOf(part.properties?.[name]), schema);
}

/** Of nothing, what the contract says that nothing means. */
function textOf(path: string, { description = '' }: Schema, value: Showable, zone: string): string {
  if (value === null) return /(?:^|[.;] )null: ([^.]+)\./i.exec(description)?.[1] ?? shown(value);
  if (typeof value === 'string' && /(?:At|Until|Since)$/.test(path)) return momentIn(zone, value);
  return isDecimal(value) && !/(?:Quantity|Percent|Units|Count)$/.test(path) ? amount(value) : shown(value);
}

function cellsOf<Item>(
  columns: Columns<Item>,
  schema: Schema,
  titleOf: (path: string) => string,
): readonly Cell<Item>[] {
  const cellAt = (title: string, path: string): Cell<Item> => {
    const part = schemaAt(path, schema);
    const read = (item: Item) => at(path, item);
    return { title, read, say: (item, zone) => textOf(path, part, read(item), zone) };
  };
  return columns.flatMap((column) => {
    if (typeof column === 'string') return cellAt(titleOf(column), column);
    return Object.entries(column).map(([title, cell]) =>
      typeof cell === 'string'
        ? cellAt(title, cell)
        : { title, read: cell, say: (item: Item, zone: string) => shown(cell(item, zone)) },
    );
  });
}

function isDecimal(value: Showable): value is Decimal {
  return typeof value === 'object' && value !== null && 'coefficient' in value;
}

/** How items are shown in a table. */
export function columnsOf<Item>(columns: Columns<Item>, zone = 'UTC', schema: Schema = {}): Column<Item>[] {
  return cellsOf(columns, schema, columnTitle).map(({ title, say }) => ({ title, value: (item) => say(item, zone) }));
}

/** What has no value is left out, unless the contract says what that means. Sentences have a line each. */
export function factsOf<Item>(columns: Columns<Item>, schema: Schema, item: Item, zone: string): Fact[] {
  return cellsOf(columns, schema, labelOf).map(({ title, read, say }) => {
    const value = read(item, zone);
    const isLines = Array.isArray(value) && value.some((one) => typeof one === 'string' && one.includes(' '));
    // Of the control characters only those that end a line may do so, each in the column of the value.
    const text = (isLines ? value.join('\n') : value === '' ? '' : say(item, zone))
      .replaceAll('\\u000a', '\n')
      .trimEnd();
    return [title, text === '' || text === shown(null) ? undefined : text];
  });
}

const ACRONYMS = new Set(['hs', 'id', 'ids', 'qr', 'tin', 'url', 'vat']);
const spoken = (path: string) =>
  path
    .split('.')
    .flatMap((name) => wordsOf(name))
    .map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word));

/** `FiscalDeviceId` as `Fiscal device ID`, `Outage.BeganAt` as `Outage began at`. */
function labelOf(path: string): string {
  return spoken(path)
    .join(' ')
    .replace(/^./, (letter) => letter.toUpperCase());
}

/** `FiscalDeviceId` as `FISCAL DEVICE`, `CreatedAt` as `CREATED`. */
function columnTitle(path: string): string {
  const words = path.split('.').flatMap((name) => wordsOf(name.replace('Authority', '')));
  const isTail = words.length > 1 && ['id', 'code', 'at'].includes(words.at(-1) ?? '');
  return (isTail ? words.slice(0, -1) : words).join(' ').toUpperCase();
}

/** Every field that is a word or a number, also those of a part, where no table says more. */
export const plainFields = <Item>(schema: Schema) => plainNames(schema) as unknown as Columns<Item>;

function plainNames({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, given]) => {
    const part = schemaOf(given);
    if (part.properties !== undefined) return plainNames(part).map((inner) => `${name}.${inner}`);
    return isType(part, 'object') || schemaOf(part.items).properties !== undefined ? [] : [name];
  });
}

/** The lists in it whose items have fields, each a table below the facts. */
export function tablesIn({ properties = {} }: Schema): readonly { readonly key: string; readonly item: Schema }[] {
  return Object.entries(properties).flatMap(([key, part]) => {
    const item = schemaOf(schemaOf(part).items);
    return item.properties === undefined ? [] : [{ key, item }];
  });
}

/** What no operation answers: with --json as JSON, else each field under its name; what a person needs besides follows. */
export function tell(
  invocation: Invocation,
  answer: Readonly<Record<string, Showable>>,
  more: readonly Fact[] = [],
): void {
  if (printsJson(invocation, JSON.stringify(answer))) return;
  const facts = factsOf(Object.keys(answer), {}, answer, 'UTC');
  printFacts(invocation.terminal, [...facts, ...more]);
}

import type { Operation } from '../../contract/shared/operation.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { momentIn } from '../shared/moment.ts';
import { amount, type Showable, shown } from '../shared/shown.ts';
import { type Column, type Fact, tablePrinter } from '../shared/table.ts';
import type { Terminal } from '../shared/terminal.ts';
import { isType, type Schema, schemaOf, wordsOf } from './schema.ts';

type Names<Item> = keyof Item & string;
/** `Code`, or `Payment.Code` of a part. */
type Path<Item> = { [Name in Names<Item>]: Name | `${Name}.${Names<NonNullable<Item[Name]>>}` }[Names<Item>];

/** What stands under a title: a field as its schema says (a moment in the zone, an amount), or what is made of the item. */
export type Cells<Item> = Readonly<Record<string, Path<Item> | ((item: Item, zone: string) => Showable)>>;

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

function text(schema: Schema, value: Showable, zone: string): string {
  if (typeof value === 'string' && schema.format === 'date-time') return momentIn(zone, value);
  return isDecimal(value) ? amount(value) : shown(value);
}

function isDecimal(value: Showable): value is Decimal {
  return typeof value === 'object' && value !== null && 'coefficient' in value;
}

/** Numbers, and texts such as `15.5 %` and `2 of 3`, stand to the right. */
function isNumeric(value: Showable): boolean {
  if (typeof value === 'string') return /^-?[\d.]+ (?:%|of \d+)$/.test(value);
  return typeof value === 'number' || isDecimal(value);
}

/** How the items are shown; `items` are the first of them, or all. */
export function columnsOf<Item>(
  cells: Cells<Item>,
  schema: Schema,
  zone: string,
  items: readonly Item[],
): Column<Item>[] {
  return Object.entries(cells).map(([title, cell]) => {
    if (typeof cell === 'function') {
      const value = (item: Item) => shown(cell(item, zone));
      return { title, value, isNumber: items.some((item) => isNumeric(cell(item, zone))) };
    }
    const part = schemaAt(cell, schema);
    const isNumber = isType(part, 'integer') || items.some((item) => isNumeric(at(cell, item)));
    return { title, value: (item) => text(part, at(cell, item), zone), isNumber: isNumber && !isText(part) };
  });
}

const isText = (schema: Schema) => isType(schema, 'string');

/** What has no value is left out. */
export function factsOf<Item>(cells: Cells<Item>, schema: Schema, item: Item, zone: string): Fact[] {
  return Object.entries(cells).map(([label, cell]) => {
    const value = typeof cell === 'function' ? cell(item, zone) : at(cell, item);
    const isThere = value !== null && value !== undefined && value !== '';
    const part = typeof cell === 'function' ? {} : schemaAt(cell, schema);
    return [label, isThere ? text(part, value, zone) : undefined];
  });
}

/** Every field that is a word or a number, where no table says more. */
export function plainCells<Item>({ properties = {} }: Schema): Cells<Item> {
  const isPlain = (part: Schema) => !isType(part, 'object') && schemaOf(part.items).properties === undefined;
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, part]) => isPlain(schemaOf(part)))
      .map(([name]) => [
        wordsOf(name)
          .join(' ')
          .replace(/^./, (letter) => letter.toUpperCase()),
        name,
      ]),
  ) as Cells<Item>;
}

/** A table below the facts, if it has rows. */
export function printTable<Item>(terminal: Terminal, rows: readonly Item[], cells: Cells<Item>, zone = 'UTC'): void {
  if (rows.length === 0) return;
  terminal.print('');
  tablePrinter(terminal, columnsOf(cells, {}, zone, rows))(rows);
}

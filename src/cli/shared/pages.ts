import { addressOf } from '../../contract/shared/address.ts';
import type { AnswerOf, Operation } from '../../contract/shared/operation.ts';
import type { Given, Service } from './client.ts';
import { type Invocation, type Options, refuseBoth, wholeNumber } from './command.ts';
import { saveDownload } from './save-download.ts';
import { type Column, tablePrinter } from './table.ts';

export const PAGING: Options = {
  limit: { value: 'N', help: 'how many to show (50)' },
  all: { help: 'show all of them' },
  cursor: { value: 'CURSOR', help: 'continue after an earlier page: its NextCursor' },
};

/** For lists that have a `csv`. */
export const CSV_OPTION: Options = {
  csv: { value: 'FILE', help: 'write all of them as CSV, for a spreadsheet, into this file (- is standard output)' },
};

const DEFAULT_LIMIT = 50;
const MAX_PAGE = 200;

/** A list, and how its items are shown. */
interface Shown<Item> {
  /** The key of the answer that holds the items. */
  readonly key: string;
  readonly noun: string;
  readonly columns: readonly Column<Item>[];
}

/** What the page of a list holds. */
export type ItemOf<O extends Operation> =
  AnswerOf<O> extends { readonly NextCursor: unknown }
    ? { [Key in keyof AnswerOf<O>]: AnswerOf<O>[Key] extends readonly (infer Item)[] ? Item : never }[keyof AnswerOf<O>]
    : never;

/** Shows a list of the contract page by page as it arrives, however long it is: nothing but a page is held in memory. */
export async function printListOf<O extends Operation>(
  invocation: Invocation,
  service: Service,
  operation: O,
  list: Shown<ItemOf<O>> & {
    readonly given: Given<O>;
    /** The same as a table for spreadsheets. */
    readonly csv?: Operation;
  },
): Promise<void> {
  const { given, csv, noun } = list;
  const file = invocation.text('csv');
  if (file !== undefined && csv !== undefined) {
    for (const option of ['limit', 'cursor']) refuseBoth(invocation, 'csv', option);
    const chunks = service.download(addressOf(csv.path, {}, given.query));
    return saveDownload(invocation, chunks, file, ` of ${noun}.`);
  }
  refuseBoth(invocation, 'limit', 'all');
  const { terminal } = invocation;
  const wanted = invocation.isSet('all')
    ? Number.POSITIVE_INFINITY
    : (wholeNumber(invocation, 'limit', 1) ?? DEFAULT_LIMIT);
  const printer = invocation.isSet('json') ? jsonPrinter(invocation, list) : rowPrinter(invocation, list);
  let cursor = invocation.text('cursor');
  let count = 0;
  do {
    const Limit = Math.min(MAX_PAGE, wanted - count);
    const query = { ...given.query, Limit, ...(cursor === undefined ? {} : { Cursor: cursor }) };
    const { value, text } = await service.call(operation, { ...given, query });
    const page = value as { readonly NextCursor: string | null } & Record<string, readonly ItemOf<O>[]>;
    const items = page[list.key] ?? [];
    count += items.length;
    cursor = page.NextCursor ?? undefined;
    printer.page(text, items, cursor === undefined || count >= wanted);
    if (cursor !== undefined && terminal.output.isTTY !== true) terminal.progress(`${count} ${noun} …`);
  } while (cursor !== undefined && count < wanted);
  terminal.endProgress();
  printer.end(count, cursor);
}

interface Printer<Item> {
  readonly page: (text: string, items: readonly Item[], isLast: boolean) => void;
  readonly end: (count: number, cursor: string | undefined) => void;
}

function rowPrinter<Item>({ terminal }: Invocation, list: Shown<Item>): Printer<Item> {
  const printRows = tablePrinter(terminal, list.columns);
  return {
    page: (_text, items) => {
      if (items.length > 0) printRows(items);
    },
    end: (count, cursor) => {
      if (count === 0) terminal.note(`No ${list.noun}.`);
      else if (cursor !== undefined) terminal.note(`The first ${count} ${list.noun}. More with --limit N or --all.`);
    },
  };
}

/** A single page is passed through as it came. Several become one document of the same form, written as they arrive. */
function jsonPrinter<Item>({ terminal }: Invocation, list: Shown<Item>): Printer<Item> {
  let written = 0;
  return {
    page: (text, items, isLast) => {
      if (written === 0 && isLast) terminal.printRaw(text);
      else {
        if (written === 0) terminal.printRaw(`{"${list.key}":[`);
        else if (items.length > 0) terminal.printRaw(',');
        terminal.printRaw(itemsText(text, list.key));
      }
      written += 1;
    },
    end: (_count, cursor) => {
      terminal.print(written > 1 ? `],"NextCursor":${cursor === undefined ? 'null' : JSON.stringify(cursor)}}` : '');
    },
  };
}

/** Node 24 has it; the library of TypeScript does not say so yet. */
export const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object };
const keepSpelling = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value;

/** The text between the brackets of `text[key]`, every number spelled as it came. */
export function itemsText(text: string, key: string): string {
  const page = JSON.parse(text, keepSpelling) as Record<string, unknown>;
  return JSON.stringify(page[key] ?? []).slice(1, -1);
}

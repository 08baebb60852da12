import type { AnswerOf, Operation } from '../contract/operation.ts';
import { type Given, queryText, type Service } from './client.ts';
import { type Invocation, type Options, refuseBoth, wholeNumber } from './command.ts';
import { EXIT, type ExitCode } from './failure.ts';
import type { JsonView } from './json-view.ts';
import { saveDownload, sizeText } from './save-download.ts';
import { type Column, tablePrinter } from './table.ts';

export const PAGING: Options = {
  limit: { value: 'N', help: 'how many to show (50)' },
  all: { help: 'show all of them' },
  cursor: { value: 'CURSOR', help: 'go on after an earlier page: its NextCursor' },
};

/** For lists that have a `csvPath`. */
export const CSV_OPTION: Options = {
  csv: { value: 'FILE', help: 'write all of them as CSV, for a spreadsheet, into this file (- is standard output)' },
};

const DEFAULT_LIMIT = 50;
const LARGEST_PAGE = 200;

/** A cursor-paged list: how a page is read, and how its items are shown. */
interface Pages<Item> {
  readonly read: (query: { readonly Limit: number; readonly Cursor?: string }) => Promise<Page<Item>>;
  /** The key of the answer that holds the items. */
  readonly key: string;
  readonly noun: string;
  readonly columns: readonly Column<Item>[];
}

interface Page<Item> {
  readonly text: string;
  readonly items: readonly Item[];
  readonly cursor: string | undefined;
}

type Listed<O extends Operation, Key extends keyof AnswerOf<O>> = AnswerOf<O>[Key] extends readonly (infer Item)[]
  ? Item
  : never;

/** Shows a list of the contract. */
export function printListOf<O extends Operation, Key extends keyof AnswerOf<O> & string>(
  invocation: Invocation,
  service: Service,
  operation: O,
  list: {
    readonly given: Given<O>;
    readonly key: Key;
    readonly noun: string;
    readonly columns: readonly Column<Listed<O, Key>>[];
    /** Where the same is as a table for spreadsheets. */
    readonly csvPath?: string;
  },
): Promise<ExitCode> {
  const { given, csvPath, ...shown } = list;
  const file = invocation.text('csv');
  if (file !== undefined && csvPath !== undefined) {
    return saveCsv(invocation, service, { csvPath, query: given.query ?? {}, noun: list.noun }, file);
  }
  return printPages<Listed<O, Key>>(invocation, {
    ...shown,
    read: async (query) => {
      const { value, text } = await service.call(operation, { ...given, query: { ...given.query, ...query } });
      const page = value as { readonly NextCursor: string | null } & Record<Key, readonly Listed<O, Key>[]>;
      return { text, items: page[list.key], cursor: page.NextCursor ?? undefined };
    },
  });
}

export interface List {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly key: string;
  readonly noun: string;
  readonly columns: readonly Column<JsonView>[];
  /** Where the same is as a table for spreadsheets. */
  readonly csvPath?: string;
}

/** Shows a list that is not in the contract yet. */
export async function printList(invocation: Invocation, service: Service, list: List): Promise<ExitCode> {
  const file = invocation.text('csv');
  if (file !== undefined && list.csvPath !== undefined) {
    return saveCsv(invocation, service, { ...list, csvPath: list.csvPath }, file);
  }
  return printPages(invocation, {
    ...list,
    read: async ({ Limit, Cursor }) => {
      const path = `${list.path}${queryText({ ...list.query, Limit: String(Limit), Cursor })}`;
      const { text, view } = await service.send('GET', path);
      return { text, items: view().list(list.key), cursor: view().optional('NextCursor') };
    },
  });
}

/** Shows a list page by page as it arrives, however long it is: nothing but a page is held in memory. */
async function printPages<Item>(invocation: Invocation, list: Pages<Item>): Promise<ExitCode> {
  refuseBoth(invocation, 'limit', 'all');
  const { terminal } = invocation;
  const wanted = invocation.isSet('all')
    ? Number.POSITIVE_INFINITY
    : (wholeNumber(invocation, 'limit', 1) ?? DEFAULT_LIMIT);
  const printer = invocation.isSet('json') ? jsonPrinter(invocation, list) : rowPrinter(invocation, list);
  let cursor = invocation.text('cursor');
  let count = 0;
  do {
    const limit = Math.min(LARGEST_PAGE, wanted - count);
    const page = await list.read({ Limit: limit, ...(cursor === undefined ? {} : { Cursor: cursor }) });
    count += page.items.length;
    cursor = page.cursor;
    printer.page(page.text, page.items, cursor === undefined || count >= wanted);
    if (cursor !== undefined && terminal.output.isTTY !== true) terminal.progress(`${count} ${list.noun} …`);
  } while (cursor !== undefined && count < wanted);
  terminal.endProgress();
  printer.end(count, cursor);
  return EXIT.done;
}

async function saveCsv(
  invocation: Invocation,
  service: Service,
  list: { readonly csvPath: string; readonly query: object; readonly noun: string },
  file: string,
): Promise<ExitCode> {
  for (const option of ['limit', 'cursor']) refuseBoth(invocation, 'csv', option);
  const { terminal } = invocation;
  const bytes = await saveDownload(terminal, service.download(`${list.csvPath}${queryText(list.query)}`), file);
  if (file === '-') return EXIT.done;
  terminal.print(
    invocation.isSet('json')
      ? JSON.stringify({ File: file, Bytes: bytes })
      : `${file}: ${sizeText(bytes)} of ${list.noun}.`,
  );
  return EXIT.done;
}

interface Printer<Item> {
  readonly page: (text: string, items: readonly Item[], isLast: boolean) => void;
  readonly end: (count: number, cursor: string | undefined) => void;
}

function rowPrinter<Item>({ terminal }: Invocation, list: Pages<Item>): Printer<Item> {
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
function jsonPrinter<Item>({ terminal }: Invocation, list: Pages<Item>): Printer<Item> {
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
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object };
const keepSpelling = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value;

/** The text between the brackets of `text[key]`, every number spelled as it came. */
export function itemsText(text: string, key: string): string {
  const page = JSON.parse(text, keepSpelling) as Record<string, unknown>;
  return JSON.stringify(page[key] ?? []).slice(1, -1);
}

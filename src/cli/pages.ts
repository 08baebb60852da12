import type { Service } from './client.ts';
import { type Invocation, type Options, refuseBoth, wholeNumber } from './command.ts';
import { EXIT, type ExitCode } from './failure.ts';
import { itemsText, type JsonView } from './json-view.ts';
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

export interface List {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The key of the answer that holds the items. */
  readonly key: string;
  readonly noun: string;
  readonly columns: readonly Column<JsonView>[];
  /** Where the same is as a table for spreadsheets. */
  readonly csvPath?: string;
}

/** Shows a cursor-paged list page by page as it arrives, however long it is: nothing but a page is held in memory. */
export async function printList(invocation: Invocation, service: Service, list: List): Promise<ExitCode> {
  refuseBoth(invocation, 'limit', 'all');
  const file = invocation.text('csv');
  if (file !== undefined && list.csvPath !== undefined) return saveCsv(invocation, service, list, file);
  const { terminal } = invocation;
  const wanted = invocation.isSet('all')
    ? Number.POSITIVE_INFINITY
    : (wholeNumber(invocation, 'limit', 1) ?? DEFAULT_LIMIT);
  const printer = invocation.isSet('json') ? jsonPrinter(invocation, list) : rowPrinter(invocation, list);
  let cursor = invocation.text('cursor');
  let count = 0;
  do {
    const limit = Math.min(LARGEST_PAGE, wanted - count);
    const page = await service.send(
      'GET',
      `${list.path}${queryText({ ...list.query, Limit: String(limit), Cursor: cursor })}`,
    );
    const view = page.view();
    const items = view.list(list.key);
    count += items.length;
    cursor = view.optional('NextCursor');
    printer.page(page.text, items, cursor === undefined || count >= wanted);
    if (cursor !== undefined && !process.stdout.isTTY) terminal.progress(`${count} ${list.noun} …`);
  } while (cursor !== undefined && count < wanted);
  terminal.endProgress();
  printer.end(count, cursor);
  return EXIT.done;
}

async function saveCsv(invocation: Invocation, service: Service, list: List, file: string): Promise<ExitCode> {
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

interface Printer {
  readonly page: (text: string, items: readonly JsonView[], isLast: boolean) => void;
  readonly end: (count: number, cursor: string | undefined) => void;
}

function rowPrinter({ terminal }: Invocation, list: List): Printer {
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
function jsonPrinter({ terminal }: Invocation, list: List): Printer {
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

export function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

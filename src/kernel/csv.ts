/**
 * Lines of a CSV file (RFC 4180) that spreadsheets open too, so no text from outside may become a formula there: text
 * that a spreadsheet would take for one gets an apostrophe before it. Plain numbers, also negative ones, stay numbers.
 */

/** Excel takes the file for UTF-8 only with a byte order mark. */
export const CSV_START = '\uFEFF';

const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** With the wide forms, which some spreadsheets take for the narrow ones. */
const SIGNS = '=+\\-@\uFF1D\uFF0B\uFF0D\uFF20';
const AT_START = new RegExp(`^(?=\\s*[${SIGNS}]|[\\t\\r\\n])`);
/** Where a spreadsheet that parts cells at semicolons or tabs would see a cell begin. */
const AFTER_BREAK = new RegExp(`(?<=[;\\t\\r\\n])(?=[${SIGNS}]\\S)`, 'g');

export type CsvCell = string | number | null | undefined;

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: CsvCell): string {
  const text = String(cell ?? '');
  if (text === '' || NUMBER.test(text)) return text;
  const harmless = text.replace(AT_START, "'").replaceAll(AFTER_BREAK, "'");
  return /[",;\t\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export interface CsvRow {
  /** Where it begins in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * The rows of a CSV file, as spreadsheets write them: cells parted by commas, or by semicolons where the first line has only
 * those; cells in quotes may have line breaks, and a quote that is never closed is a letter. Rows without any text are left out.
 */
export function readCsv(text: string): CsvRow[] {
  const plain = text.startsWith(CSV_START) ? text.slice(1) : text;
  const first = plain.slice(0, /\r?\n/.exec(plain)?.index);
  const separator = first.includes(';') && !first.includes(',') ? ';' : ',';
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"[^\\S\\r\\n]*|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\n|\\r|$)`,
    'y',
  );
  const rows: CsvRow[] = [];
  let [line, begin, cells]: [number, number, string[]] = [1, 1, []];
  while (cell.lastIndex < plain.length) {
    const [whole = '', quoted, bare = '', end] = cell.exec(plain) ?? [];
    cells.push((quoted?.replaceAll('""', '"') ?? bare).trim());
    line += whole.split('\n').length - 1;
    if (end === separator && cell.lastIndex < plain.length) continue;
    if (cells.some((text) => text !== '')) rows.push({ line: begin, cells });
    [begin, cells] = [line, []];
  }
  return rows;
}

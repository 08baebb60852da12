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

export function csvLine(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: string | number | null | undefined): string {
  const text = String(cell ?? '');
  if (text === '' || NUMBER.test(text)) return text;
  const harmless = text.replace(AT_START, "'").replaceAll(AFTER_BREAK, "'");
  return /[",;\t\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

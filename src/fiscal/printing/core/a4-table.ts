import { type A4Sheet, LEFT, RIGHT } from './a4-sheet.ts';
import { type TableColumn, titleLines } from './invoice-table.ts';
import type { PrintedLine } from './printed-document.ts';

const TEXT = 8.5;
const HEAD = 7.5;
const LINE_HEIGHT = 11;
const GAP = 8;
const DESCRIPTION = 1;
const NARROWEST = 34;
const NARROWEST_DESCRIPTION = 110;
/** What another column takes at most: the first of these that leaves the description its room. Longer numbers are wrapped. */
const WIDEST = [110, 84, 68, 58];

/** The lines of an invoice. The head is repeated on every page; a line is never torn apart by the end of one. */
export function drawTable(sheet: A4Sheet, columns: readonly TableColumn[], lines: readonly PrintedLine[]): void {
  const cells = lines.map((line) => columns.map((column) => column.value(line)));
  const widths = columnWidths(sheet, columns, cells);
  const places = widths.map(
    (_width, index) => LEFT + 4 + widths.slice(0, index).reduce((sum, one) => sum + one + GAP, 0),
  );
  drawTableHead(sheet, columns, widths, places);
  for (const row of cells) {
    const wrapped = row.map((text, index) => sheet.wrap(text, widths[index] ?? 0, TEXT));
    const height = Math.max(...wrapped.map((parts) => parts.length)) * LINE_HEIGHT + 5;
    if (sheet.need(height)) drawTableHead(sheet, columns, widths, places);
    wrapped.forEach((parts, index) => {
      drawCell(sheet, parts, columns[index], places[index] ?? 0, widths[index] ?? 0, sheet.y + 10, TEXT);
    });
    sheet.y += height;
  }
  sheet.line(sheet.y + 1);
  sheet.y += 4;
}

function drawTableHead(
  sheet: A4Sheet,
  columns: readonly TableColumn[],
  widths: readonly number[],
  places: readonly number[],
): void {
  const titles = columns.map((column, index) =>
    titleLines(column).flatMap((line) => sheet.wrap(line, widths[index] ?? 0, HEAD, 'bold')),
  );
  const height = Math.max(...titles.map((parts) => parts.length)) * 10 + 8;
  sheet.shade(LEFT, sheet.y, RIGHT - LEFT, height);
  titles.forEach((parts, index) => {
    drawCell(sheet, parts, columns[index], places[index] ?? 0, widths[index] ?? 0, sheet.y + 12, HEAD, 'bold');
  });
  sheet.y += height + 3;
}

function drawCell(
  sheet: A4Sheet,
  parts: readonly string[],
  column: TableColumn | undefined,
  x: number,
  width: number,
  top: number,
  size: number,
  font: 'regular' | 'bold' = 'regular',
): void {
  const isNumber = column?.isNumber ?? false;
  parts.forEach((part, line) => {
    const y = top + line * (size === HEAD ? 10 : LINE_HEIGHT);
    sheet.text(part, { x: isNumber ? x + width : x, y, size, font, align: isNumber ? 'right' : 'left' });
  });
}

/** As wide as their widest content, within bounds; the description takes what is left. */
function columnWidths(
  sheet: A4Sheet,
  columns: readonly TableColumn[],
  cells: readonly (readonly string[])[],
): number[] {
  const wanted = columns.map((column, index) => {
    const words = titleLines(column).map((word) => sheet.measure(word, 'bold', HEAD));
    const contents = cells.map((row) => sheet.measure(row[index] ?? '', 'regular', TEXT));
    return Math.ceil(contents.reduce((most, one) => Math.max(most, one), Math.max(...words)));
  });
  const room = RIGHT - LEFT - 8 - GAP * (columns.length - 1);
  let widths: number[] = [];
  for (const widest of WIDEST) {
    widths = wanted.map((width) => Math.min(widest, Math.max(NARROWEST, width)));
    widths[DESCRIPTION] = 0;
    widths[DESCRIPTION] = room - widths.reduce((sum, width) => sum + width, 0);
    if (widths[DESCRIPTION] >= NARROWEST_DESCRIPTION) break;
  }
  return widths;
}

import { columnsOf, padLeft, padRight, wrapText } from './columns.ts';
import { invoiceColumns, paymentFacts, subtotals, taxTable, titleLines } from './invoice-table.ts';
import type { Fact, Party, PrintedDocument } from './printed-document.ts';

const COLUMNS = 96;
const HALF = 46;
const RULE = '-'.repeat(COLUMNS);

/** An A4 invoice as plain text of at most 96 columns, which a page holds in the usual type. */
export function a4Text(document: PrintedDocument): string {
  const { seller, buyer, original, verification, note, footer } = document;
  const lines = [
    ...sideBySide(
      [document.title],
      [`Verification code: ${verification.code}`, verification.text, ...wrapText(verification.url, HALF)],
    ),
    RULE,
    ...sideBySide(partyLines('SELLER', seller), buyer === undefined ? [] : partyLines('BUYER', buyer)),
    RULE,
    ...sideBySide(
      document.facts.flatMap(factLines),
      original === undefined ? [] : [original.label, ...original.facts.flatMap(factLines)],
    ),
    RULE,
    ...tableLines(document),
    RULE,
    ...subtotals(document).map(sumLine),
    sumLine({ label: document.totalLabel, value: document.total }),
    ...paymentFacts(document).map(sumLine),
    sumLine({ label: 'Number of items', value: document.itemCount }),
    ...taxLines(document),
    ...paragraph(note),
    ...paragraph(footer),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function sideBySide(left: readonly string[], right: readonly string[]): string[] {
  return Array.from(
    { length: Math.max(left.length, right.length) },
    (_unused, index) => padRight(left[index] ?? '', COLUMNS - HALF) + (right[index] ?? ''),
  );
}

function partyLines(label: string, { name, lines }: Party): string[] {
  return [label, ...[name, ...lines].flatMap((line) => wrapText(line, HALF))];
}

function factLines({ label, value }: Fact): string[] {
  const [first = '', ...rest] = wrapText(value, HALF - 23);
  return [padRight(`${label}:`, 23) + first, ...rest.map((line) => padRight('', 23) + line)];
}

const sumLine = ({ label, value }: Fact): string => padLeft(label, COLUMNS - 24) + padLeft(value, 24);

/** Numbers as wide as they are; the description takes what is left. */
function tableLines(document: PrintedDocument): string[] {
  const columns = invoiceColumns(document);
  const cells = document.lines.map((line) => columns.map((column) => column.value(line)));
  const heads = columns.map(titleLines);
  const widths = heads.map((head, index) =>
    [...head, ...cells.map((row) => row[index] ?? '')].reduce((most, text) => Math.max(most, columnsOf(text)), 0),
  );
  widths[1] = Math.max(
    20,
    COLUMNS - 2 * (columns.length - 1) - widths.reduce((sum, one, at) => (at === 1 ? sum : sum + one), 0),
  );
  const rowLines = (row: readonly (readonly string[])[]): string[] =>
    Array.from({ length: Math.max(...row.map((cell) => cell.length)) }, (_unused, line) =>
      row
        .map((cell, index) => (columns[index]?.isNumber ? padLeft : padRight)(cell[line] ?? '', widths[index] ?? 0))
        .join('  '),
    );
  return [
    ...rowLines(heads),
    RULE,
    ...cells.flatMap((row) =>
      rowLines(row.map((text, index) => (index === 1 ? wrapText(text, widths[1] ?? 20) : [text]))),
    ),
  ];
}

function taxLines(document: PrintedDocument): string[] {
  const table = taxTable(document);
  if (table.length === 0) return [];
  return [
    RULE,
    ...table.map(([rate = '', ...amounts]) => padRight(rate, 12) + amounts.map((one) => padLeft(one, 22)).join('')),
  ];
}

function paragraph(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [RULE, ...lines.flatMap((line) => wrapText(line, COLUMNS))];
}

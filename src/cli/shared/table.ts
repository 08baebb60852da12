import { type Terminal, widthOf } from './terminal.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
}

/** Also `15.5 %` and `2 of 3`; nothing stands with them. */
const NUMBER = /^(?:-?\d[\d.]*(?: %| of \d+)?|–)$/;

const isNumeric = (texts: readonly string[]) =>
  texts.every((text) => NUMBER.test(text)) && texts.some((text) => /\d/.test(text));

/**
 * Prints rows under aligned columns, numbers to the right. Further rows may follow in a later call: a column grows, it never shrinks,
 * and the first rows say what is a number.
 */
export function tablePrinter<Row>(terminal: Terminal, columns: readonly Column<Row>[]): (rows: readonly Row[]) => void {
  const widths = columns.map((column) => column.title.length);
  let numbers: readonly boolean[] | undefined;
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => {
        const padding = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell)));
        return numbers?.[index] ? padding + cell : cell + padding;
      })
      .join('  ')
      .trimEnd();
  return (rows) => {
    const cells = rows.map((row) => columns.map((column) => column.value(row)));
    for (const row of cells) {
      for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
    }
    if (numbers === undefined) {
      numbers = columns.map((_column, index) => isNumeric(cells.map((row) => row[index] ?? '')));
      terminal.print(terminal.dim(line(columns.map((column) => column.title))));
    }
    for (const row of cells) terminal.print(line(row));
  };
}

export type Fact = readonly [label: string, value: string | undefined];

/** `Label  value` lines for one thing; what has no value is left out. A value of several lines stays in its column. */
export function printFacts(terminal: Terminal, facts: readonly Fact[]): void {
  const shown = facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined);
  const width = Math.max(...shown.map(([label]) => label.length));
  for (const [label, value] of shown) {
    const [first = '', ...rest] = value.split('\n');
    terminal.print(`${terminal.dim(label.padEnd(width))}  ${first}`.trimEnd());
    for (const more of rest) terminal.print(`${' '.repeat(width)}  ${more}`);
  }
}

import { columnsOf, wrapText } from './columns.ts';
import { PAPER_COLUMNS, type PaperRow } from './paper-row.ts';
import type { Fact } from './printed-document.ts';

export const RULE: PaperRow = { kind: 'rule' };
export const BLANK: PaperRow = { kind: 'blank' };

export function leftRows(text: string, isBold = false): PaperRow[] {
  return wrapText(text, PAPER_COLUMNS).map((left) => ({ kind: 'text', left, right: '', isBold }));
}

/** A remark under the line before it; none when there is nothing to say. */
export function indentedRows(text: string): PaperRow[] {
  if (text === '') return [];
  return wrapText(text, PAPER_COLUMNS - 2).map((line) => ({
    kind: 'text',
    left: `  ${line}`,
    right: '',
    isBold: false,
  }));
}

export function centreRows(text: string, isBold = false): PaperRow[] {
  return wrapText(text, PAPER_COLUMNS).map((line) => ({ kind: 'centre', text: line, isBold }));
}

/** Label at the left, value at the right; below it where both do not fit on one line. */
export function factRows({ label, value }: Fact, isBold = false): PaperRow[] {
  if (columnsOf(label) + 1 + columnsOf(value) <= PAPER_COLUMNS) {
    return [{ kind: 'text', left: label, right: value, isBold }];
  }
  return [
    ...leftRows(label, isBold),
    ...wrapText(value, PAPER_COLUMNS).map((right): PaperRow => ({ kind: 'text', left: '', right, isBold })),
  ];
}

/** A name that may take several lines, with an amount at the right of the first. */
export function itemRows(name: string, amount: string, isBold = false): PaperRow[] {
  const room = PAPER_COLUMNS - 2 - Math.max(10, columnsOf(amount));
  return wrapText(name, room).map((left, index) => ({ kind: 'text', left, right: index === 0 ? amount : '', isBold }));
}

/** Blocks with a rule between each two; empty blocks leave no trace. */
export function withRules(blocks: readonly (readonly PaperRow[])[]): PaperRow[] {
  return blocks.filter((block) => block.length > 0).flatMap((block, index) => (index === 0 ? block : [RULE, ...block]));
}

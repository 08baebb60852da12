import { columnsOf, type Measure, wrapText } from './columns.ts';
import type { Fact } from './printed-document.ts';

/** What one line of a till roll shows. Text rows fit their columns; how a picture looks is up to the printer. */
export const PAPER_COLUMNS = 48;

export type PaperRow =
  | { readonly kind: 'text'; readonly left: string; readonly right: string; readonly isBold: boolean }
  | { readonly kind: 'centre'; readonly text: string; readonly isBold: boolean }
  | { readonly kind: 'rule' }
  | { readonly kind: 'blank' }
  | { readonly kind: 'logo' }
  | { readonly kind: 'qr'; readonly content: string };

const RULE: PaperRow = { kind: 'rule' };
export const BLANK: PaperRow = { kind: 'blank' };

/**
 * Texts as rows that fit the paper. `measure` says how many columns a text takes: by the rules of terminals, or as wide as
 * it will be drawn.
 */
export function rowMaker(measure: Measure = columnsOf) {
  const wrapped = (text: string, columns = PAPER_COLUMNS) => wrapText(text, columns, measure);

  const leftRows = (text: string, isBold = false): PaperRow[] =>
    wrapped(text).map((left) => ({ kind: 'text', left, right: '', isBold }));

  /** A remark under the line before it; none when there is nothing to say. */
  const indentedRows = (text: string): PaperRow[] => {
    if (text === '') return [];
    return wrapped(text, PAPER_COLUMNS - 2).map((line) => ({
      kind: 'text',
      left: `  ${line}`,
      right: '',
      isBold: false,
    }));
  };

  const centreRows = (text: string, isBold = false): PaperRow[] =>
    wrapped(text).map((line) => ({ kind: 'centre', text: line, isBold }));

  /** Label at the left, value at the right; below it where both do not fit on one line. */
  const factRows = ({ label, value }: Fact, isBold = false): PaperRow[] => {
    if (measure(label) + 1 + measure(value) <= PAPER_COLUMNS) {
      return [{ kind: 'text', left: label, right: value, isBold }];
    }
    return [
      ...leftRows(label, isBold),
      ...wrapped(value).map((right): PaperRow => ({ kind: 'text', left: '', right, isBold })),
    ];
  };

  /** A name that may take several lines, with an amount at the right of the first. */
  const itemRows = (name: string, amount: string, isBold = false): PaperRow[] => {
    const room = PAPER_COLUMNS - 2 - Math.max(10, measure(amount));
    return wrapped(name, room).map((left, index) => ({
      kind: 'text',
      left,
      right: index === 0 ? amount : '',
      isBold,
    }));
  };

  return { leftRows, indentedRows, centreRows, factRows, itemRows };
}

/** Blocks with a rule between each two; empty blocks leave no trace. */
export function withRules(blocks: readonly (readonly PaperRow[])[]): PaperRow[] {
  return blocks.filter((block) => block.length > 0).flatMap((block, index) => (index === 0 ? block : [RULE, ...block]));
}

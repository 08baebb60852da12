import { columnsOf } from './columns.ts';
import { type FontName, fitLogo, type LogoSize, type Page, type PageItem } from './page.ts';
import { PAPER_COLUMNS, type PaperRow } from './paper-rows.ts';

/** 80 mm paper of which 72 mm are printed on, as by the usual receipt printer. */
const MM = 72 / 25.4;
const WIDTH = 80 * MM;
const PRINTED = 72 * MM;
const LEFT = (WIDTH - PRINTED) / 2;
const RIGHT = LEFT + PRINTED;
/** In parts of its size: a letter of DejaVu Sans Mono is 1233 of 2048 units wide. */
export const COLUMN_WIDTH = 1233 / 2048;
const COLUMN = PRINTED / PAPER_COLUMNS;
const FONT_SIZE = COLUMN / COLUMN_WIDTH;
const ROW_HEIGHT = 9.2;
/** 30 dots of an eighth of a millimetre: what printers leave from line to line unless told otherwise. */
const LINE_HEIGHT = 3.75 * MM;
const MARGIN = 14;
const QR_SIZE = 34 * MM;
const LOGO_FRAME = { width: 50 * MM, height: 24 * MM };
/** PDF knows no page longer than 14,400 points. */
const MAX_PAGE = 14_000;

/** One row without the margins of the paper, as high as a line of a receipt printer. */
export function rowPage(row: PaperRow): Page {
  const { items } = drawRow(row, 0, undefined);
  const moved = items.map((item) => (item.kind === 'text' ? { ...item, x: item.x - LEFT } : item));
  return { width: PRINTED, height: LINE_HEIGHT, items: moved };
}

/** Rows on a page as long as it takes: a till roll. Only thousands of rows make a second one. */
export function rollPages(rows: readonly PaperRow[], logo: LogoSize | undefined): Page[] {
  const pages: Page[] = [];
  let items: PageItem[] = [];
  let y = MARGIN;
  const endPage = () => {
    pages.push({ width: WIDTH, height: y + MARGIN, items });
    items = [];
    y = MARGIN;
  };
  for (const row of rows) {
    const drawn = drawRow(row, y, logo);
    if (y + drawn.height > MAX_PAGE) {
      endPage();
      items.push(...drawRow(row, y, logo).items);
    } else items.push(...drawn.items);
    y += drawn.height;
  }
  endPage();
  return pages;
}

function drawRow(row: PaperRow, y: number, logo: LogoSize | undefined): { items: PageItem[]; height: number } {
  const baseline = y + 7.2;
  const text = (font: FontName, words: string, align: 'left' | 'middle' | 'right', beside = ''): PageItem => {
    const x = align === 'left' ? LEFT : align === 'right' ? RIGHT : WIDTH / 2;
    const room = PRINTED - (beside === '' ? 0 : columnsOf(beside) + 1) * COLUMN;
    return { kind: 'text', x, baseline, text: words, font, size: FONT_SIZE, align, room };
  };
  switch (row.kind) {
    case 'blank':
      return { items: [], height: ROW_HEIGHT / 2 };
    case 'rule':
      return { items: [{ kind: 'line', x: LEFT, y: y + 4.4, toX: RIGHT, isDashed: true }], height: 7.8 };
    case 'qr':
      return {
        items: [{ kind: 'qr', x: (WIDTH - QR_SIZE) / 2, y: y + 4, size: QR_SIZE, content: row.content }],
        height: QR_SIZE + 8,
      };
    case 'logo': {
      if (logo === undefined) return { items: [], height: 0 };
      const { width, height } = fitLogo(logo, LOGO_FRAME.width, LOGO_FRAME.height);
      return { items: [{ kind: 'logo', x: (WIDTH - width) / 2, y, width, height }], height: height + 6 };
    }
    case 'centre':
      return { items: [text(row.isBold ? 'monoBold' : 'mono', row.text, 'middle')], height: ROW_HEIGHT };
    case 'text': {
      const font = row.isBold ? 'monoBold' : 'mono';
      const sides = [text(font, row.left, 'left', row.right), text(font, row.right, 'right', row.left.trimEnd())];
      return { items: sides.filter((item) => item.kind === 'text' && item.text !== ''), height: ROW_HEIGHT };
    }
  }
}

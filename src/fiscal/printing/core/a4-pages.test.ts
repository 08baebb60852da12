import { describe, expect, test } from 'vitest';
import {
  exclusiveReceipt,
  fullReceipt,
  noteReceipt,
  ORIGINAL,
  printInput,
} from '../../../../test/support/printing/print-input.ts';
import { a4Pages } from './a4-pages.ts';
import { a4Text } from './a4-text.ts';
import { columnsOf } from './columns.ts';
import type { MeasureText, Page, TextItem } from './page.ts';
import type { PrintInput } from './printed-document.ts';
import { receiptDocument } from './receipt-document.ts';

/** Letters of one width: layout does not depend on the font. */
const measure: MeasureText = (text, _font, size) => columnsOf(text) * size * 0.52;
const pagesOf = (input: PrintInput) =>
  a4Pages(receiptDocument(input, 'InvoiceA4'), { width: 300, height: 90 }, measure);
const textsOf = (page: Page | undefined) =>
  (page?.items ?? []).filter((item): item is TextItem => item.kind === 'text');
const wordsOf = (pages: readonly Page[]) => pages.flatMap(textsOf).map((item) => item.text);

describe('an A4 invoice shows', () => {
  const inclusive = wordsOf(pagesOf(printInput(fullReceipt)));
  const exclusive = wordsOf(pagesOf(printInput(exclusiveReceipt)));
  const note = wordsOf(pagesOf(printInput(noteReceipt, { original: ORIGINAL, footer: 'Thank you!' })));

  test.each([
    ['[2] legal name', 'Baobab Trading (Pvt) Ltd'],
    ['[3] TIN', 'TIN: 2000000001'],
    ['[4] VAT number', 'VAT No: 220000001'],
    ['[6] address', '45 King George Road'],
    ['[9] title', 'FISCAL TAX INVOICE'],
    ['[10] label of the buyer', 'BUYER'],
    ['[11] name of the buyer', 'Mukuvisi Hardware (Pvt) Ltd'],
    ['[17][18] both numbers', '31/4711'],
    ['[19] fiscal day', '12'],
    ['[20] reference', 'INV-000148'],
    ['[21] serial number', 'SN-1001'],
    ['[22] device', 'Fiscal device ID'],
    ['[23] date', '15/11/26 18:48'],
    ['[29] HS code', '07020000'],
    ['[30] discount', 'Discount: Loyalty'],
    ['[31] quantity', '0.555'],
    ['[32] unit price', '1,081.081081'],
    ['[33.1] total of a line', '15,000.00'],
    ['[34.1] VAT of a line, out of it', '2,012.99'],
    ['[34.1] VAT of a zero-rated line', '0.00'],
    ['[34.1] VAT of an exempt line', '-'],
    ['[41][44] VAT per rate', 'Total 15.5% VAT'],
    ['[35][36] total', 'Invoice total, USD'],
    ['[46] code', 'A8D5-829E-65A4-CE23'],
    ['[48] how to verify', 'You can verify this receipt manually at'],
    ['[48] where', 'https://verify.example.com'],
  ])('%s', (_element, expected) => {
    expect(inclusive).toContain(expected);
  });

  test('with tax in the lines: their columns, and no total without tax', () => {
    expect(inclusive).toEqual(expect.arrayContaining(['Price', '(incl. tax)', 'VAT', 'Total amount']));
    expect(inclusive).not.toContain('Total (excl. tax)');
  });

  test('without tax in the lines: amount, tax on top of it and total of each', () => {
    expect(exclusive).toEqual(expect.arrayContaining(['Price', '(excl. tax)', 'Amount', '200.00', '31.00', '231.00']));
    expect(exclusive).toEqual(expect.arrayContaining(['Total (excl. tax)', '180.00', '27.90', '207.90']));
  });

  test('of a note: its original, its reason and negative amounts', () => {
    expect(note).toEqual(
      expect.arrayContaining([
        'CREDITED INVOICE',
        'SN-0999',
        '4700',
        '14/11/26 09:05',
        'INV-000147',
        'Returned unopened',
      ]),
    );
    expect(note).toEqual(expect.arrayContaining(['Credit note total, USD', '-3.50', '-0.47', 'Thank you!']));
  });

  test('of who pays no VAT: no column of it', () => {
    const { seller } = printInput(fullReceipt);
    const words = wordsOf(pagesOf(printInput(fullReceipt, { seller: { ...seller, vatNumber: undefined } })));
    expect(words).toContain('FISCAL INVOICE');
    expect(words.filter((word) => /VAT|tax/.test(word))).toEqual(['VAT No: 220987654']);
  });
});

describe('two hundred lines', () => {
  const long = {
    ...fullReceipt,
    ReceiptLines: Array.from({ length: 200 }, (_unused, index) => ({
      ...fullReceipt.ReceiptLines[index % 4],
      Name: `Article ${index} ${'of a long name '.repeat(index % 9)}`,
    })),
  };
  const pages = pagesOf(printInput(long));

  test('take several pages, each with its number and the head of the table', () => {
    expect(pages.length).toBeGreaterThan(4);
    pages.slice(0, -1).forEach((page, index) => {
      const words = textsOf(page).map((item) => item.text);
      expect(words).toContain(`Page ${index + 1} of ${pages.length}`);
      expect(words).toContain('Description');
    });
  });

  test('are all there, in order, and nothing leaves its page', () => {
    const articles = wordsOf(pages).flatMap((word) => /^(?:Discount: )?Article (\d+)/.exec(word)?.[1] ?? []);
    expect(articles.map(Number)).toEqual(Array.from({ length: 200 }, (_unused, index) => index));
    for (const page of pages) {
      for (const { text, x, baseline, size, align, font } of textsOf(page)) {
        const width = measure(text, font, size);
        const left = align === 'right' ? x - width : align === 'middle' ? x - width / 2 : x;
        expect(left, text).toBeGreaterThanOrEqual(40);
        expect(left + width, text).toBeLessThanOrEqual(page.width - 40);
        expect(baseline, text).toBeLessThanOrEqual(page.height - 20);
      }
    }
  });

  test('never print one text over another', () => {
    for (const page of pages) {
      const rows = Map.groupBy(textsOf(page), (item) => Math.round(item.baseline));
      for (const items of rows.values()) {
        const spans = items
          .map(({ text, x, size, align, font }) => {
            const width = measure(text, font, size);
            return align === 'right' ? [x - width, x] : [x, x + width];
          })
          .toSorted(([a = 0], [b = 0]) => a - b);
        const ends = [0, ...spans.map(([, end = 0]) => end)];
        for (const [index, [start = 0]] of spans.entries()) expect(start).toBeGreaterThanOrEqual(ends[index] ?? 0);
      }
    }
  });

  test('numbers of any length leave the description its room', () => {
    const price = { UnitPrice: 9999999999999.99, Quantity: 99999.999999, LineTotal: 9999999999999.99 };
    const wide = { ...exclusiveReceipt, ReceiptLines: [{ ...exclusiveReceipt.ReceiptLines[0], ...price }] };
    const texts = pagesOf(printInput(wide)).flatMap(textsOf);
    expect(texts.map((item) => item.text)).toContain('Chair');
    for (const { text, x, size, align, font } of texts) {
      if (align === 'right') expect(x - measure(text, font, size), text).toBeGreaterThan(40);
    }
  });

  test('as text stay within 96 columns', () => {
    const lines = a4Text(receiptDocument(printInput(long), 'InvoiceA4')).split('\n');
    expect(lines.length).toBeGreaterThan(200);
    for (const line of lines) expect(columnsOf(line), line).toBeLessThanOrEqual(96);
  });
});

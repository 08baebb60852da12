import { describe, expect, test } from 'vitest';
import { pdfLines } from '../../../../test/support/printing/pdf-text.ts';
import { fullReceipt, printInput } from '../../../../test/support/printing/print-input.ts';
import { receiptDocument } from '../core/receipt-document.ts';
import { drawContent } from './render-job.ts';
import { Typesetter } from './typesetter.ts';

const setter = (...texts: string[]) => Typesetter.prepare(['regular', 'bold'], texts, []);

/** Real goods and names; the parts that need care: conjuncts, stacked marks, joined letters. */
const SCRIPTS = [
  ['Latin with accents', 'Łódź phở Ọ̀ṣun Ẹ̀kọ́'],
  ['Greek, Cyrillic, Armenian, Georgian', 'Ωμέγα Москва Հայերեն ქართული'],
  ['Arabic', 'زيت زيتون پاکستان ٹماٹر'],
  ['Devanagari', 'आम का अचार ५०० ग्राम क्षत्रिय श्री।'],
  ['Gujarati', 'ગુજરાતી ક્ષેત્ર'],
  ['Chinese', '有机绿茶（特级）'],
] as const;

describe('every character has a font', () => {
  test.each(SCRIPTS)('%s', async (_name, text) => {
    const typesetter = await setter(text);
    expect(typesetter.covered(text)).toBe(text);
    for (const run of typesetter.runsOf(text, 'regular')) {
      if (run.kind === 'own') continue;
      expect(run.shaped.glyphs.length, run.text).toBeGreaterThan(0);
      // Glyph 0 is what a font draws for what it does not have.
      expect(
        run.shaped.glyphs.map(({ id }) => id),
        run.text,
      ).not.toContain(0);
    }
  });

  test.each([
    ['Tablet 𒀀 new', 'Tablet □ new'],
    ['ቡና 👨‍👩‍👧 tea', '□□ □ tea'],
  ])('and what none has is a box: %s', async (text, expected) => {
    expect((await setter(text)).covered(text)).toBe(expected);
  });
});

const shapedGlyphs = async (text: string) =>
  (await setter(text)).runsOf(text, 'regular').flatMap((run) => (run.kind === 'cut' ? run.shaped.glyphs : []));

describe('letters become what they are in their script', () => {
  test.each([['Devanagari conjuncts', 'क्ष', 1]])('%s: %s is one glyph', async (_name, text, count) => {
    expect(await shapedGlyphs(text)).toHaveLength(count);
  });

  test('Arabic letters are joined', async () => {
    const typesetter = await setter('بب ب');
    const [pair, , alone] = typesetter.runsOf('بب ب', 'regular').toReversed();
    if (pair?.kind !== 'cut' || alone?.kind !== 'cut') throw new Error('no font for Arabic');
    expect([pair.text, alone.text]).toEqual(['بب', 'ب']);
    expect(pair.shaped.width).toBeLessThan(alone.shaped.width * 1.6);
  });

  test('a vowel that is written before its consonant is drawn before it', async () => {
    const [both, alone] = [await shapedGlyphs('कि'), await shapedGlyphs('क')];
    expect(both).toHaveLength(2);
    expect(both.findIndex(({ id }) => id === alone[0]?.id)).not.toBe(0);
  });
});

const visual = async (text: string) => (await setter(text)).runsOf(text, 'regular').map((run) => run.text);

describe('writing from right to left', () => {
  test('numbers and Latin words keep their own direction inside it', async () => {
    expect(await visual('زيت 500 ml (بكر)')).toEqual(['(', 'بكر', ') ', 'ml', ' ', '500', ' ', 'زيت']);
  });

  test('inside Latin text only its own words are turned', async () => {
    expect(await visual('Tea شاي أخضر green')).toEqual(['Tea ', 'أخضر', ' ', 'شاي', ' green']);
  });
});

test('a document without other scripts is laid out as it was, by letters of our own', async () => {
  expect((await setter('Café Łódź')).runsOf('Café Łódź', 'regular')).toEqual([{ kind: 'own', text: 'Café Łódź' }]);
});

test.each(['roll', 'a4'] as const)(
  'in a PDF (%s) every name can be found and copied as it was written',
  async (kind) => {
    const names = SCRIPTS.map(([, text]) => text);
    const ReceiptLines = names.map((Name, index) => ({ ...fullReceipt.ReceiptLines[index % 2], Name }));
    const input = printInput({ ...fullReceipt, ReceiptLines, BuyerName: '北京百货' });
    const document = receiptDocument(input, kind === 'roll' ? 'Receipt48' : 'InvoiceA4');
    const outcome = await drawContent(
      { format: 'pdf', logo: undefined, date: new Date(0) },
      { kind, document, title: 'A receipt', author: 'A shop' },
    );
    const lines = pdfLines(Buffer.from(outcome.kind === 'rendered' ? outcome.bytes : []));
    for (const name of [...names, '北京百货']) {
      expect(
        lines.some((line) => line.includes(name)),
        `${name} in ${lines.join('\n')}`,
      ).toBe(true);
    }
  },
);

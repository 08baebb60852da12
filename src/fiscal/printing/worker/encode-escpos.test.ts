import { describe, expect, test } from 'vitest';
import { decodeQr } from '../../../../test/support/printing/decode-qr.ts';
import { type Paper, printOnPaper } from '../../../../test/support/printing/escpos-printer.ts';
import {
  exclusiveReceipt,
  fullReceipt,
  noteReceipt,
  ORIGINAL,
  printInput,
} from '../../../../test/support/printing/print-input.ts';
import type { PrintInput } from '../core/printed-document.ts';
import { receiptDocument } from '../core/receipt-document.ts';
import type { Logo } from '../store.ts';
import { CodePageWriter, isWritable } from './code-pages.ts';
import { encodeEscPos } from './encode-escpos.ts';
import { drawContent } from './render-job.ts';

const date = new Date('2026-11-15T16:48:09Z');

async function bytesOf(input: PrintInput, logo?: Logo): Promise<Uint8Array> {
  const drawing = { kind: 'roll', document: receiptDocument(input, 'Receipt48'), title: '', author: '' } as const;
  const outcome = await drawContent({ format: 'escpos', logo, date }, drawing);
  if (outcome.kind !== 'rendered') throw new Error(outcome.kind);
  return outcome.bytes;
}

/** The printer refuses what it does not know and lines beyond 48 columns. */
const paperOf = async (input: PrintInput): Promise<Paper> => printOnPaper(await bytesOf(input));

const trimmed = ({ lines }: Paper) => lines.map((line) => line.trim());

/** A phone is held over the QR code, not over two metres of paper. */
function endOf({ data, width, height }: Paper) {
  const rows = Math.min(height, 1200);
  return { data: data.subarray((height - rows) * width * 4), width, height: rows };
}

describe('on the paper of a receipt printer', () => {
  const receipt = printInput({ ...exclusiveReceipt, BuyerName: 'Café Ελλάς Москва Łódź €' });

  test('stands all of a receipt, in the letters of the printer itself, and the QR code scans', async () => {
    const paper = await paperOf(receipt);
    expect(trimmed(paper)).toEqual(
      expect.arrayContaining([
        'FISCAL TAX INVOICE',
        'BUYER',
        'Café Ελλάς Москва Łódź €',
        '-'.repeat(48),
        'Total USD                                 207.90',
        'A8D5-829E-65A4-CE23',
      ]),
    );
    expect(decodeQr(paper)).toBe(receipt.seal.qrContent);
    expect([paper.rasterCount, paper.cutCount]).toEqual([0, 1]);
  });

  test('stands a credit note with its original and negative amounts', async () => {
    const paper = await paperOf(printInput(noteReceipt, { original: ORIGINAL }));
    const text = trimmed(paper).join('\n');
    expect(text).toMatch(/CREDIT NOTE\n.*CREDITED INVOICE\nDevice Serial No: +SN-0999\n/s);
    expect(text).toMatch(/Total USD +-3\.50\n/);
    expect(decodeQr(paper)).toBe(receipt.seal.qrContent);
  });

  test('stand two hundred lines', async () => {
    const ReceiptLines = Array.from({ length: 200 }, (_unused, index) => ({
      ...fullReceipt.ReceiptLines[index % 4],
      Name: `Article ${index} ${'of a long name '.repeat(index % 9)}`,
    }));
    const paper = await paperOf(printInput({ ...fullReceipt, ReceiptLines }));
    const articles = paper.lines.flatMap((line) => /^(?:Discount: )?Article (\d+)/.exec(line)?.[1] ?? []);
    expect(articles.map(Number)).toEqual(Array.from({ length: 200 }, (_unused, index) => index));
    expect(decodeQr(endOf(paper))).toBe(receipt.seal.qrContent);
  });

  test.each([
    ['Chinese', '北京朝阳百货有限公司', '有机绿茶 500克 （特级） 福建安溪铁观音 手工采摘 礼盒装，送亲友佳品'],
    ['Arabic', 'شركة النور للتجارة', 'زيت زيتون 500 مل (بكر ممتاز)'],
    ['a script that no font has', 'የይርጋጨፌ ቡና', 'ቡና በጣም ጥሩ ጥራት ያለው ከይርጋጨፌ የመጣ አንደኛ ደረጃ ልዩ ቡና'],
    ['emoji', 'Café ☕', '👍🏽 👨‍👩‍👧'],
  ])('lines with %s are pictures, and only those', async (_name, BuyerName, Name) => {
    const [first, ...others] = fullReceipt.ReceiptLines;
    const input = printInput({ ...fullReceipt, BuyerName, ReceiptLines: [{ ...first, Name }, ...others] });
    const paper = await paperOf(input);
    expect(paper.rasterCount).toBeGreaterThanOrEqual(2);
    expect(paper.rasterCount).toBeLessThan(6);
    expect(paper.lines.join('\n')).not.toContain('?');
    expect(trimmed(paper)).toContain('FISCAL TAX INVOICE');
    expect(decodeQr(paper)).toBe(input.seal.qrContent);
  });
});

test('letters come from the code page that has them', () => {
  const bytes = Buffer.from(new CodePageWriter().bytesOf('é Ω Ж Ł € ώ'));
  expect(bytes.toString('hex')).toBe(
    Buffer.concat([
      Buffer.from([0x82, 0x20, 0xea, 0x20]), // cp437 has é and Ω
      Buffer.from([0x1b, 0x74, 17, 0x86, 0x20]), // cp866
      Buffer.from([0x1b, 0x74, 18, 0x9d, 0x20]), // cp852
      Buffer.from([0x1b, 0x74, 19, 0xd5, 0x20]), // cp858
      Buffer.from([0x1b, 0x74, 47, 0xfe]), // Windows 1253
    ]).toString('hex'),
  );
  expect(['Łódź', '中', 'e\u0302\u0323'].map(isWritable)).toEqual([true, false, false]);
});

test('a logo is printed as a raster image', () => {
  const logo = { data: new Uint8ClampedArray(64 * 16 * 4), width: 64, height: 16 };
  const bytes = Buffer.from(encodeEscPos([{ kind: 'logo' }], logo, () => ({ pixels: logo.data, ...logo })));
  expect(bytes.includes(Buffer.from([0x1d, 0x76, 0x30, 0x00, 8, 0, 16, 0]))).toBe(true);
  expect(printOnPaper(bytes)).toMatchObject({ rasterCount: 1, lines: [] });
});

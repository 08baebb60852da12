import { expect, test } from 'vitest';
import { exclusiveReceipt, printInput } from '../../../../test/support/print-input.ts';
import { oneColumnEach } from '../core/columns.ts';
import { mapTexts } from '../core/map-texts.ts';
import { receipt48Rows } from '../core/receipt-48.ts';
import { receiptDocument } from '../core/receipt-document.ts';
import { CodePageWriter } from './code-pages.ts';
import { encodeEscPos } from './encode-escpos.ts';

const [ESC, FS, GS] = ['\u001b', '\u001c', '\u001d'];
const input = printInput({ ...exclusiveReceipt, BuyerName: 'Café Ελλάς Москва Łódź 中 €' });
const rows = receipt48Rows(mapTexts(receiptDocument(input, 'Receipt48'), oneColumnEach));

test('the printer is reset first and cuts last, and the QR code is drawn by the printer itself', () => {
  const bytes = Buffer.from(encodeEscPos(rows, undefined));
  expect(bytes.subarray(0, 2)).toEqual(Buffer.from([0x1b, 0x40]));
  expect(bytes.subarray(-8).includes(Buffer.from([0x1d, 0x56, 0x01]))).toBe(true);
  const { qrContent } = input.seal;
  const length = qrContent.length + 3;
  const store = Buffer.concat([Buffer.from([0x1d, 0x28, 0x6b, length, 0, 0x31, 0x50, 0x30]), Buffer.from(qrContent)]);
  const print = Buffer.from([0x1d, 0x28, 0x6b, 3, 0, 0x31, 0x51, 0x30]);
  expect(bytes.indexOf(print)).toBe(bytes.indexOf(store) + store.length);
});

test('without its commands no line is longer than 48 characters, and all of the text is there', () => {
  const bytes = Buffer.from(encodeEscPos(rows, undefined)).toString('latin1');
  // Reset, page, bold and alignment; QR code and cut, which begin with GS, come after the text.
  const commands = new RegExp(`${ESC}@|${ESC}[tEaM].|${FS}[.]`, 'gs');
  const [text = ''] = bytes.replaceAll(commands, '').split(GS);
  const lines = text.split('\n');
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(48);
  expect(lines.map((line) => line.trim())).toEqual(
    expect.arrayContaining(['FISCAL TAX INVOICE', 'BUYER', '-'.repeat(48)]),
  );
  expect(bytes).toContain(`${ESC}E\u0001Total USD                                 207.90${ESC}E\u0000\n`);
});

test('letters come from the code page that has them; what none has is a question mark', () => {
  const bytes = Buffer.from(new CodePageWriter().bytesOf('é Ω Ж Ł € ώ 中'));
  expect(bytes.toString('hex')).toBe(
    Buffer.concat([
      Buffer.from([0x82, 0x20, 0xea, 0x20]), // cp437 has é and Ω
      Buffer.from([0x1b, 0x74, 17, 0x86, 0x20]), // cp866
      Buffer.from([0x1b, 0x74, 18, 0x9d, 0x20]), // cp852
      Buffer.from([0x1b, 0x74, 19, 0xd5, 0x20]), // cp858
      Buffer.from([0x1b, 0x74, 47, 0xfe, 0x20]), // Windows 1253
      Buffer.from('?'),
    ]).toString('hex'),
  );
});

test('a logo is printed as a raster image', () => {
  const logo = { data: new Uint8ClampedArray(64 * 16 * 4), width: 64, height: 16 };
  const bytes = Buffer.from(encodeEscPos(rows, logo));
  expect(bytes.includes(Buffer.from([0x1d, 0x76, 0x30, 0x00, 8, 0, 16, 0]))).toBe(true);
});

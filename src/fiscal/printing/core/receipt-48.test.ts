import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson } from '../../../../test/support/exact-number.ts';
import {
  exclusiveReceipt,
  fullReceipt,
  noteReceipt,
  ORIGINAL,
  printInput,
} from '../../../../test/support/printing/print-input.ts';
import { arbitraryReceipt } from '../../../../test/support/receipts/arbitrary-receipt.ts';
import { rowsText } from '../render-text.ts';
import { columnsOf } from './columns.ts';
import type { PrintInput } from './printed-document.ts';
import { receipt48Rows } from './receipt-48.ts';
import { receiptDocument } from './receipt-document.ts';

const textOf = (input: PrintInput) => rowsText(receipt48Rows(receiptDocument(input, 'Receipt48')));
const invoice = textOf(printInput(fullReceipt, { footer: 'Thank you!' }));
const note = textOf(printInput(noteReceipt, { original: ORIGINAL }));
const { seller } = printInput(fullReceipt);
const withoutVat = textOf(printInput(fullReceipt, { seller: { ...seller, vatNumber: undefined } }));
const fact = (label: string, value: string) => `${label}${' '.repeat(48 - label.length - value.length)}${value}\n`;

/** Numbers in brackets are those of the specification's table of elements. */
describe('a receipt of 48 columns shows', () => {
  test.each([
    ['[2] legal name', 'Baobab Trading (Pvt) Ltd'],
    ['[3] TIN of the seller', 'TIN: 2000000001'],
    ['[4] VAT number of a VAT payer', 'VAT No: 220000001'],
    ['[5] branch name where it differs', 'Avondale branch'],
    ['[6] address: house number and street', '45 King George Road'],
    ['[6] address: city and province', 'Harare, Mashonaland'],
    ['[7] e-mail', 'shop@example.com'],
    ['[8] phone', '+263242000000'],
    ['[9] title', 'FISCAL TAX INVOICE'],
    ['[10] label of the buyer', '\nBUYER '],
    ['[11] name of the buyer', 'Mukuvisi Hardware (Pvt) Ltd'],
    ['[13] TIN of the buyer', 'TIN: 2000987654'],
    ['[51] VAT number of the buyer', 'VAT No: 220987654'],
    ['[14] address of the buyer', '12, Samora Machel Avenue, Harare, Harare'],
    ['[15] e-mail of the buyer', 'accounts@mukuvisi.example.com'],
    ['[16] phone of the buyer', '+263771234567'],
    ['[17][18] both numbers', fact('Invoice No:', '31/4711')],
    ['[19] fiscal day', fact('Fiscal day No:', '12')],
    ['[20] reference', fact('Customer reference No:', 'INV-000148')],
    ['[21] serial number', fact('Device Serial No:', 'SN-1001')],
    ['[22] device', fact('Device ID:', '1001')],
    ['[23] date', fact('Date:', '15/11/26 18:48')],
    ['cashier', fact('Cashier:', 'Tendai')],
    ['heading of the lines', fact('Description', 'Amount')],
    ['[30][33] name and total of a line', fact('Kettle', '15000.00')],
    ['[31][32] several pieces', '\n  3 each @ 5000.00 '],
    ['[31][32] a weight, its price to the last digit', '\n  0.555 @ 1081.081081 '],
    [
      '[30] a long name, wrapped',
      '\nTomatoes, loose, from the farm of         600.00\nthe Moyo family in Mazowe, washed',
    ],
    ['[30] a discount', fact('Discount: Loyalty', '-475.63')],
    ['[35][36] total and currency', fact('Total USD', '15124.38')],
    ['[37][38] payments', fact('USD Cash', '15000.00') + fact('USD Mobile wallet', '124.38')],
    ['[39] items, weights included', fact('Number of Items', '4.555')],
    ['[42] net amount', fact('Net Amount', '12575.22')],
    ['[43] VAT', fact('VAT (15.5%)', '1949.15')],
    ['[44] gross amount', fact('Gross Amount', '14524.37')],
    ['[43] zero-rated', fact('VAT (0%)', '0.00')],
    ['[43] exempt', fact('VAT (Exempt)', '0.00')],
    ['[46] verification code', 'Verification code :'],
    ['[46] its four groups', 'A8D5-829E-65A4-CE23'],
    ['[48] how to verify', 'You can verify this receipt manually at'],
    ['[48] where to verify', 'https://verify.example.com '],
    ["the taxpayer's footer", 'Thank you!'],
  ])('%s', (_element, expected) => {
    expect(invoice).toContain(expected);
  });

  test.each([
    ['[9] title', 'CREDIT NOTE'],
    ['[24] label', '\nCREDITED INVOICE '],
    ['[25] serial number', fact('Device Serial No:', 'SN-0999')],
    ['[26] number', fact('Invoice No:', '4700')],
    ['[27] date', fact('Date:', '14/11/26 09:05')],
    ['[28] reference', fact('Customer reference No:', 'INV-000147')],
    ['[49] reason', '\nReturned unopened '],
    ['negative price', '\n  2 each @ -1.75 '],
    ['negative total', fact('Total USD', '-3.50')],
    ['positive count of items', fact('Number of Items', '2')],
    ['negative tax', fact('VAT (15.5%)', '-0.47')],
  ])('of a note: %s', (_element, expected) => {
    expect(note).toContain(expected);
  });

  test('of a debit note: its title and label', () => {
    const debit = textOf(printInput({ ...noteReceipt, Type: 'DebitNote' }, { original: ORIGINAL }));
    expect(debit).toMatch(/ DEBIT NOTE .*\nDEBITED INVOICE /s);
  });

  test('of who pays no VAT: another title and not a word of tax', () => {
    expect(withoutVat).toContain(' FISCAL INVOICE ');
    expect(withoutVat.split('BUYER')[0]).not.toMatch(/VAT/);
    expect(withoutVat.split('Description')[1]).not.toMatch(/VAT|Net Amount|Gross/);
  });

  test('of lines without tax: that they are, and how the total comes about', () => {
    const text = textOf(printInput(exclusiveReceipt));
    expect(text).toContain(fact('Description', 'Amount (excl. tax)'));
    expect(text).toContain(
      fact('Total (excl. tax)', '180.00') + fact('Total 15.5% VAT', '27.90') + fact('Total USD', '207.90'),
    );
  });

  test('no branch of the same name, no buyer, no address where there is none', () => {
    const bare = { ...seller, branchName: seller.name, address: [], email: undefined, phone: undefined };
    const text = textOf(
      printInput(
        {
          ...fullReceipt,
          BuyerName: null,
          BuyerTIN: null,
          BuyerVAT: null,
          BuyerAddress: null,
          BuyerPhone: null,
          BuyerEmail: null,
        },
        { seller: bare },
      ),
    );
    expect(text).not.toContain('BUYER');
    expect(
      text
        .split('\n')
        .slice(0, 4)
        .map((line) => line.trim()),
    ).toEqual(['Baobab Trading (Pvt) Ltd', 'TIN: 2000000001', 'VAT No: 220000001', '-'.repeat(48)]);
  });
});

/** Without what no request can bring in. */
const anyText = fc
  .oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 60 }))
  .map((text) => text.toWellFormed().replaceAll('\0', ''));

test('every line is exactly 48 columns wide, whatever is written on it', () => {
  fc.assert(
    fc.property(arbitraryReceipt(), anyText, anyText, anyText, (wire, name, address, footer) => {
      const lines = wire.ReceiptLines.map((line) => ({ ...line, Name: name }));
      const receipt = toJson({
        ...wire,
        ReceiptLines: lines,
        BuyerName: name,
        BuyerAddress: address,
      });
      const input = printInput(receipt, { footer, original: wire.Type === 'FiscalInvoice' ? undefined : ORIGINAL });
      const text = textOf(input);
      expect(text.endsWith('\n')).toBe(true);
      for (const line of text.slice(0, -1).split('\n')) expect(columnsOf(line), line).toBe(48);
    }),
    { numRuns: 150 },
  );
});

test('marks that turn the direction of writing are not printed', () => {
  const text = textOf(printInput({ ...fullReceipt, BuyerName: 'Pay \u202e00.19\u202c\u0007 now' }));
  expect(text).toContain('\nPay 00.19 now ');
});

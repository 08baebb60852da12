import { expect, test } from 'vitest';
import { exact } from '../../../test/support/exact-number.ts';
import { creditNote, invoice, receiptOf } from '../../../test/support/receipts/receipts.ts';
import { OPTIONAL_FIELDS, ReceiptBody } from '../../contract/fiscal/receipt-body.ts';
import { receiptText, withEveryField } from './receipt-text.ts';

const FULL = creditNote(1001, 'C-1', 'O-1', {
  OriginalFiscalDayNumber: 3,
  OriginalGlobalCounter: 77,
  OriginalAuthorityDeviceId: 900,
  ReceiptPrintForm: 'InvoiceA4',
  BuyerTIN: '2000123456',
  BuyerVAT: '220012345',
  BuyerName: 'A "quoted" \\ shop\twith\nlines – ä€😀',
  BuyerAddress: '1,\n2,\n3,\n4',
  BuyerPhone: '+263 4 123',
  BuyerEmail: 'a@b.zw',
  Cashier: 'Rudo',
});

test('a receipt with every field reads back the same', () => {
  expect(receiptOf(receiptText(receiptOf(FULL)))).toEqual(receiptOf(FULL));
});

test('a draft without a date reads as one with an empty date', () => {
  expect(receiptOf({ ...FULL, Date: undefined }).Date).toEqual(receiptOf({ ...FULL, Date: '' }).Date);
  expect(receiptOf({ ...FULL, Date: undefined }).Date.text).toBe('');
});

test('every field of the wire is echoed under its own name, and nothing else', () => {
  expect(Object.keys(FULL).toSorted()).toEqual(Object.keys(ReceiptBody.properties).toSorted());
  expect(JSON.parse(receiptText(receiptOf(FULL)))).toEqual(FULL);
});

test('absent and null optional fields are left out, the default print form is there, exempt stays null', () => {
  const exempt = { TaxPercent: null, SalesAmountWithTax: 0, TaxAmount: 0 };
  const text = receiptText(receiptOf(invoice(1, 'R-1', { BuyerName: null, Taxes: [exempt] })));
  const echoed = JSON.parse(text);
  expect(Object.keys(echoed)).not.toContain('BuyerName');
  expect(Object.keys(echoed)).not.toContain('Notes');
  expect(echoed.ReceiptPrintForm).toBe('Receipt48');
  expect(echoed.Taxes).toEqual([exempt]);
  const { HsCode: _hsCode, ...line } = echoed.ReceiptLines[0];
  const without = receiptText(receiptOf(invoice(1, 'R-1', { ReceiptLines: [line] })));
  expect(JSON.parse(without).ReceiptLines).toEqual([line]);
});

test('what is answered has every field, null where none was sent, whatever the texts say', () => {
  const answered = (wire: object) => {
    const receipt = receiptOf(wire);
    const text = receiptText(receipt);
    expect(withEveryField(text, receipt)).toBe(withEveryField(text));
    return JSON.parse(withEveryField(text));
  };
  expect(answered(FULL)).toEqual({ ...FULL, ReceiptLines: FULL.ReceiptLines });
  const tricky = '","HsCode":"1","Notes":1,"Taxes":[ \\" {"Name":"x","Quantity":';
  const line = { Type: 'Sale', Name: tricky, Quantity: 1, LineTotal: 1, TaxPercent: null };
  const lines = [line, { ...line, UnitPrice: 1 }, { ...line, HsCode: '12345678' }];
  const whole = { ...line, HsCode: '12345678', UnitPrice: 1 };
  for (const ReceiptLines of [[whole], [lines[1]], [lines[2]], [whole, line]])
    answered(invoice(1, 'R-1', { ReceiptLines }));
  const receipt = invoice(1, tricky.slice(0, 20), { Cashier: tricky, ReceiptLines: lines });
  expect(answered(receipt)).toEqual({
    ...Object.fromEntries(OPTIONAL_FIELDS.map((field) => [field, null])),
    ...receipt,
    ReceiptPrintForm: 'Receipt48',
    ReceiptLines: lines.map((one) => ({ HsCode: null, UnitPrice: null, ...one })),
  });
});

test.each([
  ['9999999999999999.99', '9999999999999999.99'],
  ['-12345678901234567.89', '-12345678901234567.89'],
  ['0.1', '0.1'],
  ['10.00', '10'],
  ['1e2', '100'],
  ['1.5E-3', '0.0015'],
  ['-0', '0'],
  ['-0.00', '0'],
  ['0.000001', '0.000001'],
])('the number %s is written as %s', (sent, written) => {
  const number = exact(sent);
  const line = { Type: 'Sale', Name: 'x', UnitPrice: number, Quantity: number, LineTotal: number, TaxPercent: number };
  const text = receiptText(
    receiptOf(
      invoice(1, 'R-1', {
        TotalAmount: number,
        ReceiptLines: [line],
        Payments: [{ Type: 'Cash', Amount: number }],
        Taxes: [{ TaxPercent: number, SalesAmountWithTax: number, TaxAmount: number }],
      }),
    ),
  );
  const fields = [
    'TotalAmount',
    'UnitPrice',
    'Quantity',
    'LineTotal',
    'TaxPercent',
    'Amount',
    'SalesAmountWithTax',
    'TaxAmount',
  ];
  for (const field of fields) expect(text).toMatch(new RegExp(`"${field}":${written.replaceAll('.', '\\.')}[,}]`));
});

import { describe, expect, test } from 'vitest';
import { exact } from '../../../test/support/exact-number.ts';
import { creditNote, invoice, receiptOf } from '../../../test/support/receipts/receipts.ts';
import { differences } from './receipt-difference.ts';

function compare(sealed: object, submitted: object, zone = 'Africa/Harare') {
  return differences(receiptOf(invoice(1, 'R-1', sealed)), receiptOf(invoice(1, 'R-1', submitted)), zone);
}

describe('a retry is the same receipt', () => {
  test.each([
    ['unchanged', {}, {}],
    ['10 is 10.00', { TotalAmount: exact('10') }, { TotalAmount: exact('10.00') }],
    ['10 is 1e1', { TotalAmount: exact('10') }, { TotalAmount: exact('1e1') }],
    ['0 is -0', { TotalAmount: exact('0') }, { TotalAmount: exact('-0.0') }],
    ['ZIG is ZWG', { Currency: 'ZWG' }, { Currency: 'ZIG' }],
    ['null is absent', {}, { BuyerName: null, Cashier: null, Notes: null }],
    ['the default print form is Receipt48', { ReceiptPrintForm: 'Receipt48' }, {}],
    ['milliseconds are cut', { Date: '2026-11-15T12:00:00' }, { Date: '2026-11-15T12:00:00.999' }],
    ['an empty text is an absent one', {}, { Notes: '', BuyerTIN: '', ReceiptPrintForm: '' }],
    [
      '0 is an absent original',
      {},
      { OriginalGlobalCounter: 0, OriginalFiscalDayNumber: 0, OriginalAuthorityDeviceId: 0 },
    ],
    ['local time is that instant', { Date: '2026-11-15T12:00:00' }, { Date: '2026-11-15T10:00:00Z' }],
    ['an offset is that instant', { Date: '2026-11-15T12:00:00+02:00' }, { Date: '2026-11-15T10:00:00Z' }],
  ])('%s', (_name, sealed, submitted) => {
    expect(compare(sealed, submitted)).toEqual([]);
    expect(compare(submitted, sealed)).toEqual([]);
  });
});

describe('any other difference is named with both values', () => {
  const line = { Type: 'Sale', Name: 'Kettle', HsCode: '8516', Quantity: 1, LineTotal: 115.5, TaxPercent: 15.5 };
  test.each([
    [{ AuthorityDeviceId: 2 }, 'AuthorityDeviceId', '1', '2'],
    [{ Type: 'DebitNote' }, 'Type', 'FiscalInvoice', 'DebitNote'],
    [{ Currency: 'ZWG' }, 'Currency', 'USD', 'ZWG'],
    [{ Date: '2026-11-15T12:00:01' }, 'Date', '2026-11-15T12:00:00', '2026-11-15T12:00:01'],
    [{ Date: '2026-11-15T12:00:00Z' }, 'Date', '2026-11-15T12:00:00', '2026-11-15T12:00:00Z'],
    [{ ReceiptLinesTaxInclusive: false }, 'ReceiptLinesTaxInclusive', 'true', 'false'],
    [{ TotalAmount: exact('115.500000000000000001') }, 'TotalAmount', '115.5', '115.500000000000000001'],
    [{ Notes: ' ' }, 'Notes', 'absent', ' '],
    [{ BuyerName: 'Shop' }, 'BuyerName', 'absent', 'Shop'],
    [{ Cashier: 'Rudo' }, 'Cashier', 'absent', 'Rudo'],
    [{ ReceiptPrintForm: 'InvoiceA4' }, 'ReceiptPrintForm', 'Receipt48', 'InvoiceA4'],
    [{ ReceiptLines: [line, line] }, 'ReceiptLines', '1 entries', '2 entries'],
    [{ Payments: [] }, 'Payments', '1 entries', '0 entries'],
    [{ Payments: [{ Type: 'Card', Amount: 115.5 }] }, 'Payments[0].Type', 'Cash', 'Card'],
    [{ Payments: [{ Type: 'Cash', Amount: 115 }] }, 'Payments[0].Amount', '115.5', '115'],
    [{ ReceiptLines: [line] }, 'ReceiptLines[0].UnitPrice', '115.5', 'absent'],
    [{ ReceiptLines: [{ ...line, UnitPrice: 115.5, TaxPercent: null }] }, 'ReceiptLines[0].TaxPercent', '15.5', 'null'],
    [
      { Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: 115.5, TaxAmount: 15.51 }] },
      'Taxes[0].TaxAmount',
      '15.5',
      '15.51',
    ],
  ])('%j', (changes, field, sealed, submitted) => {
    expect(compare({}, changes)).toEqual([{ field, sealed, submitted }]);
  });

  test('exempt is not 0, in both directions', () => {
    const entry = (TaxPercent: number | null) => ({ Taxes: [{ TaxPercent, SalesAmountWithTax: 1, TaxAmount: 0 }] });
    expect(compare(entry(0), entry(null))).toEqual([{ field: 'Taxes[0].TaxPercent', sealed: '0', submitted: 'null' }]);
    expect(compare(entry(null), entry(0))).toHaveLength(1);
  });

  test('every field of a note counts', () => {
    const note = { OriginalFiscalDayNumber: 1, OriginalGlobalCounter: 2, OriginalAuthorityDeviceId: 3 };
    const changed = { OriginalFiscalDayNumber: 4, OriginalGlobalCounter: 5, OriginalAuthorityDeviceId: 6 };
    const sealed = receiptOf(creditNote(1, 'C-1', 'O-1', note));
    const submitted = receiptOf(creditNote(1, 'C-1', 'O-2', { ...changed, Notes: 'Broken' }));
    expect(differences(sealed, submitted, 'Africa/Harare').map(({ field }) => field)).toEqual([
      'OriginalReference',
      'OriginalFiscalDayNumber',
      'OriginalGlobalCounter',
      'OriginalAuthorityDeviceId',
      'Notes',
    ]);
  });

  test('all of them are named, not only the first', () => {
    expect(compare({}, { Currency: 'ZAR', BuyerName: 'Shop', TotalAmount: 1 }).map(({ field }) => field)).toEqual([
      'Currency',
      'TotalAmount',
      'BuyerName',
    ]);
  });
});

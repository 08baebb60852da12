import { describe, expect, test } from 'vitest';
import { creditNote, invoice, receiptOf } from '../../../test/support/receipts/receipts.ts';
import { decimal } from '../../kernel/decimal.ts';
import { fdmsReceipt, isPartialBuyer, notSent, type SubmissionInput } from './fdms-receipt.ts';
import { sha256 } from './hash.ts';

const PLAIN = { partialBuyers: false, cashier: false };
const HASH = sha256('hash');
const SIGNATURE = Buffer.from('signature');

function input(wire: object, changes: Partial<SubmissionInput> = {}): SubmissionInput {
  const receipt = receiptOf(wire);
  return {
    receipt,
    taxes: receipt.Taxes.map((tax, index) => ({
      taxId: [517, 2, 1][index] ?? 0,
      taxPercent: tax.TaxPercent,
      taxAmount: tax.TaxAmount,
      salesAmountWithTax: tax.SalesAmountWithTax,
    })),
    globalCounter: 78,
    fiscalDayCounter: 5,
    date: '2026-11-15T12:00:00',
    hash: HASH,
    signature: SIGNATURE,
    original: undefined,
    isWithoutBuyer: false,
    ...changes,
  };
}

const BUYER = {
  BuyerName: 'Ruvimbo Trading',
  BuyerTIN: '2000000009',
  BuyerVAT: '220000009',
  BuyerPhone: '0770000001',
  BuyerEmail: 'buyer@example.com',
};

describe('a receipt in the words of the authority', () => {
  test('carries its numbers, its seal and the date that was signed, amounts with two decimals', () => {
    expect(fdmsReceipt(input(invoice(1001, 'R-1')), PLAIN)).toEqual({
      receiptType: 'FiscalInvoice',
      receiptCurrency: 'USD',
      receiptCounter: 5,
      receiptGlobalNo: 78,
      invoiceNo: 'R-1',
      receiptDate: '2026-11-15T12:00:00',
      receiptLinesTaxInclusive: true,
      receiptLines: [
        {
          receiptLineType: 'Sale',
          receiptLineNo: 1,
          receiptLineHSCode: '8516',
          receiptLineName: 'Kettle',
          receiptLinePrice: '115.5',
          receiptLineQuantity: '1',
          receiptLineTotal: '115.50',
          taxPercent: '15.50',
          taxID: 517,
        },
      ],
      receiptTaxes: [{ taxPercent: '15.50', taxID: 517, taxAmount: '15.50', salesAmountWithTax: '115.50' }],
      receiptPayments: [{ moneyTypeCode: 'Cash', paymentAmount: '115.50' }],
      receiptTotal: '115.50',
      receiptPrintForm: 'Receipt48',
      receiptDeviceSignature: { hash: HASH.toString('base64'), signature: SIGNATURE.toString('base64') },
    });
  });

  test('keeps its print form, its discounts and where its buyer lives', () => {
    const { ReceiptLines } = invoice(1001, 'R-1') as { ReceiptLines: object[] };
    const changes = {
      ...BUYER,
      BuyerAddress: '12, Samora Machel Ave, Harare, Harare Province',
      ReceiptPrintForm: 'InvoiceA4',
      ReceiptLines: ReceiptLines.map((line) => ({ ...line, Type: 'Discount' })),
    };
    expect(fdmsReceipt(input(invoice(1001, 'R-1', changes)), PLAIN)).toMatchObject({
      receiptPrintForm: 'InvoiceA4',
      receiptLines: [{ receiptLineType: 'Discount' }],
      buyerData: { buyerAddress: { houseNo: '12', city: 'Harare' } },
    });
  });

  test('is the same to the byte every time, so that sending it again is no new receipt', () => {
    const bytes = () => JSON.stringify(fdmsReceipt(input(invoice(1001, 'R-1', BUYER)), PLAIN));
    expect(bytes()).toBe(bytes());
  });

  test('says exempt by leaving the percentage out, and zero by 0.00', () => {
    const line = (TaxPercent: number | null) => ({
      Type: 'Sale',
      Name: 'Bread',
      HsCode: '19059010',
      Quantity: 1,
      LineTotal: 10,
      TaxPercent,
    });
    const tax = (TaxPercent: number | null) => ({ TaxPercent, SalesAmountWithTax: 10, TaxAmount: 0 });
    const wire = fdmsReceipt(
      input(
        invoice(1001, 'R-1', { ReceiptLines: [line(0), line(null)], Taxes: [tax(0), tax(null)], TotalAmount: 20 }),
        {
          taxes: [
            { taxId: 2, taxPercent: decimal('0'), taxAmount: decimal('0'), salesAmountWithTax: decimal('10') },
            { taxId: 1, taxPercent: null, taxAmount: decimal('0'), salesAmountWithTax: decimal('10') },
          ],
        },
      ),
      PLAIN,
    );
    expect(wire.receiptLines.map(({ taxPercent, taxID }) => [taxPercent, taxID])).toEqual([
      ['0.00', 2],
      [undefined, 1],
    ]);
    expect(wire.receiptTaxes.map(({ taxPercent }) => taxPercent)).toEqual(['0.00', undefined]);
    expect(wire.receiptLines[0]?.receiptLinePrice).toBeUndefined();
  });

  test('names the original of a note by device, number and day', () => {
    const original = { deviceId: 1002, globalCounter: 41, fiscalDayNumber: 7 };
    const wire = fdmsReceipt(input(creditNote(1001, 'C-1', 'R-1'), { original }), PLAIN);
    expect(wire).toMatchObject({
      receiptType: 'CreditNote',
      receiptNotes: 'Returned',
      receiptTotal: '-115.50',
      creditDebitNote: { deviceID: 1002, receiptGlobalNo: 41, fiscalDayNo: 7 },
    });
  });

  test('uses a tax that was sealed, or it is a bug', () => {
    expect(() => fdmsReceipt(input(invoice(1001, 'R-1'), { taxes: [] }), PLAIN)).toThrow('not sealed');
  });
});

describe('the buyer', () => {
  test('is sent with all that is known', () => {
    expect(fdmsReceipt(input(invoice(1001, 'R-1', BUYER)), PLAIN).buyerData).toEqual({
      buyerRegisterName: 'Ruvimbo Trading',
      buyerTIN: '2000000009',
      vatNumber: '220000009',
      buyerContacts: { phoneNo: '0770000001', email: 'buyer@example.com' },
    });
  });

  test.each([{ BuyerName: 'Walk-in' }, { BuyerTIN: '2000000009' }])(
    'known only by %j is printed but not sent',
    (known) => {
      expect(fdmsReceipt(input(invoice(1001, 'R-1', known)), PLAIN).buyerData).toBeUndefined();
    },
  );

  test.each([
    [{ BuyerName: 'Walk-in' }, { buyerRegisterName: 'Walk-in' }, ['BuyerName']],
    [{ BuyerPhone: '077' }, { buyerContacts: { phoneNo: '077' } }, ['BuyerPhone']],
    [
      { BuyerName: 'A', BuyerTIN: '2000000009', BuyerAddress: 'Main St, Harare' },
      { buyerRegisterName: 'A', buyerTIN: '2000000009', buyerAddress: { street: 'Main St', city: 'Harare' } },
      ['BuyerAddress'],
    ],
    [{}, undefined, []],
  ])(
    'of %j is sent as far as it is known to an authority that takes it, and otherwise told',
    (known, buyer, missing) => {
      const partial = { ...PLAIN, partialBuyers: true };
      const receipt = receiptOf(invoice(1001, 'R-1', known));
      expect(fdmsReceipt(input(invoice(1001, 'R-1', known)), partial).buyerData).toEqual(buyer);
      expect([notSent(receipt, false, true), notSent(receipt, false, false)]).toEqual([[], missing]);
      expect(isPartialBuyer(receipt)).toBe(missing.length > 0);
      expect(notSent(receipt, true, true)).toEqual(Object.keys(known).toSorted((one) => (one === 'BuyerTIN' ? -1 : 0)));
    },
  );

  test('of whom all is known is no partial one', () => {
    expect(isPartialBuyer(receiptOf(invoice(1001, 'R-1', BUYER)))).toBe(false);
  });

  test('and the cashier are left out together', () => {
    const wire = invoice(1001, 'R-1', { ...BUYER, Cashier: 'Rudo' });
    const sends = { ...PLAIN, cashier: true };
    expect(fdmsReceipt(input(wire), PLAIN).userInfo).toBeUndefined();
    expect(fdmsReceipt(input(wire), sends).userInfo).toEqual({ username: 'Rudo', userFullName: 'Rudo' });
    expect(fdmsReceipt(input(invoice(1001, 'R-1')), sends).userInfo).toBeUndefined();
    expect(fdmsReceipt(input(wire, { isWithoutBuyer: true }), sends)).toMatchObject({
      buyerData: undefined,
      userInfo: undefined,
    });
  });

  test.each([
    [{ BuyerPhone: '', BuyerEmail: '' }, undefined],
    [{ BuyerPhone: '077', BuyerEmail: '' }, { phoneNo: '077' }],
    [{ BuyerPhone: '', BuyerEmail: 'a@b.zw' }, { email: 'a@b.zw' }],
  ])('with %j has no empty contacts', (changes, contacts) => {
    expect(fdmsReceipt(input(invoice(1001, 'R-1', { ...BUYER, ...changes })), PLAIN).buyerData?.buyerContacts).toEqual(
      contacts,
    );
  });

  test('is left out when the authority refused it, and nothing else changes', () => {
    const { buyerData, ...rest } = fdmsReceipt(input(invoice(1001, 'R-1', BUYER)), PLAIN);
    expect(buyerData).toBeDefined();
    expect(fdmsReceipt(input(invoice(1001, 'R-1', BUYER), { isWithoutBuyer: true }), PLAIN)).toEqual(rest);
  });
});

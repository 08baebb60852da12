import type { PrintInput } from '../../../src/fiscal/printing/core/printed-document.ts';
import { receiptOf } from '../receipts/receipts.ts';

/** A receipt with its seal and seller, ready to be printed. */
export function printInput(wire: object | string, changes: Partial<PrintInput> = {}): PrintInput {
  return {
    receipt: receiptOf(wire),
    seal: {
      deviceId: 1001,
      serialNumber: 'SN-1001',
      fiscalDayNumber: 12,
      fiscalDayCounter: 31,
      globalCounter: 4711,
      date: '2026-11-15T18:48:09',
      verificationCode: 'A8D5-829E-65A4-CE23',
      qrContent: 'https://verify.example.com/0000001001151120260000004711A8D5829E65A4CE23',
      qrUrl: 'https://verify.example.com',
    },
    seller: {
      name: 'Baobab Trading (Pvt) Ltd',
      tin: '2000000001',
      vatNumber: '220000001',
      branchName: 'Avondale branch',
      address: ['45', 'King George Road', 'Harare', 'Mashonaland'],
      email: 'shop@example.com',
      phone: '+263242000000',
    },
    original: undefined,
    footer: undefined,
    hasFiscalNoteTitles: false,
    ...changes,
  };
}

/** Of a note: the invoice it credits or debits, sealed here. */
export const ORIGINAL: NonNullable<PrintInput['original']> = {
  reference: 'INV-000147',
  globalCounter: 4700,
  deviceId: 1001,
  fiscalDayNumber: 11,
  serialNumber: 'SN-0999',
  date: '2026-11-14T09:05:00',
};

/** Everything a receipt can have: three kinds of tax, a weight, a discount, a long name, two payments and a buyer. */
export const fullReceipt = {
  AuthorityDeviceId: 1001,
  Type: 'FiscalInvoice',
  Currency: 'USD',
  Reference: 'INV-000148',
  Date: '2026-11-15T18:48:09',
  ReceiptLinesTaxInclusive: true,
  TotalAmount: 15124.38,
  ReceiptLines: [
    { Type: 'Sale', Name: 'Kettle', HsCode: '8516', UnitPrice: 5000, Quantity: 3, LineTotal: 15000, TaxPercent: 15.5 },
    {
      Type: 'Sale',
      Name: 'Tomatoes, loose, from the farm of the Moyo family in Mazowe, washed and sorted',
      HsCode: '07020000',
      UnitPrice: 1081.081081,
      Quantity: 0.555,
      LineTotal: 600,
      TaxPercent: 0,
    },
    { Type: 'Discount', Name: 'Loyalty', HsCode: '8516', Quantity: 1, LineTotal: -475.63, TaxPercent: 15.5 },
    { Type: 'Sale', Name: 'Newspaper', HsCode: '49020000', Quantity: 1, LineTotal: 0.01, TaxPercent: null },
  ],
  Payments: [
    { Type: 'Cash', Amount: 15000 },
    { Type: 'MobileWallet', Amount: 124.38 },
  ],
  Taxes: [
    { TaxPercent: 15.5, SalesAmountWithTax: 14524.37, TaxAmount: 1949.15 },
    { TaxPercent: 0, SalesAmountWithTax: 600, TaxAmount: 0 },
    { TaxPercent: null, SalesAmountWithTax: 0.01, TaxAmount: 0 },
  ],
  BuyerName: 'Mukuvisi Hardware (Pvt) Ltd',
  BuyerTIN: '2000987654',
  BuyerVAT: '220987654',
  BuyerAddress: '12, Samora Machel Avenue, Harare, Harare',
  BuyerPhone: '+263771234567',
  BuyerEmail: 'accounts@mukuvisi.example.com',
  Cashier: 'Tendai',
};

export const exclusiveReceipt = {
  ...fullReceipt,
  ReceiptLinesTaxInclusive: false,
  TotalAmount: 207.9,
  ReceiptLines: [
    { Type: 'Sale', Name: 'Chair', HsCode: '9401', UnitPrice: 100, Quantity: 2, LineTotal: 200, TaxPercent: 15.5 },
    { Type: 'Discount', Name: 'Loyalty', HsCode: '9401', Quantity: 1, LineTotal: -20, TaxPercent: 15.5 },
  ],
  Payments: [{ Type: 'Card', Amount: 207.9 }],
  Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: 207.9, TaxAmount: 27.9 }],
};

export const noteReceipt = {
  ...fullReceipt,
  Type: 'CreditNote',
  Reference: 'CN-12',
  OriginalReference: 'INV-000147',
  Notes: 'Returned unopened',
  TotalAmount: -3.5,
  ReceiptLines: [
    { Type: 'Sale', Name: 'Coffee', HsCode: '0901', UnitPrice: -1.75, Quantity: 2, LineTotal: -3.5, TaxPercent: 15.5 },
  ],
  Payments: [{ Type: 'Cash', Amount: -3.5 }],
  Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: -3.5, TaxAmount: -0.47 }],
};

/** Receipts that really sign: the reference shows them, and a test sends them. The device is the demo's. */
const head = (type: string, reference: string) => ({
  AuthorityDeviceId: 1001,
  Type: type,
  Currency: 'USD',
  Reference: reference,
  Date: '2026-11-15T11:58:20+02:00',
});

export const invoiceExample = {
  ...head('FiscalInvoice', 'INV-000147'),
  ReceiptLinesTaxInclusive: true,
  TotalAmount: 5.5,
  ReceiptLines: [
    {
      Type: 'Sale',
      Name: 'Ground coffee 250 g',
      HsCode: '0901',
      UnitPrice: 3.5,
      Quantity: 1,
      LineTotal: 3.5,
      TaxPercent: 15.5,
    },
    {
      Type: 'Sale',
      Name: 'White bread',
      HsCode: '19059010',
      UnitPrice: 1,
      Quantity: 2,
      LineTotal: 2,
      TaxPercent: 0,
    },
  ],
  Payments: [{ Type: 'Cash', Amount: 5.5 }],
  Taxes: [
    { TaxPercent: 15.5, SalesAmountWithTax: 3.5, TaxAmount: 0.47 },
    { TaxPercent: 0, SalesAmountWithTax: 2, TaxAmount: 0 },
  ],
};

export const exclusiveExample = {
  ...head('FiscalInvoice', 'INV-000148'),
  ReceiptLinesTaxInclusive: false,
  TotalAmount: 207.9,
  ReceiptLines: [
    {
      Type: 'Sale',
      Name: 'Office chair',
      HsCode: '9401',
      UnitPrice: 100,
      Quantity: 2,
      LineTotal: 200,
      TaxPercent: 15.5,
    },
    { Type: 'Discount', Name: 'Loyalty discount 10 %', HsCode: '9401', Quantity: 1, LineTotal: -20, TaxPercent: 15.5 },
  ],
  Payments: [
    { Type: 'Card', Amount: 200 },
    { Type: 'MobileWallet', Amount: 7.9 },
  ],
  Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: 207.9, TaxAmount: 27.9 }],
  ReceiptPrintForm: 'InvoiceA4',
  BuyerTIN: '2000987654',
  BuyerVAT: '220987654',
  BuyerName: 'Mukuvisi Hardware (Pvt) Ltd',
  BuyerAddress: '12, Samora Machel Avenue, Harare, Harare',
  BuyerPhone: '+263771234567',
  BuyerEmail: 'accounts@mukuvisi.example.com',
  Cashier: 'Tendai',
};

export const creditNoteExample = {
  ...head('CreditNote', 'CN-000012'),
  OriginalReference: 'INV-000147',
  Notes: 'Coffee returned unopened',
  ReceiptLinesTaxInclusive: true,
  TotalAmount: -3.5,
  ReceiptLines: [
    {
      Type: 'Sale',
      Name: 'Ground coffee 250 g',
      HsCode: '0901',
      UnitPrice: -3.5,
      Quantity: 1,
      LineTotal: -3.5,
      TaxPercent: 15.5,
    },
  ],
  Payments: [{ Type: 'Cash', Amount: -3.5 }],
  Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: -3.5, TaxAmount: -0.47 }],
};

export const debitNoteExample = {
  ...head('DebitNote', 'DN-000003'),
  OriginalReference: 'INV-000147',
  Notes: 'One loaf more was delivered than invoiced',
  ReceiptLinesTaxInclusive: true,
  TotalAmount: 1,
  ReceiptLines: [
    { Type: 'Sale', Name: 'White bread', HsCode: '19059010', UnitPrice: 1, Quantity: 1, LineTotal: 1, TaxPercent: 0 },
  ],
  Payments: [{ Type: 'Cash', Amount: 1 }],
  Taxes: [{ TaxPercent: 0, SalesAmountWithTax: 1, TaxAmount: 0 }],
};

const { TotalAmount: _total, Taxes: _taxes, ...withoutSums } = invoiceExample;
const linesWithoutTotal = invoiceExample.ReceiptLines.map(({ LineTotal: _lineTotal, ...line }) => line);
export const draftExample = { ...withoutSums, ReceiptLines: linesWithoutTotal, Payments: [{ Type: 'Cash' }] };

export const normalisedExample = { ...invoiceExample, ReceiptPrintForm: 'Receipt48' };

/** What the service answered to the first of them. */
export const signedExample = {
  ...normalisedExample,
  DeviceSignature: 'MEYCIQCAYc9KvDxLg2xAdQ7oPRfYf94faXM77E5Lk9Fs/3Z/1QIhAIoTH/lvaCHo7GHO6KeCyYOlAmgQx9mO/Pk1R5iuAoOk',
  DeviceHash: 'idh4UA36+qZZWjavq/5Z81pTMHiC4imv7bFrb2nPqjs=',
  DeviceSerialNumber: 'TILLSEAL-DEMO-1',
  FiscalDayCounter: 1,
  FiscalDayNumber: 1,
  GlobalCounter: 1,
  VerificationCode: 'C0A5-5E30-7501-2D3E',
  QrCodeContent: 'https://verify.example.com/0000001001151120260000000001C0A55E3075012D3E',
  SubmissionFailed: null,
  SubmissionError: null,
  SubmissionState: 'Submitted',
  Remarks: [],
  DateAdvanced: null,
  NotSent: null,
};

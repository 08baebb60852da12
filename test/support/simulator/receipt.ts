/** Receipts and day closings as a till would build them, with a string builder written for these tests. */
import { createHash, type KeyObject, sign } from 'node:crypto';

export interface TestLine {
  receiptLineType: string;
  receiptLineNo: number;
  receiptLineHSCode?: string;
  receiptLineName: string;
  receiptLinePrice?: number;
  receiptLineQuantity: number;
  receiptLineTotal: number;
  taxCode?: string;
  taxPercent?: number;
  taxID: number;
}

export interface TestTax {
  taxCode?: string;
  taxPercent?: number;
  taxID: number;
  taxAmount: number;
  salesAmountWithTax: number;
}

export interface TestReceipt {
  receiptType: string;
  receiptCurrency: string;
  receiptCounter: number;
  receiptGlobalNo: number;
  invoiceNo: string;
  receiptDate: string;
  receiptLinesTaxInclusive: boolean;
  receiptLines: TestLine[];
  receiptTaxes: TestTax[];
  receiptPayments: { moneyTypeCode: string; paymentAmount: number }[];
  receiptTotal: number;
  receiptNotes?: string;
  buyerData?: object;
  creditDebitNote?: object;
  receiptDeviceSignature?: { hash: string; signature: string };
}

export interface TestCounter {
  fiscalCounterType: string;
  fiscalCounterCurrency: string;
  fiscalCounterTaxID?: number;
  fiscalCounterTaxPercent?: number;
  fiscalCounterMoneyType?: string;
  fiscalCounterValue: number;
}

const cents = (amount: number) => String(Math.round(amount * 100) + 0);
const percent = (value: number | undefined) => (value === undefined ? '' : value.toFixed(2));

export function signReceipt(deviceId: number, receipt: TestReceipt, previousHash: string | undefined, key: KeyObject) {
  const taxes = [...receipt.receiptTaxes]
    .toSorted((a, b) => a.taxID - b.taxID || ((a.taxCode ?? '') < (b.taxCode ?? '') ? -1 : 1))
    .map((tax) => [tax.taxCode ?? '', percent(tax.taxPercent), cents(tax.taxAmount), cents(tax.salesAmountWithTax)]);
  const { receiptType, receiptCurrency, receiptGlobalNo, receiptDate, receiptTotal } = receipt;
  const start = [
    deviceId,
    receiptType.toUpperCase(),
    receiptCurrency,
    receiptGlobalNo,
    receiptDate,
    cents(receiptTotal),
  ];
  return signText([...start, ...taxes.flat(), previousHash ?? ''].join(''), key);
}

/** `counters` in the order in which they are to be signed. */
export function signDay(
  deviceId: number,
  dayNo: number,
  date: string,
  counters: readonly TestCounter[],
  key: KeyObject,
) {
  const parts = counters.map((counter) => [
    counter.fiscalCounterType.toUpperCase(),
    counter.fiscalCounterCurrency,
    counter.fiscalCounterMoneyType?.toUpperCase() ?? percent(counter.fiscalCounterTaxPercent),
    cents(counter.fiscalCounterValue),
  ]);
  return signText([deviceId, dayNo, date, ...parts.flat()].join(''), key);
}

export function signText(text: string, key: KeyObject) {
  return {
    hash: createHash('sha256').update(text).digest('base64'),
    signature: sign('sha256', Buffer.from(text), key).toString('base64'),
  };
}

/** 10.00 at 15.5 % inclusive: tax 1.34. */
export function standardInvoice(): Omit<
  TestReceipt,
  'receiptCounter' | 'receiptGlobalNo' | 'invoiceNo' | 'receiptDate'
> {
  return {
    receiptType: 'FiscalInvoice',
    receiptCurrency: 'USD',
    receiptLinesTaxInclusive: true,
    receiptLines: [
      {
        receiptLineType: 'Sale',
        receiptLineNo: 1,
        receiptLineHSCode: '12345678',
        receiptLineName: 'Tea',
        receiptLinePrice: 5,
        receiptLineQuantity: 2,
        receiptLineTotal: 10,
        taxPercent: 15.5,
        taxID: 517,
      },
    ],
    receiptTaxes: [{ taxPercent: 15.5, taxID: 517, taxAmount: 1.34, salesAmountWithTax: 10 }],
    receiptPayments: [{ moneyTypeCode: 'Cash', paymentAmount: 10 }],
    receiptTotal: 10,
  };
}

/** A credit note over a whole standard invoice. */
export function standardCreditNote(creditDebitNote: object): ReturnType<typeof standardInvoice> {
  const invoice = standardInvoice();
  return {
    ...invoice,
    receiptType: 'CreditNote',
    receiptNotes: 'returned',
    creditDebitNote,
    receiptLines: invoice.receiptLines.map((line) => ({ ...line, receiptLinePrice: -5, receiptLineTotal: -10 })),
    receiptTaxes: [{ taxPercent: 15.5, taxID: 517, taxAmount: -1.34, salesAmountWithTax: -10 }],
    receiptPayments: [{ moneyTypeCode: 'Cash', paymentAmount: -10 }],
    receiptTotal: -10,
  };
}

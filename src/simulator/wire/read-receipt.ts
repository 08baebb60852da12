/** The receipt object of SubmitReceipt: specification §4.7. Where prose and OpenAPI differ the narrower limit holds. */
import type { SignatureData } from '../../fdms/index.ts';
import { MONEY_TYPES } from '../core/counters.ts';
import type { Buyer, OriginalReference, ReceiptLine, ReceiptTax, SubmittedReceipt } from '../core/receipt.ts';
import type { Fields } from './fields.ts';

const RECEIPT_TYPES = ['FiscalInvoice', 'CreditNote', 'DebitNote'] as const;
const NO_SIGNATURE: SignatureData = { hash: '', signature: '' };

export function readReceipt(fields: Fields): SubmittedReceipt {
  fields.optionalObject('userInfo', readUser);
  fields.optionalOneOf('receiptPrintForm', ['Receipt48', 'InvoiceA4']);
  const currency = fields.text('receiptCurrency', 3);
  if (currency.length < 3) fields.fault('receiptCurrency', 'The field ReceiptCurrency must have 3 characters.');
  return {
    type: fields.oneOf('receiptType', RECEIPT_TYPES),
    currency,
    counter: fields.integer('receiptCounter'),
    globalNo: fields.integer('receiptGlobalNo'),
    invoiceNo: fields.text('invoiceNo', 50),
    buyer: fields.optionalObject('buyerData', readBuyer),
    notes: fields.optionalText('receiptNotes', 500) || undefined,
    date: fields.date('receiptDate'),
    creditDebitNote: fields.optionalObject('creditDebitNote', readOriginal),
    isTaxInclusive: fields.boolean('receiptLinesTaxInclusive'),
    lines: fields.list('receiptLines', readLine),
    taxes: fields.list('receiptTaxes', readTax),
    payments: fields.list('receiptPayments', (payment) => ({
      moneyType: payment.oneOf('moneyTypeCode', MONEY_TYPES),
      amount: payment.decimal('paymentAmount', 21, 2),
    })),
    total: fields.decimal('receiptTotal', 21, 2),
    signature: fields.object('receiptDeviceSignature', readSignature) ?? NO_SIGNATURE,
  };
}

export function readSignature(fields: Fields): SignatureData {
  return { hash: fields.bytes('hash', { exactly: 32 }), signature: fields.bytes('signature', { most: 256 }) };
}

function readLine(fields: Fields): ReceiptLine {
  fields.integer('receiptLineNo');
  fields.text('receiptLineName', 200);
  return {
    kind: fields.oneOf('receiptLineType', ['Sale', 'Discount']),
    hsCode: fields.optionalText('receiptLineHSCode', 8) || undefined,
    price: fields.optionalDecimal('receiptLinePrice', 25, 6),
    quantity: fields.decimal('receiptLineQuantity', 25, 6),
    total: fields.decimal('receiptLineTotal', 21, 2),
    ...readTaxIdentity(fields),
  };
}

function readTax(fields: Fields): ReceiptTax {
  return {
    ...readTaxIdentity(fields),
    taxAmount: fields.decimal('taxAmount', 21, 2),
    salesAmount: fields.decimal('salesAmountWithTax', 21, 2),
  };
}

function readTaxIdentity(fields: Fields) {
  return {
    taxId: fields.integer('taxID'),
    percent: fields.optionalDecimal('taxPercent', 5, 2),
    code: fields.optionalText('taxCode', 3) || undefined,
  };
}

function readBuyer(fields: Fields): Buyer {
  fields.optionalText('buyerTradeName', 250);
  exactLength(fields, 'vatNumber', 9);
  fields.optionalObject('buyerContacts', readContacts);
  fields.optionalObject('buyerAddress', readAddress);
  return {
    registerName: fields.optionalText('buyerRegisterName', 250) || undefined,
    tin: exactLength(fields, 'buyerTIN', 10),
  };
}

/** Only in the OpenAPI document of 2026. */
function readUser(fields: Fields): void {
  fields.text('username', 100);
  fields.text('userFullName', 250);
}

function readContacts(fields: Fields): void {
  fields.optionalText('phoneNo', 20);
  const email = fields.optionalText('email', 100);
  if (email !== undefined && !/^[^@\s]+@[^@\s]+$/.test(email)) {
    fields.fault('email', 'The Email field is not a valid e-mail address.');
  }
}

/** The prose requires four of them; the OpenAPI document of 2026 allows each to be missing. */
function readAddress(fields: Fields): void {
  for (const name of ['province', 'city', 'street', 'houseNo', 'district']) fields.optionalText(name, 100);
}

function readOriginal(fields: Fields): OriginalReference {
  return {
    receiptId: fields.optionalInteger('receiptID', Number.MAX_SAFE_INTEGER),
    deviceId: fields.optionalInteger('deviceID'),
    globalNo: fields.optionalInteger('receiptGlobalNo'),
    dayNo: fields.optionalInteger('fiscalDayNo'),
  };
}

function exactLength(fields: Fields, name: string, length: number): string | undefined {
  const value = fields.optionalText(name, length) || undefined;
  if (value !== undefined && value.length !== length) {
    fields.fault(name, `The field ${name} must have exactly ${length} characters.`);
  }
  return value;
}

import type { ReceiptBody } from '../../../src/contract/fiscal/receipt-body.ts';
import type { Receipt } from '../../../src/fdms/core/receipt.ts';
import { readReceipt } from '../../../src/fiscal/core/read-receipt.ts';
import { parseExactJson } from '../../../src/platform/json/exact-json.ts';
import { toJson } from '../exact-number.ts';

/** The receipt as the service reads it from the wire. Numbers of an object may be given as ExactNumber. */
export function receiptOf(wire: object | string): Receipt {
  const json = parseExactJson(Buffer.from(typeof wire === 'string' ? wire : toJson(wire)));
  return readReceipt(json.value as ReceiptBody, json.decimal);
}

/** A valid invoice to start a test from: 115.50 at 15.5 % inclusive, paid in cash, dated at noon in Harare. */
export function invoice(deviceId: number, reference: string, changes: object = {}) {
  return {
    AuthorityDeviceId: deviceId,
    Type: 'FiscalInvoice',
    Currency: 'USD',
    Reference: reference,
    Date: '2026-11-15T12:00:00',
    ReceiptLinesTaxInclusive: true,
    TotalAmount: 115.5,
    ReceiptLines: [
      {
        Type: 'Sale',
        Name: 'Kettle',
        HsCode: '8516',
        UnitPrice: 115.5,
        Quantity: 1,
        LineTotal: 115.5,
        TaxPercent: 15.5,
      },
    ],
    Payments: [{ Type: 'Cash', Amount: 115.5 }],
    Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: 115.5, TaxAmount: 15.5 }],
    ...changes,
  };
}

/** A credit note over the whole of `invoice`, or over `amount` of it (give the matching tax). */
export function creditNote(deviceId: number, reference: string, originalReference: string, changes: object = {}) {
  return invoice(deviceId, reference, {
    Type: 'CreditNote',
    OriginalReference: originalReference,
    Notes: 'Returned',
    TotalAmount: -115.5,
    ReceiptLines: [
      {
        Type: 'Sale',
        Name: 'Kettle',
        HsCode: '8516',
        UnitPrice: -115.5,
        Quantity: 1,
        LineTotal: -115.5,
        TaxPercent: 15.5,
      },
    ],
    Payments: [{ Type: 'Cash', Amount: -115.5 }],
    Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: -115.5, TaxAmount: -15.5 }],
    ...changes,
  });
}

import type { PaymentType } from '../../contract/payment.ts';
import { type Decimal, formatDecimal } from '../../kernel/decimal.ts';

/** A receipt in the words of the signing API, as far as an automatic invoice or its credit note needs them. */
export interface FiscalReceipt {
  readonly AuthorityDeviceId: number;
  readonly Type: 'FiscalInvoice' | 'CreditNote';
  readonly Currency: string;
  readonly Reference: string;
  readonly Date: string;
  readonly ReceiptLinesTaxInclusive: boolean;
  readonly TotalAmount: Decimal;
  readonly ReceiptLines: readonly FiscalLine[];
  readonly Payments: readonly { readonly Type: PaymentType; readonly Amount: Decimal }[];
  readonly Taxes: readonly FiscalTax[];
  readonly OriginalReference: string | undefined;
  readonly Notes: string | undefined;
}

export interface FiscalLine {
  readonly Name: string;
  readonly HsCode: string | undefined;
  readonly UnitPrice: Decimal | undefined;
  readonly Quantity: Decimal;
  readonly LineTotal: Decimal;
  /** Null: exempt, which is not 0. */
  readonly TaxPercent: Decimal | null;
}

export interface FiscalTax {
  readonly TaxPercent: Decimal | null;
  readonly SalesAmountWithTax: Decimal;
  readonly TaxAmount: Decimal;
}

/** Whole seconds, in UTC: the signing service cuts milliseconds, and must find the same date when it compares. */
export function receiptDate(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}

/** As it is sent and stored. Written by hand because no JSON writer keeps numbers of more than 15 digits exact. */
export function fiscalReceiptText(receipt: FiscalReceipt): string {
  return object([
    ['AuthorityDeviceId', String(receipt.AuthorityDeviceId)],
    ['Type', JSON.stringify(receipt.Type)],
    ['Currency', JSON.stringify(receipt.Currency)],
    ['Reference', JSON.stringify(receipt.Reference)],
    ['Date', JSON.stringify(receipt.Date)],
    ['ReceiptLinesTaxInclusive', String(receipt.ReceiptLinesTaxInclusive)],
    ['TotalAmount', formatDecimal(receipt.TotalAmount)],
    ['ReceiptLines', list(receipt.ReceiptLines.map(lineText))],
    [
      'Payments',
      list(
        receipt.Payments.map((payment) =>
          object([
            ['Type', JSON.stringify(payment.Type)],
            ['Amount', formatDecimal(payment.Amount)],
          ]),
        ),
      ),
    ],
    ['Taxes', list(receipt.Taxes.map(taxText))],
    ['OriginalReference', optionalText(receipt.OriginalReference)],
    ['Notes', optionalText(receipt.Notes)],
  ]);
}

function lineText(line: FiscalLine): string {
  return object([
    ['Type', '"Sale"'],
    ['Name', JSON.stringify(line.Name)],
    ['HsCode', optionalText(line.HsCode)],
    ['UnitPrice', line.UnitPrice && formatDecimal(line.UnitPrice)],
    ['Quantity', formatDecimal(line.Quantity)],
    ['LineTotal', formatDecimal(line.LineTotal)],
    ['TaxPercent', percentText(line.TaxPercent)],
  ]);
}

function taxText(tax: FiscalTax): string {
  return object([
    ['TaxPercent', percentText(tax.TaxPercent)],
    ['SalesAmountWithTax', formatDecimal(tax.SalesAmountWithTax)],
    ['TaxAmount', formatDecimal(tax.TaxAmount)],
  ]);
}

function percentText(percent: Decimal | null): string {
  return percent === null ? 'null' : formatDecimal(percent);
}

function optionalText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : JSON.stringify(text);
}

function object(fields: readonly (readonly [string, string | undefined])[]): string {
  const present = fields.filter(([, value]) => value !== undefined);
  return `{${present.map(([name, value]) => `"${name}":${value}`).join(',')}}`;
}

function list(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}

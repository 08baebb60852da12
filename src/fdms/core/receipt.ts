import type { Decimal } from '../../kernel/decimal.ts';
import type { ReceiptDate } from './receipt-date.ts';

/**
 * A receipt whose shape is known to be right and whose numbers are exact. It keeps the field names of the API, so a rule
 * reads like the contract and a refusal names its field without a table in between. Values are not checked yet: `Type`
 * may still be any text. Absent and null optional fields are both `undefined`; only TaxPercent has a meaningful null.
 */
export interface Receipt {
  readonly AuthorityDeviceId: number;
  readonly Type: string;
  readonly Currency: string;
  readonly Reference: string;
  readonly Date: ReceiptDate;
  readonly ReceiptLinesTaxInclusive: boolean;
  readonly TotalAmount: Decimal;
  readonly ReceiptLines: readonly ReceiptLine[];
  readonly Payments: readonly Payment[];
  readonly Taxes: readonly TaxSummary[];
  readonly OriginalReference: string | undefined;
  readonly OriginalFiscalDayNumber: number | undefined;
  readonly OriginalGlobalCounter: number | undefined;
  readonly OriginalAuthorityDeviceId: number | undefined;
  readonly Notes: string | undefined;
  readonly ReceiptPrintForm: string;
  readonly BuyerTIN: string | undefined;
  readonly BuyerVAT: string | undefined;
  readonly BuyerName: string | undefined;
  readonly BuyerAddress: string | undefined;
  readonly BuyerPhone: string | undefined;
  readonly BuyerEmail: string | undefined;
  readonly Cashier: string | undefined;
}

export interface ReceiptLine {
  readonly Type: string;
  readonly Name: string;
  readonly HsCode: string | undefined;
  readonly UnitPrice: Decimal | undefined;
  readonly Quantity: Decimal;
  readonly LineTotal: Decimal;
  readonly TaxPercent: Decimal | null;
}

export interface Payment {
  readonly Type: string;
  readonly Amount: Decimal;
}

export interface TaxSummary {
  readonly TaxPercent: Decimal | null;
  readonly SalesAmountWithTax: Decimal;
  readonly TaxAmount: Decimal;
}

export function isNote(receipt: Receipt): boolean {
  return receipt.Type === 'CreditNote' || receipt.Type === 'DebitNote';
}

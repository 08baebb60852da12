import type { NormalisedReceipt } from '../../contract/fiscal/receipt-body.ts';
import type { ReceiptDate } from './receipt-date.ts';

/**
 * A receipt whose shape is known to be right and whose numbers are exact. It keeps the field names of the API, so a rule
 * reads like the contract and a refusal names its field without a table in between. Values are not checked yet: `Type`
 * may still be any text. Absent and null optional fields are both `undefined`; only TaxPercent has a meaningful null.
 */
export type Receipt = WithoutNull<Omit<NormalisedReceipt, 'Date' | 'ReceiptPrintForm' | 'ReceiptLines'>> & {
  readonly Date: ReceiptDate;
  readonly ReceiptPrintForm: string;
  readonly ReceiptLines: readonly ReceiptLine[];
};
export type ReceiptLine = WithoutNull<NormalisedReceipt['ReceiptLines'][number]>;
export type Payment = WithoutNull<NormalisedReceipt['Payments'][number]>;
export type TaxSummary = WithoutNull<NormalisedReceipt['Taxes'][number]>;

type WithoutNull<Fields> = {
  readonly [Name in keyof Fields]-?: undefined extends Fields[Name]
    ? Exclude<Fields[Name], null | undefined> | undefined
    : Fields[Name];
};

export function isNote(receipt: Receipt): boolean {
  return receipt.Type === 'CreditNote' || receipt.Type === 'DebitNote';
}

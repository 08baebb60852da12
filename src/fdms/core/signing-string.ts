/**
 * The text a receipt's hash and signature are made over: specification §13.2.1.
 *
 * The fields follow each other without separators, so every one has exactly one spelling: amounts are whole cents,
 * percentages have two decimals, an exempt tax has no percentage at all and the first receipt of a fiscal day no
 * previous hash. This runs for every receipt, hence plain concatenation.
 */
import { type Decimal, formatFixed, toCents } from '../../kernel/decimal.ts';

export type ReceiptType = 'FiscalInvoice' | 'CreditNote' | 'DebitNote';

export interface SealedTax {
  readonly taxId: number;
  readonly taxCode?: string | undefined;
  /** `null` is exempt, which is not the same as 0. */
  readonly taxPercent: Decimal | null;
  readonly taxAmount: Decimal;
  readonly salesAmountWithTax: Decimal;
}

export interface SigningInput {
  readonly deviceId: number;
  readonly type: ReceiptType;
  readonly currency: string;
  readonly globalCounter: number;
  /** Device local time, `YYYY-MM-DDTHH:mm:ss`. */
  readonly date: string;
  readonly total: Decimal;
  /** In any order: the string puts them into its own. */
  readonly taxes: readonly SealedTax[];
  /** The hash this device computed for its previous receipt of the same fiscal day; `undefined` for the first one. */
  readonly previousHash: Buffer | undefined;
}

export function signingString(receipt: SigningInput): string {
  let text =
    receipt.deviceId +
    receipt.type.toUpperCase() +
    receipt.currency.toUpperCase() +
    receipt.globalCounter +
    receipt.date +
    toCents(receipt.total);
  for (const tax of inSigningOrder(receipt.taxes)) {
    text +=
      (tax.taxCode ?? '') + percentText(tax.taxPercent) + toCents(tax.taxAmount) + toCents(tax.salesAmountWithTax);
  }
  return receipt.previousHash === undefined ? text : text + receipt.previousHash.toString('base64');
}

/** The percentage as every signed string spells it: two decimals, nothing for exempt. */
export function percentText(percent: Decimal | null): string {
  return percent === null ? '' : formatFixed(percent, 2);
}

/**
 * taxID as a number, then taxCode with the empty one first. Codes compare by code unit, as the authority's server does:
 * a locale would put `a` before `B`.
 */
function inSigningOrder(taxes: readonly SealedTax[]): readonly SealedTax[] {
  return taxes.toSorted(byTaxIdThenCode);
}

function byTaxIdThenCode(a: SealedTax, b: SealedTax): number {
  if (a.taxId !== b.taxId) return a.taxId - b.taxId;
  return (a.taxCode ?? '') < (b.taxCode ?? '') ? -1 : 1;
}

import type { FdmsMoneyType, FdmsReceiptType, SignatureData } from '../../fdms/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';

/** A receipt as it was submitted, read from the wire: amounts are exact decimals, dates are wall-clock seconds. */
export interface SubmittedReceipt {
  readonly type: FdmsReceiptType;
  readonly currency: string;
  readonly counter: number;
  readonly globalNo: number;
  readonly invoiceNo: string;
  readonly buyer: Buyer | undefined;
  readonly notes: string | undefined;
  readonly date: number;
  readonly creditDebitNote: OriginalReference | undefined;
  readonly isTaxInclusive: boolean;
  readonly lines: readonly ReceiptLine[];
  readonly taxes: readonly ReceiptTax[];
  readonly payments: readonly Payment[];
  readonly total: Decimal;
  readonly signature: SignatureData;
}

/** The authority takes a buyer without name or TIN as a red receipt, not as a malformed one. */
export interface Buyer {
  readonly registerName: string | undefined;
  readonly tin: string | undefined;
}

export interface OriginalReference {
  readonly receiptId: number | undefined;
  readonly deviceId: number | undefined;
  readonly globalNo: number | undefined;
  readonly dayNo: number | undefined;
}

/** What a tax is on the wire; `percent` undefined means exempt, which is not 0. */
export interface TaxIdentity {
  readonly taxId: number;
  readonly percent: Decimal | undefined;
  readonly code: string | undefined;
}

export interface ReceiptLine extends TaxIdentity {
  readonly kind: 'Sale' | 'Discount';
  readonly hsCode: string | undefined;
  readonly price: Decimal | undefined;
  readonly quantity: Decimal;
  readonly total: Decimal;
}

export interface ReceiptTax extends TaxIdentity {
  readonly taxAmount: Decimal;
  readonly salesAmount: Decimal;
}

export interface Payment {
  readonly moneyType: FdmsMoneyType;
  readonly amount: Decimal;
}

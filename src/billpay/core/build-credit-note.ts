import { negate } from '../../kernel/decimal.ts';
import { type FiscalReceipt, receiptDate } from './fiscal-receipt.ts';

export interface CreditNoteInput {
  readonly reference: string;
  readonly date: Date;
  readonly deviceId: number;
  /** As it was sealed: the note takes back what is in the books, not what would be written today. */
  readonly invoice: FiscalReceipt;
  readonly notes: string;
}

/** Takes an invoice back whole: the same lines, taxes and payments with the opposite sign. Quantities stay positive. */
export function buildCreditNote({ reference, date, deviceId, invoice, notes }: CreditNoteInput): FiscalReceipt {
  return {
    ...invoice,
    AuthorityDeviceId: deviceId,
    Type: 'CreditNote',
    Reference: reference,
    Date: receiptDate(date),
    TotalAmount: negate(invoice.TotalAmount),
    ReceiptLines: invoice.ReceiptLines.map((line) => ({
      ...line,
      UnitPrice: line.UnitPrice && negate(line.UnitPrice),
      LineTotal: negate(line.LineTotal),
    })),
    Payments: invoice.Payments.map((payment) => ({ ...payment, Amount: negate(payment.Amount) })),
    Taxes: invoice.Taxes.map((tax) => ({
      ...tax,
      SalesAmountWithTax: negate(tax.SalesAmountWithTax),
      TaxAmount: negate(tax.TaxAmount),
    })),
    OriginalReference: invoice.Reference,
    Notes: notes,
  };
}

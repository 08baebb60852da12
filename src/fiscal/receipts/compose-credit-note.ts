import type { InvoiceCredit } from '../../contract/fiscal/managed-receipt.ts';
import { type Receipt, type ReceiptDate, type ReceiptLine, taxSums } from '../../fdms/index.ts';
import { compare, type Decimal, formatDecimal, negate } from '../../kernel/decimal.ts';
import { partOfLine } from '../../kernel/line-part.ts';
import type { Violation } from '../../kernel/refusal.ts';
import type { TaxRounding } from '../../kernel/tax.ts';
import type { CompletedReceipt } from '../core/complete-receipt.ts';

/**
 * The credit note over an invoice or some of its lines, as a till would send it. What is left to credit, and everything else that
 * holds for a credit note, is for the rules to check when it is signed.
 */
export function creditNoteOf(
  invoice: Receipt,
  wanted: InvoiceCredit,
  date: ReceiptDate,
  rounding?: TaxRounding,
): CompletedReceipt {
  const chosen: NonNullable<InvoiceCredit['ReceiptLines']> =
    wanted.ReceiptLines ?? invoice.ReceiptLines.map((_, index) => ({ Line: index + 1 }));
  const lines = chosen.map(({ Line, Quantity }) => {
    const line = invoice.ReceiptLines[Line - 1];
    return line && credited(line, Quantity ?? line.Quantity);
  });
  const ReceiptLines = lines.filter((line) => line !== undefined);
  const { Taxes, TotalAmount } = taxSums(invoice.ReceiptLinesTaxInclusive, ReceiptLines, rounding);
  const Type = wanted.PaymentType ?? invoice.Payments[0]?.Type ?? 'Cash';
  const receipt: Receipt = {
    ...invoice,
    AuthorityDeviceId: wanted.AuthorityDeviceId ?? invoice.AuthorityDeviceId,
    Type: 'CreditNote',
    Reference: wanted.Reference,
    Date: date,
    TotalAmount,
    ReceiptLines,
    Payments: [{ Type, Amount: TotalAmount }],
    Taxes,
    OriginalReference: invoice.Reference,
    Notes: wanted.Notes,
    Cashier: undefined,
  };
  return { receipt, violations: chosen.flatMap((_, index) => checkChosen(invoice, chosen, index)) };
}

function credited(line: ReceiptLine, quantity: Decimal): ReceiptLine {
  const { UnitPrice, LineTotal, ...part } = partOfLine(line, quantity);
  return { ...line, ...part, UnitPrice: UnitPrice && negate(UnitPrice), LineTotal: negate(LineTotal) };
}

function checkChosen(
  { ReceiptLines: lines }: Receipt,
  chosen: NonNullable<InvoiceCredit['ReceiptLines']>,
  index: number,
): Violation[] {
  const { Line, Quantity } = chosen[index] ?? { Line: 0 };
  const line = lines[Line - 1];
  const at = `ReceiptLines[${index}]`;
  if (line === undefined) {
    const Message = `the invoice has no line ${Line}: choose 1 to ${lines.length}`;
    return [{ Field: `${at}.Line`, Code: 'OutOfRange', Message }];
  }
  if (chosen.findIndex((one) => one.Line === Line) < index) {
    const Message = `line ${Line} is chosen twice: choose it once, with all that is to be credited of it`;
    return [{ Field: `${at}.Line`, Code: 'Duplicate', Message }];
  }
  if (Quantity !== undefined && compare(Quantity, line.Quantity) > 0) {
    const Message = `line ${Line} (${line.Name}) has ${formatDecimal(line.Quantity)}: credit at most that`;
    return [{ Field: `${at}.Quantity`, Code: 'OutOfRange', Message }];
  }
  return [];
}

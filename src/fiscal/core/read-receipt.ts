import { OPTIONAL_FIELDS, type OptionalField, type ReceiptDraft } from '../../contract/fiscal/receipt-body.ts';
import { type Payment, type Receipt, type ReceiptLine, readReceiptDate, type TaxSummary } from '../../fdms/index.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { type Decimal, hasMoreWholeDigits } from '../../kernel/decimal.ts';

/** Stands for a number that no device or receipt can have, such as 1001.00000000000000001, which a float takes for 1001. */
const NO_SUCH_NUMBER = -1;

/** Returns a number of the parsed document exactly as it was written, digit by digit. */
export type ExactNumber = (holder: object, key: string) => Decimal;

/**
 * From the wire to a receipt with exact numbers. Total: whatever has the right shape can be read, so that a request that
 * breaks rules can still be compared with a sealed receipt of the same reference. ZIG becomes ZWG, the date loses its
 * fraction, empty optional texts and numbers of an original that are 0 become absent, because that is how typed programs send
 * nothing, and the print form gets its default here; what a taxpayer or token adds comes later (apply-defaults.ts). A draft may
 * lack sums; then `exact` has to say what is there instead (complete-receipt.ts).
 */
export function readReceipt(wire: ReceiptDraft, exact: ExactNumber): Receipt {
  const percent = (holder: { TaxPercent: number | null }): Decimal | null =>
    holder.TaxPercent === null ? null : exact(holder, 'TaxPercent');
  // Not `Object.fromEntries`: every receipt passes here, and that takes a third longer.
  const optional: Partial<Record<OptionalField, string | number | undefined>> = {};
  for (const name of OPTIONAL_FIELDS) {
    const value = wire[name];
    if (typeof value === 'number') optional[name] = wholeNumber(exact(wire, name)) || undefined;
    else optional[name] = value === null || value === '' ? undefined : value;
  }
  return {
    AuthorityDeviceId: wholeNumber(exact(wire, 'AuthorityDeviceId')),
    Type: wire.Type,
    Currency: canonicalCurrency(wire.Currency),
    Reference: wire.Reference,
    Date: readReceiptDate(wire.Date ?? ''),
    ReceiptLinesTaxInclusive: wire.ReceiptLinesTaxInclusive,
    TotalAmount: exact(wire, 'TotalAmount'),
    ReceiptLines: wire.ReceiptLines.map(
      (line): ReceiptLine => ({
        Type: line.Type,
        Name: line.Name,
        HsCode: line.HsCode || undefined,
        UnitPrice: typeof line.UnitPrice === 'number' ? exact(line, 'UnitPrice') : undefined,
        Quantity: exact(line, 'Quantity'),
        LineTotal: exact(line, 'LineTotal'),
        TaxPercent: percent(line),
      }),
    ),
    Payments: wire.Payments.map((payment): Payment => ({ Type: payment.Type, Amount: exact(payment, 'Amount') })),
    Taxes: (wire.Taxes ?? []).map(
      (tax): TaxSummary => ({
        TaxPercent: percent(tax),
        SalesAmountWithTax: exact(tax, 'SalesAmountWithTax'),
        TaxAmount: exact(tax, 'TaxAmount'),
      }),
    ),
    ...(optional as Pick<Receipt, OptionalField>),
    ReceiptPrintForm: wire.ReceiptPrintForm || 'Receipt48',
  };
}

function wholeNumber(value: Decimal): number {
  return value.scale === 0 && !hasMoreWholeDigits(value, 15) ? Number(value.coefficient) : NO_SUCH_NUMBER;
}

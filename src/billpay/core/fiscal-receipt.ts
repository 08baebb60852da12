import { type Static, type TSchema, Type } from 'typebox';
import { decimal, oneOf, orNull } from '../../contract/shared/schemas.ts';
import { PAYMENT_TYPES } from '../../contract/shared/values.ts';
import { equals } from '../../kernel/decimal.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';

const optional = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Unsafe<Static<Schema> | null | undefined>(orNull(schema)));
/** Null: exempt, which is not 0. */
const TaxPercent = orNull(decimal());

const FiscalLine = Type.Object({
  Type: optional(Type.String()),
  Name: Type.String(),
  HsCode: optional(Type.String()),
  UnitPrice: optional(decimal()),
  Quantity: decimal(),
  LineTotal: decimal(),
  TaxPercent,
});
export type FiscalLine = Static<typeof FiscalLine>;
const FiscalTax = Type.Object({ TaxPercent, SalesAmountWithTax: decimal(), TaxAmount: decimal() });
export type FiscalTax = Static<typeof FiscalTax>;

/** A receipt in the words of the signing API, as far as an automatic invoice or its credit note needs them. */
export const FiscalReceipt = Type.Object({
  AuthorityDeviceId: Type.Integer(),
  Type: oneOf(['FiscalInvoice', 'CreditNote']),
  Currency: Type.String(),
  Reference: Type.String(),
  Date: Type.String(),
  ReceiptLinesTaxInclusive: Type.Boolean(),
  TotalAmount: decimal(),
  ReceiptLines: Type.Array(FiscalLine),
  Payments: Type.Array(Type.Object({ Type: oneOf(PAYMENT_TYPES), Amount: decimal() })),
  Taxes: Type.Array(FiscalTax),
  OriginalReference: optional(Type.String()),
  Notes: optional(Type.String()),
});
export type FiscalReceipt = Static<typeof FiscalReceipt>;

/** As the signing API answers it. Further fields may come and are passed over: that API grows by additions. */
export const SignedReceipt = Type.Object({
  ...FiscalReceipt.properties,
  DeviceSerialNumber: Type.String(),
  FiscalDayNumber: Type.Integer(),
  FiscalDayCounter: Type.Integer(),
  GlobalCounter: Type.Integer(),
  VerificationCode: Type.String({ minLength: 1 }),
  QrCodeContent: Type.String({ minLength: 1 }),
});
export type SignedReceipt = Static<typeof SignedReceipt>;

/** Whole seconds, in UTC: the signing service cuts milliseconds, and must find the same date when it compares. */
export function receiptDate(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}

/** As it is sent and stored: what was signed has further fields, and a credit note is made from it. */
export function fiscalReceiptText(receipt: FiscalReceipt): string {
  const { AuthorityDeviceId, Currency, Reference, ReceiptLinesTaxInclusive, TotalAmount } = receipt;
  return writeExactJson({
    AuthorityDeviceId,
    Type: receipt.Type,
    Currency,
    Reference,
    Date: receipt.Date,
    ReceiptLinesTaxInclusive,
    TotalAmount,
    ReceiptLines: receipt.ReceiptLines.map((line) => ({
      Type: 'Sale',
      Name: line.Name,
      HsCode: line.HsCode ?? undefined,
      UnitPrice: line.UnitPrice ?? undefined,
      Quantity: line.Quantity,
      LineTotal: line.LineTotal,
      TaxPercent: line.TaxPercent,
    })),
    Payments: receipt.Payments.map((payment) => ({ Type: payment.Type, Amount: payment.Amount })),
    Taxes: receipt.Taxes.map((tax) => ({
      TaxPercent: tax.TaxPercent,
      SalesAmountWithTax: tax.SalesAmountWithTax,
      TaxAmount: tax.TaxAmount,
    })),
    OriginalReference: receipt.OriginalReference ?? undefined,
    Notes: receipt.Notes ?? undefined,
  });
}

/**
 * Whether a receipt found under our reference is the one we wanted sealed, perhaps with an earlier body: another date, other
 * tax settings. The device may differ too; what was sold, to which total and in which currency may not.
 */
export function isOurs(found: FiscalReceipt, wanted: FiscalReceipt): boolean {
  return (
    found.Reference === wanted.Reference &&
    found.Type === wanted.Type &&
    found.Currency === wanted.Currency &&
    (found.OriginalReference ?? undefined) === (wanted.OriginalReference ?? undefined) &&
    equals(found.TotalAmount, wanted.TotalAmount) &&
    soldText(found) === soldText(wanted)
  );
}

function soldText({ ReceiptLines }: FiscalReceipt): string {
  return writeExactJson(ReceiptLines.map(({ Name, Quantity }) => ({ Name, Quantity })));
}

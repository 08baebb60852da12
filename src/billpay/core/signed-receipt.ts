import { type Static, Type } from 'typebox';
import type { PaymentType } from '../../contract/payment.ts';
import { equals, readDecimal } from '../../kernel/decimal.ts';
import type { FiscalReceipt } from './fiscal-receipt.ts';
import type { NumberText } from './number-text.ts';

/**
 * A signed receipt as the signing API answers it, and as much of it as is used here. Further fields may come and are passed
 * over: that API grows by additions.
 */
const percent = Type.Unsafe<number | null>({ type: ['number', 'null'] });
const optionalText = Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] }));

const receiptFields = {
  AuthorityDeviceId: Type.Integer(),
  Type: Type.String({ enum: ['FiscalInvoice', 'CreditNote'] }),
  Currency: Type.String(),
  Reference: Type.String(),
  Date: Type.String(),
  ReceiptLinesTaxInclusive: Type.Boolean(),
  TotalAmount: Type.Number(),
  ReceiptLines: Type.Array(
    Type.Object({
      Name: Type.String(),
      HsCode: optionalText,
      UnitPrice: Type.Optional(percent),
      Quantity: Type.Number(),
      LineTotal: Type.Number(),
      TaxPercent: percent,
    }),
  ),
  Payments: Type.Array(Type.Object({ Type: Type.String(), Amount: Type.Number() })),
  Taxes: Type.Array(Type.Object({ TaxPercent: percent, SalesAmountWithTax: Type.Number(), TaxAmount: Type.Number() })),
  OriginalReference: optionalText,
  Notes: optionalText,
};

export const FiscalReceiptSchema = Type.Object(receiptFields);
export const SignedReceiptSchema = Type.Object({
  ...receiptFields,
  DeviceSerialNumber: Type.String(),
  FiscalDayNumber: Type.Integer(),
  FiscalDayCounter: Type.Integer(),
  GlobalCounter: Type.Integer(),
  VerificationCode: Type.String({ minLength: 1 }),
  QrCodeContent: Type.String({ minLength: 1 }),
});

export type WireFiscalReceipt = Static<typeof FiscalReceiptSchema>;
export type WireSignedReceipt = Static<typeof SignedReceiptSchema>;

/** Its shape has been checked. */
export function readFiscalReceipt(wire: WireFiscalReceipt, numberText: NumberText): FiscalReceipt {
  const exact = (holder: object, key: string) => readDecimal(numberText(holder, key));
  const exempt = (holder: { readonly TaxPercent: number | null }) =>
    holder.TaxPercent === null ? null : exact(holder, 'TaxPercent');
  return {
    AuthorityDeviceId: wire.AuthorityDeviceId,
    Type: wire.Type as FiscalReceipt['Type'],
    Currency: wire.Currency,
    Reference: wire.Reference,
    Date: wire.Date,
    ReceiptLinesTaxInclusive: wire.ReceiptLinesTaxInclusive,
    TotalAmount: exact(wire, 'TotalAmount'),
    ReceiptLines: wire.ReceiptLines.map((line) => ({
      Name: line.Name,
      HsCode: line.HsCode ?? undefined,
      UnitPrice: typeof line.UnitPrice === 'number' ? exact(line, 'UnitPrice') : undefined,
      Quantity: exact(line, 'Quantity'),
      LineTotal: exact(line, 'LineTotal'),
      TaxPercent: exempt(line),
    })),
    Payments: wire.Payments.map((payment) => ({
      Type: payment.Type as PaymentType,
      Amount: exact(payment, 'Amount'),
    })),
    Taxes: wire.Taxes.map((tax) => ({
      TaxPercent: exempt(tax),
      SalesAmountWithTax: exact(tax, 'SalesAmountWithTax'),
      TaxAmount: exact(tax, 'TaxAmount'),
    })),
    OriginalReference: wire.OriginalReference ?? undefined,
    Notes: wire.Notes ?? undefined,
  };
}

/**
 * Whether a receipt found under our reference is the one we wanted sealed, perhaps with an earlier body: another date, other
 * tax settings. The device may differ too; what was sold, to which total and in which currency may not.
 */
export function isOurs(found: FiscalReceipt, wanted: FiscalReceipt): boolean {
  const { ReceiptLines: lines } = wanted;
  return (
    found.Reference === wanted.Reference &&
    found.Type === wanted.Type &&
    found.Currency === wanted.Currency &&
    found.OriginalReference === wanted.OriginalReference &&
    equals(found.TotalAmount, wanted.TotalAmount) &&
    found.ReceiptLines.length === lines.length &&
    found.ReceiptLines.every((line, index) => {
      const ours = lines[index];
      return ours !== undefined && line.Name === ours.Name && equals(line.Quantity, ours.Quantity);
    })
  );
}

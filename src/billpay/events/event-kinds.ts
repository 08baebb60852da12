import { type Static, Type } from 'typebox';

const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });
const instant = Type.String({ format: 'date-time' });
const references = { VendorReference: Type.String(), BillPayReference: Type.String() };
const payment = { ...references, BillerCode: Type.String() };

/** What a vendor's event carries, by its type. Written, read and described by this. */
export const VENDOR_EVENTS = {
  'payment.paid': Type.Object({ ...payment, PaidAt: instant }, { description: 'A payment was paid.' }),
  'payment.failed': Type.Object(
    { ...payment, FailedAt: instant, Narration: textOrNull('Why.') },
    { description: 'A payment failed: it is not paid, and never will be under this reference.' },
  ),
  'payment.flagged': Type.Object(
    { ...payment, FlaggedAt: instant, Narration: textOrNull('Why.') },
    {
      description:
        'Whether a payment is paid is in doubt; a person settles it, and payment.paid or payment.failed follows.',
    },
  ),
  'payment.fiscalised': Type.Object(
    {
      ...references,
      VendorInvoiceReference: Type.String(),
      VendorFiscalSignature: Type.String({ description: 'To be printed as a QR code on the invoice.' }),
      VendorFiscalMetadata: Type.Object({
        VerificationCode: Type.String(),
        DeviceId: Type.Integer(),
        DeviceSerialNumber: Type.String(),
        FiscalDayNumber: Type.Integer(),
        FiscalDayCounter: Type.Integer(),
        GlobalCounter: Type.Integer(),
      }),
    },
    { description: 'The invoice of a payment is sealed.' },
  ),
  'payment.reversed': Type.Object(
    { ...payment, ReversedAt: instant },
    { description: 'A paid payment was taken back.' },
  ),
  'biller.changed': Type.Object(
    { BillerCode: Type.String() },
    { description: 'What `ListBillers` shows of a biller has changed.' },
  ),
};

export type VendorEventType = keyof typeof VENDOR_EVENTS;

/** An event with the data of its type. */
export type TypedVendorEvent = {
  [Kind in VendorEventType]: { readonly type: Kind; readonly data: Static<(typeof VENDOR_EVENTS)[Kind]> };
}[VendorEventType];

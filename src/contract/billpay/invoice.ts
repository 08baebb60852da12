import { operation } from '../shared/operation.ts';
import { answered, LAST_PAGE, pages, shape, Type } from '../shared/vocabulary.ts';
import { FiscalMetadata, PAYMENT_STATES } from './payment.ts';

export const INVOICE_STATES = ['Waiting', 'Sealed', 'Rejected'] as const;
export type InvoiceState = (typeof INVOICE_STATES)[number];
export const INVOICE_KINDS = ['Invoice', 'CreditNote'] as const;
export type InvoiceKind = (typeof INVOICE_KINDS)[number];

const fields = {
  Reference: Type.String({
    description: '`VendorInvoiceReference` of the payment; of a credit note with `-CN` behind it.',
  }),
  Kind: Type.oneOf(INVOICE_KINDS),
  State: Type.oneOf(INVOICE_STATES, {
    description:
      '`Waiting` to be sealed, tried again automatically; `Sealed`; `Rejected`: the signing service will not accept it until something is changed.',
  }),
  VendorId: Type.String({ format: 'uuid' }),
  VendorCode: Type.String(),
  VendorReference: Type.String({ description: "The vendor's reference of the payment." }),
  BillPayReference: Type.String({ description: 'Our reference of the payment.' }),
  BillerCode: Type.String(),
  PaymentStatus: Type.oneOf(PAYMENT_STATES),
  Currency: Type.String(),
  TotalAmount: Type.decimal({ description: 'What the member paid, including the fee.' }),
  VendorFiscalSignature: Type.textOrNull({ description: 'What the QR code shows, once sealed.' }),
  VendorFiscalMetadata: Type.orNull(FiscalMetadata, {
    description: 'Verification code, device and counters, once sealed.',
  }),
  Attempts: Type.Integer(),
  NextAttemptAt: Type.orNull(Type.Instant, { description: 'While it waits and is not held back by its invoice.' }),
  WaitsForInvoice: Type.Boolean({ description: 'A credit note is sent only after its invoice is sealed.' }),
  LastStatus: Type.orNull(Type.Integer(), {
    description: 'What the signing service answered last; null when it did not.',
  }),
  Error: Type.textOrNull({ description: 'Why it is not sealed, and what to set.' }),
  Errors: Type.Array(Type.Object({ Field: Type.String(), Code: Type.String(), Message: Type.String() }), {
    description: "The signing service's own list: Field, Code, Message.",
  }),
  CreatedAt: Type.Instant,
  SealedAt: Type.orNull(Type.Instant),
};
export const PaymentInvoice = shape('PaymentInvoice', fields);
export type PaymentInvoice = Type.Static<typeof PaymentInvoice>;

export const listPaymentInvoices = operation('GET /api/admin/invoices', {
  access: { installation: 'viewer', vendor: 'viewer' },
  summary: 'List the automatic invoices of payments',
  description: 'Invoices and credit notes of all vendors, newest first.',
  ...pages('Invoices', PaymentInvoice, 'PaymentInvoiceList', {
    VendorId: Type.Id,
    State: Type.oneOf(INVOICE_STATES),
    Kind: Type.oneOf(INVOICE_KINDS),
    BillPayReference: Type.String({ maxLength: 50, description: 'Those of one payment.' }),
    Cursor: Type.String({ pattern: '^[0-9]{1,15}_[A-Z0-9-]{1,50}$', description: LAST_PAGE }),
  }),
});

export const getPaymentInvoice = operation('GET /api/admin/invoices/:reference', {
  access: { installation: 'viewer', vendor: 'viewer' },
  summary: 'Show an automatic invoice with its receipt',
  answer: answered(
    'The invoice or credit note.',
    shape('PaymentInvoiceWithReceipt', {
      ...fields,
      Receipt: Type.orNull(Type.Unsafe<object>({ type: 'object' }), {
        description: 'The body as it is sent; once sealed, as the signing service answered it.',
      }),
    }),
  ),
});

export const retryPaymentInvoice = operation('POST /api/admin/invoices/:reference/retry', {
  access: { installation: 'operator', vendor: 'clerk' },
  summary: 'Retry an automatic invoice now',
  description:
    'A rejected one is built again from the current configuration. A waiting one is sent immediately, unchanged. A sealed one, and a credit note whose invoice is not sealed yet, stay as they are.',
  answer: answered('As it is now.', PaymentInvoice),
});

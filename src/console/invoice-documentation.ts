import { Type } from 'typebox';
import { INVOICE_STATES } from '../billpay/index.ts';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf, textOrNull } from './schemas.ts';

const objectOrNull = (description: string) => Type.Unsafe<object | null>({ type: ['object', 'null'], description });

const fields = {
  Reference: Type.String({
    description: '`VendorInvoiceReference` of the payment; of a credit note with `-CN` behind it.',
  }),
  Kind: Type.String({ enum: ['Invoice', 'CreditNote'] }),
  State: Type.String({
    enum: INVOICE_STATES,
    description:
      '`Waiting` to be sealed, tried again by itself; `Sealed`; `Rejected`: the signing service will not take it until something is changed.',
  }),
  VendorId: Type.String({ format: 'uuid' }),
  VendorCode: Type.String(),
  VendorReference: Type.String({ description: "The vendor's reference of the payment." }),
  BillPayReference: Type.String({ description: 'Our reference of the payment.' }),
  BillerCode: Type.String(),
  PaymentStatus: Type.String(),
  Currency: Type.String(),
  TotalAmount: Type.Number({ description: 'What the member paid, fee included.' }),
  VendorFiscalSignature: textOrNull({ description: 'What the QR code shows, once sealed.' }),
  VendorFiscalMetadata: objectOrNull('Verification code, device and counters, once sealed.'),
  Attempts: Type.Integer(),
  NextAttemptAt: textOrNull({
    format: 'date-time',
    description: 'While it waits and is not held back by its invoice.',
  }),
  WaitsForInvoice: Type.Boolean({ description: 'A credit note goes only after its invoice is sealed.' }),
  LastStatus: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'What the signing service answered last; null when it did not.',
  }),
  Error: textOrNull({ description: 'Why it is not sealed, and what to set.' }),
  Errors: Type.Array(Type.Unsafe<object>({ type: 'object' }), {
    description: "The signing service's own list: Field, Code, Message.",
  }),
  CreatedAt: Type.String({ format: 'date-time' }),
  SealedAt: textOrNull({ format: 'date-time' }),
};
const InvoiceSchema = Type.Object(fields, { title: 'PaymentInvoice' });
const InvoiceWithReceiptSchema = Type.Object(
  {
    ...fields,
    Receipt: objectOrNull('The body as it is sent; once sealed, as the signing service answered it.'),
  },
  { title: 'PaymentInvoiceWithReceipt' },
);

const example = {
  Reference: 'BP-7QK2M9X4T0B8H3ZC5WRF',
  Kind: 'Invoice',
  State: 'Rejected',
  VendorId: '01a1dd05-b0a1-7e55-9d3e-0a6f5c1b2d90',
  VendorCode: 'SHOPEASY',
  VendorReference: 'SE-20931',
  BillPayReference: 'BPP-4N8V2C7D1K',
  BillerCode: 'CITYPOWER',
  PaymentStatus: 'Paid',
  Currency: 'USD',
  TotalAmount: 117.81,
  VendorFiscalSignature: null,
  VendorFiscalMetadata: null,
  Attempts: 1,
  NextAttemptAt: null,
  WaitsForInvoice: false,
  LastStatus: 400,
  Error: 'The signing service answered 400 InvalidRequest: The receipt has errors.',
  Errors: [
    {
      Field: 'ReceiptLines[0].TaxPercent',
      Code: 'RCPT025',
      Message: 'TaxPercent must be one of 15.5, 0, null (exempt), got 15',
    },
  ],
  CreatedAt: '2026-11-15T10:00:00.000Z',
  SealedAt: null,
};
const retried = { ...example, State: 'Waiting', NextAttemptAt: '2026-11-15T11:00:00.000Z' };

export const listInvoicesDocumentation: RouteDocumentation = {
  operationId: 'listPaymentInvoices',
  tag: 'Administration',
  summary: 'List the automatic invoices of payments',
  description: 'Invoices and credit notes of all vendors, newest first.',
  answers: { 200: listOf('Invoices', InvoiceSchema, 'PaymentInvoiceList', example) },
};

export const getInvoiceDocumentation: RouteDocumentation = {
  operationId: 'getPaymentInvoice',
  tag: 'Administration',
  summary: 'Show an automatic invoice with its receipt',
  answers: {
    200: {
      description: 'The invoice or credit note.',
      schema: InvoiceWithReceiptSchema,
      examples: { rejected: { summary: 'Rejected', value: { ...example, Receipt: null } } },
    },
  },
  refusals: ['NotFound'],
};

export const retryInvoiceDocumentation: RouteDocumentation = {
  operationId: 'retryPaymentInvoice',
  tag: 'Administration',
  summary: 'Try an automatic invoice again now',
  description:
    'A rejected one is built anew from what is configured now. One that waits goes at once with the body it has. A sealed one, and a credit note whose invoice is not sealed yet, stay as they are.',
  answers: {
    200: {
      description: 'As it stands now.',
      schema: InvoiceSchema,
      examples: { due: { summary: 'Due now', value: retried } },
    },
  },
  refusals: ['NotFound'],
};

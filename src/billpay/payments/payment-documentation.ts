import { Type } from 'typebox';
import { KeyValue } from '../../contract/vocabulary.ts';
import type { RouteDocumentation } from '../../platform/http/documentation.ts';
import { PAYMENT_TYPES } from '../core/payment.ts';
import { PAYMENT_STATES } from '../core/payment-state.ts';
import {
  authorisedExample,
  failedExample,
  paidExample,
  paymentExample,
  plainPaymentExample,
  reversedExample,
  statusExample,
} from './payment-examples.ts';

const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });
const instantOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });

const fields = {
  VendorReference: Type.String({ description: 'Yours.' }),
  BillPayReference: Type.String({ description: 'Ours, unique over all vendors. In the order of time.' }),
  BillerCode: Type.String(),
  MemberNumber: Type.String(),
  MemberName: textOrNull(''),
  Currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  Amount: Type.Number({ description: 'What the biller gets.' }),
  Fee: Type.Number({ description: 'What the payer pays on top.' }),
  TotalAmount: Type.Number({ description: 'Amount + Fee.' }),
  Products: Type.Array(
    Type.Object(
      {
        Code: Type.String(),
        Name: Type.String(),
        Quantity: Type.Integer({ minimum: 1 }),
        Price: Type.Number({ description: 'Of one unit.' }),
      },
      { title: 'PaidProduct' },
    ),
  ),
  PaymentType: Type.String({ enum: PAYMENT_TYPES }),
  MetaData: Type.Array(KeyValue),
  Status: Type.String({
    enum: PAYMENT_STATES,
    description:
      'Authorised: would be taken, nothing is paid. BeingPaid: the biller has not decided; ask again. Paid. Failed: not paid, and ' +
      'never will be under this reference. Flagged: in doubt, a person looks at it. Reversed: was paid and taken back.',
  }),
  Narration: textOrNull('Why it failed or was flagged.'),
  CreatedAt: Type.String({ format: 'date-time' }),
  PaidAt: instantOrNull('When it became Paid: unique per biller.'),
  ReversedAt: instantOrNull(''),
  VendorInvoiceReference: textOrNull('Reference of the invoice made for it; null until the invoice is signed.'),
  VendorFiscalSignature: textOrNull('To be printed as a QR code on the invoice.'),
  VendorFiscalMetadata: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    description: 'Must appear on the customer’s invoice.',
    properties: {
      VerificationCode: { type: 'string' },
      DeviceId: { type: 'integer' },
      DeviceSerialNumber: { type: 'string' },
      FiscalDayNumber: { type: 'integer' },
      FiscalDayCounter: { type: 'integer' },
      GlobalCounter: { type: 'integer' },
    },
  }),
};

export const BillPaymentSchema = Type.Object(fields, { title: 'BillPayment' });

export const PaymentStatusSchema = Type.Object(
  {
    ...fields,
    Transitions: Type.Array(
      Type.Object({
        From: Type.Unsafe<string | null>({ type: ['string', 'null'], enum: [...PAYMENT_STATES, null] }),
        To: Type.String({ enum: PAYMENT_STATES }),
        At: Type.String({ format: 'date-time' }),
        Cause: Type.String(),
      }),
      { description: 'Every change of state, the oldest first.' },
    ),
  },
  { title: 'BillPaymentStatus' },
);

const replayHeader = {
  'Idempotent-Replay': {
    description: '`true` when this was done before: the payment as it stands now, nothing new happened.',
    schema: { type: 'string', enum: ['true'] },
  },
};

const bodyExamples = {
  products: { summary: 'Two units of a product', value: paymentExample },
  plain: { summary: 'An amount, no products', value: plainPaymentExample },
};

export const authDocumentation: RouteDocumentation = {
  operationId: 'authorisePayment',
  tag: 'Payments',
  summary: 'Check and price a payment',
  description:
    'Checks biller, member and products, prices the payment and records nothing but the authorisation. Optional: `pay` does ' +
    'the same by itself. Pay it with the same `VendorReference` and data; the prices of now stand. Needs the scope `pay`.',
  bodyExamples,
  answers: {
    200: {
      description: 'The payment as it stands.',
      schema: BillPaymentSchema,
      headers: replayHeader,
      examples: { authorised: { summary: 'Authorised', value: authorisedExample } },
    },
  },
  refusals: ['ReferenceConflict', 'NotFound'],
};

export const payDocumentation: RouteDocumentation = {
  operationId: 'payBill',
  tag: 'Payments',
  summary: 'Pay a bill',
  description:
    'Safe to repeat: the same `VendorReference` with the same data never pays twice, and answers with the payment as it stands now. ' +
    'After a timeout or any 5xx send the same request again. A `Status` of BeingPaid is decided later: ask for the ' +
    'status. Needs the scope `pay`.',
  bodyExamples,
  answers: {
    200: {
      description: 'The payment as it stands. Look at `Status`: a payment that the biller did not take is Failed.',
      schema: BillPaymentSchema,
      headers: replayHeader,
      examples: {
        paid: { summary: 'Paid', value: paidExample },
        failed: { summary: 'Not taken by the biller', value: failedExample },
      },
    },
  },
  refusals: ['ReferenceConflict', 'NotFound'],
};

export const reverseDocumentation: RouteDocumentation = {
  operationId: 'reversePayment',
  tag: 'Payments',
  summary: 'Take a paid payment back',
  description:
    'Of a Paid payment, once; again, it answers with the reversed payment. Where an invoice was made a credit note for it follows by ' +
    'itself. Name the payment by one of the two references. Needs the scope `pay`.',
  bodyExamples: {
    reverse: { summary: 'By your reference', value: { VendorReference: 'V-000147', Reason: 'Paid twice' } },
  },
  answers: {
    200: {
      description: 'Reversed.',
      schema: BillPaymentSchema,
      headers: replayHeader,
      examples: { reversed: { summary: 'Reversed', value: reversedExample } },
    },
  },
  refusals: ['NotFound', 'NotReversible'],
};

export const statusDocumentation: RouteDocumentation = {
  operationId: 'getPaymentStatus',
  tag: 'Payments',
  summary: 'Ask for the status of a payment',
  description:
    'By exactly one of the two references. The three invoice fields appear together once the invoice is signed. Needs the scope `read`.',
  answers: {
    200: {
      description: 'The payment as it stands, with its history.',
      schema: PaymentStatusSchema,
      examples: { invoiced: { summary: 'Paid and invoiced', value: statusExample } },
    },
  },
  refusals: ['NotFound'],
};

export const listPaymentsDocumentation: RouteDocumentation = {
  operationId: 'listPayments',
  tag: 'Payments',
  summary: 'List your payments',
  description:
    'Newest first. Go on with `Cursor` = `NextCursor` of the page before until it is null. Needs the scope `read`.',
  answers: {
    200: {
      description: 'A page of payments.',
      schema: Type.Object(
        {
          Payments: Type.Array(BillPaymentSchema),
          NextCursor: textOrNull('Cursor of the next page; null on the last.'),
        },
        { title: 'BillPaymentList' },
      ),
      examples: { page: { summary: 'The last page', value: { Payments: [paidExample], NextCursor: null } } },
    },
  },
};

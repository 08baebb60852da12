import { operation } from '../shared/operation.ts';
import { PAYMENT_TYPES } from '../shared/values.ts';
import { answered, input, only, pages, shape, Type } from '../shared/vocabulary.ts';
import { MAX_META_DATA } from './biller.ts';
import { paymentExamples } from './payment-examples.ts';

export const PAYMENT_STATES = ['Authorised', 'BeingPaid', 'Paid', 'Failed', 'Flagged', 'Reversed'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
export type PaymentType = (typeof PAYMENT_TYPES)[number];

export const MAX_PRODUCTS_PAID = 100;
export const MAX_QUANTITY = 999_999_999;

const RequestedProduct = input('RequestedProduct', {
  Code: Type.String({ description: "One of the biller's products." }),
  Name: Type.Optional(Type.textOrNull({ description: "Optional; the biller's own name is stored." })),
  Quantity: Type.wholeDecimal({ minimum: 1, maximum: MAX_QUANTITY }),
  Price: Type.Optional(
    Type.orNull(Type.decimal(), {
      description: 'Of one unit. Needed only where the biller sets none in this currency; otherwise it must match.',
    }),
  ),
});

/** What a vendor asks for. Lengths, patterns and enumerations are enforced by the rules of payments, which know their codes. */
export const PaymentRequest = input(
  'PaymentRequest',
  {
    VendorReference: Type.String({
      minLength: 1,
      maxLength: 50,
      description: 'Your reference of the payment, unique per vendor. The same one never pays twice.',
    }),
    BillerCode: Type.String({ maxLength: 50 }),
    MemberNumber: Type.String({ minLength: 1, maxLength: 100, description: 'The member whom the biller credits.' }),
    MemberName: Type.Optional(Type.textOrNull({ maxLength: 200 })),
    Currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217. ZIG is converted to ZWG.' }),
    Amount: Type.decimal({
      exclusiveMinimum: 0,
      description: 'What the biller gets, without the fee. At most 2 decimals. With products: their sum.',
    }),
    Products: Type.Optional(Type.orNull(Type.Array(RequestedProduct, { maxItems: MAX_PRODUCTS_PAID }))),
    PaymentType: Type.Optional(Type.orNull(Type.oneOf(PAYMENT_TYPES), { description: 'Other by default.' })),
    MetaData: Type.Optional(Type.orNull(Type.Array(Type.KeyValue, { maxItems: MAX_META_DATA }))),
  },
  { 'x-rules-apart': true },
);
export type PaymentRequest = Type.Static<typeof PaymentRequest>;

export const PaidProduct = shape('PaidProduct', {
  Code: Type.String(),
  Name: Type.String(),
  Quantity: Type.Integer({ minimum: 1 }),
  Price: Type.decimal({ description: 'Of one unit.' }),
});

/** What identifies the device and the receipt on the customer's invoice. */
export const FiscalMetadata = Type.Object({
  VerificationCode: Type.String(),
  DeviceId: Type.Integer(),
  DeviceSerialNumber: Type.String(),
  FiscalDayNumber: Type.Integer(),
  FiscalDayCounter: Type.Integer(),
  GlobalCounter: Type.Integer(),
});
export type FiscalMetadata = Type.Static<typeof FiscalMetadata>;

/** The three fields of a payment's invoice. They appear together, once it is signed. */
const invoiceFields = {
  VendorInvoiceReference: Type.textOrNull({
    description: 'Reference of the invoice made for it; null until the invoice is signed.',
  }),
  VendorFiscalSignature: Type.textOrNull({ description: 'To be printed as a QR code on the invoice.' }),
  VendorFiscalMetadata: Type.orNull(FiscalMetadata, { description: 'Must appear on the customer’s invoice.' }),
};
const InvoiceFields = Type.Object(invoiceFields);
export type InvoiceFields = Type.Static<typeof InvoiceFields>;

const fields = {
  VendorReference: Type.String({ description: 'Yours.' }),
  BillPayReference: Type.String({ description: 'Ours, unique over all vendors. In chronological order.' }),
  BillerCode: Type.String(),
  MemberNumber: Type.String(),
  MemberName: Type.textOrNull(),
  Currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  Amount: Type.decimal({ description: 'What the biller gets.' }),
  Fee: Type.decimal({ description: 'What the payer pays in addition.' }),
  TotalAmount: Type.decimal({ description: 'Amount + Fee.' }),
  Products: Type.Array(PaidProduct),
  PaymentType: Type.oneOf(PAYMENT_TYPES),
  MetaData: Type.Array(Type.KeyValue),
  Status: Type.oneOf(PAYMENT_STATES, {
    description:
      'Authorised: would be accepted, nothing is paid yet. BeingPaid: the biller has not decided; ask again. Paid. Failed: not paid, and ' +
      'never will be under this reference. Flagged: in doubt, an operator settles it. Reversed: was paid and then reversed.',
  }),
  Narration: Type.textOrNull({ description: 'Why it failed or was flagged.' }),
  CreatedAt: Type.Instant,
  PaidAt: Type.orNull(Type.Instant, { description: 'When it became Paid: unique per biller.' }),
  ReversedAt: Type.orNull(Type.Instant),
  ...invoiceFields,
};
export const BillPayment = shape('BillPayment', fields);
export type BillPayment = Type.Static<typeof BillPayment>;

export const statusFields = {
  ...fields,
  Transitions: Type.Array(
    Type.Object({
      From: Type.orNull(Type.oneOf(PAYMENT_STATES)),
      To: Type.oneOf(PAYMENT_STATES),
      At: Type.Instant,
      Cause: Type.String(),
    }),
    { description: 'Every change of state, oldest first.' },
  ),
};
const BillPaymentStatus = shape('BillPaymentStatus', statusFields);
export type BillPaymentStatus = Type.Static<typeof BillPaymentStatus>;

const maybe = (options: Type.TStringOptions) => Type.Optional(Type.String(options));
/** The filters that vendors and operators share. */
export const paymentFilters = {
  BillerCode: maybe({ maxLength: 50 }),
  Status: Type.Optional(Type.oneOf(PAYMENT_STATES)),
  Currency: maybe({ pattern: '^[A-Z]{3}$' }),
  MemberNumber: maybe({ maxLength: 100 }),
  VendorReference: maybe({ maxLength: 50 }),
  VendorReferenceStarts: maybe({
    minLength: 1,
    maxLength: 50,
    description: 'The beginning of the VendorReference, case-sensitive.',
  }),
  From: maybe({ maxLength: 40, description: 'Recorded at or after. ISO 8601 with Z or an offset.' }),
  To: maybe({ maxLength: 40, description: 'Recorded before. ISO 8601 with Z or an offset.' }),
};

const replayHeader = {
  'Idempotent-Replay': {
    description: '`true` when this was done before: the payment in its current state, nothing new happened.',
    schema: { type: 'string', enum: ['true'] },
  },
};

const ofPayer = { tag: 'Payments', access: 'vendor that pays' } as const;
const ofReader = { tag: 'Payments', access: 'vendor that reads' } as const;
const request = {
  ...ofPayer,
  body: PaymentRequest,
  bodyExamples: {
    'Two units of a product': paymentExamples.products,
    'An amount, no products': paymentExamples.plain,
  },
  refusals: ['ReferenceConflict', 'NotFound'],
} as const;

export const authorisePayment = operation('POST /api/payment/auth', {
  ...request,
  summary: 'Check and price a payment',
  description:
    'Checks biller, member and products, prices the payment and records only the authorisation. Optional: `pay` does ' +
    'the same automatically. Pay it with the same `VendorReference` and data; the prices of the authorisation stand. Needs the scope `pay`.',
  answer: {
    ...answered('The payment in its current state.', BillPayment),
    headers: replayHeader,
  },
});

export const payBill = operation('POST /api/payment/pay', {
  ...request,
  summary: 'Pay a bill',
  description:
    'Safe to repeat: the same `VendorReference` with the same data never pays twice, and answers with the payment in its current state. ' +
    'After a timeout or any 5xx send the same request again. A `Status` of BeingPaid is decided later: ask for the ' +
    'status. Needs the scope `pay`.',
  answer: {
    description:
      'The payment in its current state. Look at `Status`: a payment that the biller did not accept is Failed.',
    schema: BillPayment,
    headers: replayHeader,
  },
});

export const reversePayment = operation('POST /api/payment/reverse', {
  ...ofPayer,
  summary: 'Reverse a paid payment',
  description:
    'Only a Paid payment, once; sent again, it answers with the reversed payment. If an invoice was issued, a credit note for it follows ' +
    'automatically. Name the payment by one of the two references. Needs the scope `pay`.',
  body: input('Reversal', {
    VendorReference: Type.Optional(Type.textOrNull({ maxLength: 50, description: 'This or BillPayReference.' })),
    BillPayReference: Type.Optional(Type.textOrNull({ maxLength: 50, description: 'This or VendorReference.' })),
    Reason: Type.Optional(Type.textOrNull({ maxLength: 200, description: 'Kept in the history of the payment.' })),
  }),
  bodyExamples: { 'By your reference': { VendorReference: 'V-000147', Reason: 'Paid twice' } },
  answer: { ...answered('Reversed.', BillPayment), headers: replayHeader },
  refusals: ['NotFound', 'NotReversible'],
});

export const getPaymentStatus = operation('GET /api/payment/status', {
  ...ofReader,
  summary: 'Ask for the status of a payment',
  description:
    'By exactly one of the two references. The three invoice fields appear together once the invoice is signed. Needs the scope `read`.',
  query: only({
    vendorReference: maybe({ maxLength: 200, description: 'Yours; this or billPayReference.' }),
    billPayReference: maybe({ maxLength: 200, description: 'Ours; this or vendorReference.' }),
  }),
  answer: answered('The payment in its current state, with its history.', BillPaymentStatus),
  refusals: ['NotFound'],
});

export const listPayments = operation('GET /api/payment/list', {
  ...ofReader,
  summary: 'List your payments',
  description:
    'Newest first. Continue with `Cursor` = `NextCursor` of the previous page until it is null. Needs the scope `read`.',
  ...pages('Payments', BillPayment, 'BillPaymentList', paymentFilters),
});

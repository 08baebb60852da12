import { type HeaderField, operation, type QueryOf } from '../shared/operation.ts';
import { answered, pages, shape, Type } from '../shared/vocabulary.ts';
import { NormalisedReceipt, RECEIPT_TYPES, ReceiptBody, ReceiptDraft, receiptFields } from './receipt-body.ts';
import {
  creditNoteExample,
  debitNoteExample,
  draftExample,
  exclusiveExample,
  invoiceExample,
} from './receipt-examples.ts';

/** What the authority has said of a receipt so far. */
export const SUBMISSION_STATES = ['Pending', 'Submitted', 'Refused', 'Undeliverable'] as const;
export type SubmissionState = (typeof SUBMISSION_STATES)[number];

/** Those that keep a device from closing its day. */
export const REMARK_COLOURS = ['Red', 'Grey'] as const;

export const Remark = shape('Remark', {
  Code: Type.String({ description: 'Explained in the error catalogue, `/docs/errors`.', examples: ['RCPT020'] }),
  Colour: Type.String({
    description:
      "Red: a broken rule that prevents the device from closing its fiscal day. Grey: an earlier receipt is missing at the authority; it keeps the day open too. Yellow: a warning. Any other is the authority's own name, or Unknown.",
    examples: ['Red'],
  }),
  Message: Type.String(),
});

export const SignedReceipt = shape(
  'SignedReceipt',
  {
    ...receiptFields,
    DeviceSignature: Type.String({
      description: 'Base64. ECDSA P-256 (DER) or RSA-2048 over the signing string.',
      contentEncoding: 'base64',
    }),
    DeviceHash: Type.String({ description: 'Base64 SHA-256 of the signing string.', contentEncoding: 'base64' }),
    DeviceSerialNumber: Type.String(),
    FiscalDayCounter: Type.Integer({ minimum: 1, description: 'Number of the receipt in its fiscal day.' }),
    FiscalDayNumber: Type.Integer({ minimum: 1 }),
    GlobalCounter: Type.Integer({ minimum: 1, description: 'Number of the receipt among all receipts of the device.' }),
    VerificationCode: Type.String({
      pattern: '^[0-9A-F]{4}(-[0-9A-F]{4}){3}$',
      description: 'To be printed; what a customer types in without a camera.',
    }),
    QrCodeContent: Type.String({ description: 'To be printed as a QR code.' }),
    SubmissionFailed: Type.textOrNull({
      description: 'When it was last not accepted by the authority; null once it is.',
    }),
    SubmissionError: Type.textOrNull({ description: 'Why it is not accepted yet; null once it is.' }),
    SubmissionState: Type.oneOf(SUBMISSION_STATES, {
      description:
        'Pending: not answered yet, submitted automatically. Submitted: the authority has it; look at Remarks. Refused: it stops its device until an operator decides. Undeliverable: the authority will never have it.',
    }),
    Remarks: Type.Array(Remark, {
      description:
        "The authority's remarks when it accepted the receipt. With a Red one, do not treat it as simply accepted.",
    }),
    DateAdvanced: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'By how many seconds Date is later than the one that was sent (earlier, where it is negative): the authority wants strictly later dates. null: it is the same.',
    }),
    NotSent: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description:
        'Fields of the buyer that are printed and not sent to the authority: a buyer without TIN or name, or an address of less than four parts. null: everything is sent.',
    }),
  },
  { description: 'The receipt as it was sealed, with its seal.' },
);
export type SignedReceipt = Type.Static<typeof SignedReceipt>;

const PositiveInteger = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const instant = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description: `ISO 8601 with Z or an offset; ${description}` }));

/** The filters that taxpayers and operators share. */
export const receiptFilters = {
  AuthorityDeviceId: Type.Optional(PositiveInteger),
  FiscalDayNumber: Type.Optional(PositiveInteger),
  Type: Type.Optional(Type.oneOf(RECEIPT_TYPES)),
  Currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  RemarkColour: Type.Optional(
    Type.oneOf(REMARK_COLOURS, {
      description: 'Accepted with a remark of this colour, which prevents the device from closing the day.',
    }),
  ),
  Reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 50,
      description: 'Exactly this one; also finds `.` and `..`, which no path can name.',
    }),
  ),
  ReferenceStarts: Type.Optional(
    Type.String({ minLength: 1, maxLength: 50, description: 'The beginning of the reference, case-sensitive.' }),
  ),
  SealedFrom: instant('included.'),
  SealedTo: instant('not included.'),
};

const signed = (description: string) => answered(description, SignedReceipt);

const LATE: Readonly<Record<string, HeaderField>> = {
  'Late-Receipt': {
    description:
      '`true` for a receipt that was sold while its till was cut off: a date too old for the device is signed as the next possible one, ' +
      'after its last receipt and the opening of its day, however far and whatever its policy; one beyond the limit of the future as now. No part of what makes a request the same.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
};

const CHECKED: Readonly<Record<string, HeaderField>> = {
  'Idempotent-Replay': {
    description: '`true` when this reference is sealed already, with this content.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Date-Advanced': {
    description: 'Seconds by which its date would move if it were signed now; negative: back from the future.',
    schema: { type: 'integer' },
  },
  'Not-Now': {
    description:
      'The receipt is good, but signing would put it off at this moment, with this code. See `Retry-After`. Missing: it can be signed now.',
    schema: {
      type: 'string',
      enum: ['MaintenanceWindow', 'FiscalDayNotOpen', 'FiscalDayTooLong', 'TaxUnclear', 'DeviceOnHold', 'DeviceBusy'],
    },
  },
  'Retry-After': {
    description: 'With `Not-Now`: seconds after which signing has a chance.',
    schema: { type: 'integer', minimum: 1 },
  },
};

export const signReceipt = operation('POST /api/receipt/sign', {
  access: 'taxpayer that signs',
  tag: 'Receipts',
  summary: 'Sign a receipt',
  description:
    'Checks the receipt against every rule, seals it into the chain of its device and answers with the seal. ' +
    'Safe to repeat: the same `Reference` with the same content returns the stored seal. ' +
    'After a timeout or any 5xx, send the same request again. Needs the scope `sign`.',
  headers: {
    ...LATE,
    'Outbox-Backlog': {
      description:
        'Of an outbox: how many sales of this device are queued on the till, this one included, and for how long the first of them. For people; ignored in any other form.',
      schema: { type: 'string', examples: ['waiting=3, seconds=540'] },
    },
  },
  body: ReceiptBody,
  hasRawNumbers: true,
  bodyExamples: {
    'Invoice, tax included in the prices': invoiceExample,
    'Invoice, tax added to the prices, with a discount and a buyer': exclusiveExample,
    'Credit note over part of an invoice': creditNoteExample,
    'Debit note': debitNoteExample,
  },
  answer: {
    ...signed('Sealed. The answer has the receipt in its normalised form, with the date that was signed.'),
    headers: {
      'Idempotent-Replay': {
        description: '`true` when this reference was sealed before: the stored seal, nothing new was consumed.',
        schema: { type: 'string', enum: ['true'] },
      },
      'Date-Advanced': {
        description:
          'Seconds by which the date was moved, to be later than the receipt before it and the opening of the day. Negative: a late receipt from the future. `Date` is the signed one.',
        schema: { type: 'integer' },
      },
    },
  },
  refusals: [
    'ReferenceConflict',
    'DeviceBusy',
    'MaintenanceWindow',
    'FiscalDayNotOpen',
    'FiscalDayTooLong',
    'TaxUnclear',
    'DeviceOnHold',
  ],
});

export const checkReceipt = operation('POST /api/receipt/check', {
  access: 'taxpayer that signs',
  tag: 'Receipts',
  summary: 'Check a receipt without signing it',
  description:
    'Applies every rule that signing applies, to the device, its day and the original as they are at this moment, and answers as it ' +
    'would: 200 with the receipt in its normalised form, 400, or 409. Nothing is sealed and no number is used. A day that is not open, or ' +
    'a device on hold, is no error here: see `Not-Now`. Needs the scope `sign`.',
  headers: LATE,
  body: ReceiptBody,
  hasRawNumbers: true,
  bodyExamples: { 'Invoice, tax included in the prices': invoiceExample },
  answer: {
    ...answered('It can be signed. The receipt in its normalised form.', NormalisedReceipt),
    headers: CHECKED,
  },
  refusals: ['ReferenceConflict'],
});

export const calculateReceipt = operation('POST /api/receipt/calculate', {
  access: 'taxpayer that signs',
  tag: 'Receipts',
  summary: 'Complete the sums of a receipt',
  description:
    'Takes a receipt without `Taxes` and `TotalAmount`, perhaps without `Date` (then it is now), and with lines without `LineTotal` (`UnitPrice` × `Quantity`, never rounded) and ' +
    'one payment without `Amount`, computes them, and checks the result as `/api/receipt/check` does. The answer can be sent to `/api/receipt/sign` as it is. What is given is not changed, but checked. Needs the scope `sign`.',
  headers: LATE,
  body: ReceiptDraft,
  hasRawNumbers: true,
  bodyExamples: { 'Invoice without its sums': draftExample },
  answer: {
    ...answered('The complete receipt, ready to be signed.', NormalisedReceipt),
    headers: CHECKED,
  },
  refusals: ['ReferenceConflict'],
});

export const getReceipt = operation('GET /api/receipt/:reference', {
  access: 'taxpayer that reads',
  tag: 'Receipts',
  summary: 'Read a signed receipt',
  description:
    'The signed receipt in its current state, with what the authority has said about it. Needs the scope `read`.',
  params: Type.Object({
    reference: Type.String({ description: 'The `Reference` the receipt was signed with.', examples: ['INV-000147'] }),
  }),
  hasOpenParams: true,
  answer: signed('The signed receipt.'),
});

export const listReceipts = operation('GET /api/receipt', {
  access: 'taxpayer that reads',
  tag: 'Receipts',
  summary: 'List signed receipts',
  description:
    'Newest first. What the authority does not have: `SubmissionState=Pending,Refused,Undeliverable`. Continue with `Cursor` = `NextCursor` of the previous page until it is null. Needs the scope `read`.',
  ...pages('Receipts', SignedReceipt, 'ReceiptList', {
    ...receiptFilters,
    SubmissionState: Type.someOf(SUBMISSION_STATES, 'Only in these states'),
  }),
});
export type ListQuery = QueryOf<typeof listReceipts>;

/** Receipts of all taxpayers, for operators. */
import { operation, type QueryOf } from '../shared/operation.ts';
import { PAYMENT_TYPES } from '../shared/values.ts';
import { answered, input, only, pages, shape, Type } from '../shared/vocabulary.ts';
import { CSV_DESCRIPTION, csvAnswer } from './csv.ts';
import { Remark, receiptFilters, SignedReceipt, SUBMISSION_STATES, signReceipt } from './receipt.ts';

const State = Type.oneOf(SUBMISSION_STATES, { description: 'Its state at the authority.' });
const Zone = Type.String({ description: "The device's." });

const FoundReceipt = shape('FoundReceipt', {
  TaxpayerId: Type.String({ format: 'uuid' }),
  SealedAt: Type.Instant,
  Zone,
  State,
  WorstColour: Type.textOrNull({ description: "Of the authority's remarks: Red, Grey, Yellow or null." }),
  Receipt: SignedReceipt,
});
export type FoundReceipt = Type.Static<typeof FoundReceipt>;

/** What operators look for beyond what taxpayers list by. */
const searchFields = {
  TaxpayerId: Type.Optional(Type.Id),
  State: Type.Optional(Type.oneOf(SUBMISSION_STATES)),
  Amount: Type.Optional(
    Type.String({
      pattern: '^-?[0-9]{1,17}([.][0-9]{1,2})?$',
      description: 'Exactly this total, in any currency.',
    }),
  ),
  Buyer: Type.Optional(
    Type.String({ minLength: 2, maxLength: 200, description: "The buyer's TIN, or the beginning of the name." }),
  ),
  VerificationCode: Type.Optional(
    Type.String({
      pattern: '^[0-9A-Fa-f]{4}(-?[0-9A-Fa-f]{4}){3}$',
      description: 'As printed, with or without dashes.',
    }),
  ),
  ...receiptFilters,
};
const RelatedReceipt = shape('RelatedReceipt', {
  AuthorityDeviceId: Type.Integer(),
  GlobalCounter: Type.Integer(),
  Reference: Type.String(),
  Type: Type.String(),
  Currency: Type.String(),
  TotalAmount: Type.decimal(),
});
export type RelatedReceipt = Type.Static<typeof RelatedReceipt>;

const FailedAttempt = Type.Object({
  Outcome: Type.oneOf(['Unanswered', 'Refused', 'DeviceRefused'], {
    description:
      'There was no answer; the authority refused the receipt; or it refused the device, regardless of the receipt.',
  }),
  Code: Type.textOrNull({ description: "The authority's own, or the HTTP status of its answer." }),
  Words: Type.String(),
  FirstAt: Type.Instant,
  LastAt: Type.Instant,
  Times: Type.Integer({ description: 'How often in a row; identical ones are counted, not listed.' }),
});
export type FailedAttempt = Type.Static<typeof FailedAttempt>;

export const ReceiptDetail = shape('ReceiptDetail', {
  TaxpayerId: Type.String({ format: 'uuid' }),
  TaxpayerName: Type.String(),
  Zone,
  SealedAt: Type.Instant,
  State,
  PreviousHash: Type.textOrNull({ description: 'What its seal is chained to; null for the first of a fiscal day.' }),
  Previous: Type.orNull(RelatedReceipt),
  Next: Type.orNull(RelatedReceipt),
  Notes: Type.Array(RelatedReceipt, { description: 'Credit and debit notes for it.' }),
  FailedAttempts: Type.Array(FailedAttempt, {
    description: 'Every failed attempt at the authority, oldest first.',
  }),
  IsToBeDecided: Type.Boolean({
    description: 'It holds up its device, and an operator can decide what becomes of it.',
  }),
  Submission: Type.orNull(
    Type.Object({
      Attempts: Type.Integer({ description: 'How often the authority has answered.' }),
      SettledAt: Type.Instant,
      AuthorityReceiptId: Type.textOrNull(),
      AuthorityDate: Type.textOrNull(),
      IsAuthoritySignatureValid: Type.orNull(Type.Boolean()),
      IsWithoutBuyer: Type.Boolean({
        description: "It was sent without the buyer's data, which the seal does not cover.",
      }),
      Remarks: Type.Array(
        Type.Object({
          ...Remark.properties,
          Words: Type.String({ deprecated: true, description: 'The same as Message.' }),
        }),
      ),
    }),
  ),
  Lane: Type.orNull(
    Type.Object({
      SubmittedThrough: Type.Integer({ description: 'Every receipt up to this number is settled.' }),
      StoppedReason: Type.textOrNull({ description: 'Nothing is submitted until an operator decides.' }),
      Error: Type.textOrNull(),
      NextAttemptAt: Type.textOrNull(),
    }),
    { description: 'The state of the device at the authority.' },
  ),
  Receipt: SignedReceipt,
});
export type ReceiptDetail = Type.Static<typeof ReceiptDetail>;

const at = { access: { installation: 'viewer', taxpayer: 'viewer' } } as const;

export const searchReceipts = operation('GET /api/admin/receipts', {
  ...at,
  summary: 'Search the receipts of all taxpayers',
  description:
    'Newest first. Reference, verification code, buyer, amount and state each have an index, so a page costs the same among a million receipts; so does the next one, by its cursor.',
  ...pages('Receipts', FoundReceipt, 'FoundReceiptList', searchFields),
});
export type SearchQuery = QueryOf<typeof searchReceipts>;

/** A line of the table; its names are the columns. */
export const RECEIPT_CSV = {
  SealedAt: '2026-11-15T11:58:21+02:00',
  Date: '2026-11-15T11:58:20',
  Taxpayer: 'Baobab Trading (Pvt) Ltd',
  TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
  AuthorityDeviceId: '1001',
  DeviceSerialNumber: 'SN-1001',
  FiscalDayNumber: '1',
  FiscalDayCounter: '1',
  GlobalCounter: '1',
  Reference: 'INV-000147',
  Type: 'FiscalInvoice',
  OriginalReference: '',
  Currency: 'USD',
  TotalAmount: '5.50',
  TaxAmount: '0.47',
  BuyerName: '',
  BuyerTIN: '',
  BuyerVAT: '',
  Cashier: 'Rudo',
  Notes: '',
  VerificationCode: 'E950-1E23-96C3-2336',
  State: 'Submitted',
  RemarkColour: '',
  SubmissionError: '',
};

export const downloadReceipts = operation('GET /api/admin/receipts.csv', {
  ...at,
  access: { installation: 'operator', taxpayer: 'viewer' },
  summary: 'Receipts as a table for spreadsheets',
  description: CSV_DESCRIPTION,
  query: only(searchFields),
  answer: csvAnswer(RECEIPT_CSV),
});

export const getManagedReceipt = operation('GET /api/admin/devices/:authorityDeviceId/receipts/:globalCounter', {
  ...at,
  summary: 'A receipt with everything known about it',
  answer: answered('The receipt.', ReceiptDetail),
});

const CreditedLine = input('CreditedLine', {
  Line: Type.Integer({ minimum: 1, description: 'Which line of the invoice; the first is 1.' }),
  Quantity: Type.Optional(
    Type.decimal({ exclusiveMinimum: 0, description: "At most the line's, which it is where it is missing." }),
  ),
});
export const InvoiceCredit = input('InvoiceCredit', {
  Reference: Type.String({
    minLength: 1,
    maxLength: 50,
    description: 'Of the credit note. Sent again, the same request gets the same credit note.',
  }),
  Notes: Type.String({ minLength: 1, maxLength: 500, description: 'The reason, which is printed.' }),
  ReceiptLines: Type.Optional(
    Type.Array(CreditedLine, {
      minItems: 1,
      maxItems: 2000,
      description: 'All of the invoice where they are missing.',
    }),
  ),
  PaymentType: Type.Optional(
    Type.oneOf(PAYMENT_TYPES, {
      description: 'How it is paid back; as the invoice was paid first, where it is missing.',
    }),
  ),
  AuthorityDeviceId: Type.Optional({
    ...Type.DeviceId,
    description: "The taxpayer's device that signs; that of the invoice where it is missing.",
  } as typeof Type.DeviceId),
});
export type InvoiceCredit = Type.Static<typeof InvoiceCredit>;

export const creditInvoice = operation('POST /api/admin/devices/:authorityDeviceId/receipts/:globalCounter/credit', {
  access: { installation: 'admin', taxpayer: 'clerk' },
  summary: 'Sign a credit note over an invoice, or part of it',
  description:
    'Lines, taxes, currency and buyer are those of the invoice, sums follow from the lines, the date is now, and the cashier is who asks. ' +
    'Part of a line without `UnitPrice`, or whose price does not come to whole cents, is rounded down. Checked and signed as every receipt is ' +
    '(`POST /api/receipt/sign`): never more than what earlier notes have left.',
  body: InvoiceCredit,
  bodyExamples: {
    'One piece of the second line': {
      Reference: 'INV-000147-CN1',
      Notes: 'Goods returned',
      ReceiptLines: [{ Line: 2, Quantity: 1 }],
    },
    'All of it': { Reference: 'INV-000147-CN1', Notes: 'Goods returned' },
  },
  answer: answered('The credit note, signed.', SignedReceipt),
  refusals: signReceipt.refusals,
});

import { Type } from 'typebox';
import type { RouteDocumentation } from '../../platform/http/documentation.ts';
import { ReceiptSchema } from '../core/receipt-schema.ts';
import {
  creditNoteExample,
  debitNoteExample,
  exclusiveExample,
  invoiceExample,
  signedExample,
} from './receipt-examples.ts';
import { SUBMISSION_STATES } from './sealed-receipt.ts';

const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

export const RemarkSchema = Type.Object(
  {
    Code: Type.String({ description: 'Explained in the error catalogue, `/docs/errors`.', examples: ['RCPT020'] }),
    Colour: Type.String({
      enum: ['Red', 'Grey', 'Yellow'],
      description:
        'Red: a breach that keeps the device from closing its fiscal day. Grey: a receipt before it is missing there; it keeps the day open too. Yellow: a warning.',
    }),
    Message: Type.String(),
  },
  { title: 'Remark' },
);

export const SignedReceiptSchema = Type.Object(
  {
    ...ReceiptSchema.properties,
    DeviceSignature: Type.String({
      description: 'Base64. ECDSA P-256 (DER) or RSA-2048 over the signing string.',
      contentEncoding: 'base64',
    }),
    DeviceHash: Type.String({ description: 'Base64 SHA-256 of the signing string.', contentEncoding: 'base64' }),
    DeviceSerialNumber: Type.String(),
    FiscalDayCounter: Type.Integer({ minimum: 1, description: 'Number of the receipt in its fiscal day.' }),
    FiscalDayNumber: Type.Integer({ minimum: 1 }),
    GlobalCounter: Type.Integer({ minimum: 1, description: 'Number of the receipt in the life of the device.' }),
    VerificationCode: Type.String({
      pattern: '^[0-9A-F]{4}(-[0-9A-F]{4}){3}$',
      description: 'To be printed; what a customer types in where no camera is at hand.',
    }),
    QrCodeContent: Type.String({ description: 'To be printed as a QR code.' }),
    SubmissionFailed: textOrNull('When the authority had last not accepted it; null once it has.'),
    SubmissionError: textOrNull('Why it is not accepted yet; null once it is.'),
    SubmissionState: Type.String({
      enum: SUBMISSION_STATES,
      description:
        'Pending: not answered yet, submitted automatically. Submitted: the authority has it; look at Remarks. Refused: it stops its device until an operator decides. Undeliverable: the authority will never have it.',
    }),
    Remarks: Type.Array(RemarkSchema, {
      description: 'What the authority remarked when it took the receipt. With a Red one it is no plain acceptance.',
    }),
  },
  { title: 'SignedReceipt', description: 'The receipt as it was sealed, with its seal.' },
);

const ReceiptListSchema = Type.Object(
  { Receipts: Type.Array(SignedReceiptSchema), NextCursor: textOrNull('Cursor of the next page; null on the last.') },
  { title: 'ReceiptList' },
);

export const signDocumentation: RouteDocumentation = {
  operationId: 'signReceipt',
  tag: 'Receipts',
  summary: 'Sign a receipt',
  description:
    'Checks the receipt against every rule, seals it into the chain of its device and answers with the seal. ' +
    'Safe to repeat: the same `Reference` with the same content gives the stored seal again. ' +
    'After a timeout or any 5xx, send the same request again. Needs the scope `sign`.',
  bodyExamples: {
    invoice: { summary: 'Invoice, tax included in the prices', value: invoiceExample },
    exclusive: { summary: 'Invoice, tax on top, with a discount and a buyer', value: exclusiveExample },
    creditNote: { summary: 'Credit note over part of an invoice', value: creditNoteExample },
    debitNote: { summary: 'Debit note', value: debitNoteExample },
  },
  answers: {
    200: {
      description: 'Sealed. The receipt comes back in its normalised form, with the date that was signed.',
      schema: SignedReceiptSchema,
      headers: {
        'Idempotent-Replay': {
          description: '`true` when this reference was sealed before: the stored seal, nothing new was consumed.',
          schema: { type: 'string', enum: ['true'] },
        },
        'Date-Advanced': {
          description: 'Seconds by which the date was moved to stay later than the receipt before it.',
          schema: { type: 'integer', minimum: 1 },
        },
      },
      examples: { signed: { summary: 'Sealed', value: signedExample } },
    },
  },
  refusals: ['ReferenceConflict', 'DeviceBusy', 'MaintenanceWindow', 'FiscalDayNotOpen', 'FiscalDayTooLong'],
};

export const getReceiptDocumentation: RouteDocumentation = {
  operationId: 'getReceipt',
  tag: 'Receipts',
  summary: 'Read a signed receipt',
  description: 'The signed receipt as it stands now, with what the authority has said of it. Needs the scope `read`.',
  parameters: Type.Object({
    reference: Type.String({ description: 'The `Reference` the receipt was signed with.', examples: ['INV-000147'] }),
  }),
  answers: {
    200: {
      description: 'The signed receipt.',
      schema: SignedReceiptSchema,
      examples: { signed: { summary: 'A signed receipt', value: signedExample } },
    },
  },
  refusals: ['NotFound'],
};

export const listReceiptsDocumentation: RouteDocumentation = {
  operationId: 'listReceipts',
  tag: 'Receipts',
  summary: 'List signed receipts',
  description:
    'Newest first. What the authority does not have: `SubmissionState=Pending,Refused,Undeliverable`. Go on with `Cursor` = `NextCursor` of the page before until it is null. Needs the scope `read`.',
  answers: {
    200: {
      description: 'A page of receipts.',
      schema: ReceiptListSchema,
      examples: { page: { summary: 'The last page', value: { Receipts: [signedExample], NextCursor: null } } },
    },
  },
};

import { Type } from 'typebox';
import { RemarkSchema, SignedReceiptSchema, SUBMISSION_STATES, signedExample } from '../fiscal/index.ts';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf, textOrNull } from './schemas.ts';

const State = Type.String({
  enum: SUBMISSION_STATES,
  description: 'Where it stands with the authority.',
});

const FoundReceiptSchema = Type.Object(
  {
    TaxpayerId: Type.String({ format: 'uuid' }),
    SealedAt: Type.String({ format: 'date-time' }),
    Zone: Type.String({ description: "The device's." }),
    State,
    WorstColour: textOrNull({ description: "Of the authority's remarks: Red, Grey, Yellow or null." }),
    Receipt: SignedReceiptSchema,
  },
  { title: 'FoundReceipt' },
);

const found = {
  TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
  SealedAt: '2026-11-15T09:58:21.310Z',
  Zone: 'Africa/Harare',
  State: 'Submitted',
};

export const searchReceiptsDocumentation: RouteDocumentation = {
  operationId: 'searchReceipts',
  tag: 'Administration',
  summary: 'Search the receipts of all taxpayers',
  description:
    'Newest first. Reference, verification code, buyer, amount and state each have an index, so a page costs the same among a million receipts; so does the next one, by its cursor.',
  answers: {
    200: listOf('Receipts', FoundReceiptSchema, 'FoundReceiptList', {
      ...found,
      WorstColour: null,
      Receipt: signedExample,
    }),
  },
};

const Related = Type.Object(
  {
    AuthorityDeviceId: Type.Integer(),
    GlobalCounter: Type.Integer(),
    Reference: Type.String(),
    Type: Type.String(),
    Currency: Type.String(),
    TotalAmount: Type.String(),
  },
  { title: 'RelatedReceipt' },
);
const orNull = (schema: Type.TSchema) => Type.Union([schema, Type.Null()]);

const ReceiptDetailSchema = Type.Object(
  {
    TaxpayerId: Type.String({ format: 'uuid' }),
    TaxpayerName: Type.String(),
    Zone: Type.String({ description: "The device's." }),
    SealedAt: Type.String({ format: 'date-time' }),
    State,
    PreviousHash: textOrNull({ description: 'What its seal is chained to; null for the first of a fiscal day.' }),
    Previous: orNull(Related),
    Next: orNull(Related),
    Notes: Type.Array(Related, { description: 'Credit and debit notes for it.' }),
    FailedAttempts: Type.Array(
      Type.Object({
        Outcome: Type.String({
          enum: ['Unanswered', 'Refused', 'DeviceRefused'],
          description:
            'Nobody answered; the authority refused the receipt; or it refused the device, whatever the receipt.',
        }),
        Code: textOrNull({ description: "The authority's own, or the HTTP status of its answer." }),
        Words: Type.String(),
        FirstAt: Type.String({ format: 'date-time' }),
        LastAt: Type.String({ format: 'date-time' }),
        Times: Type.Integer({ description: 'How often in a row; the same again is counted, not listed.' }),
      }),
      { description: 'Every attempt at the authority that did not succeed, the first first.' },
    ),
    Submission: orNull(
      Type.Object({
        Attempts: Type.Integer({ description: 'How often the authority has answered.' }),
        SettledAt: Type.String({ format: 'date-time' }),
        AuthorityReceiptId: textOrNull({}),
        AuthorityDate: textOrNull({}),
        IsAuthoritySignatureValid: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] }),
        IsWithoutBuyer: Type.Boolean({
          description: "It was sent without the buyer's data, which the seal does not cover.",
        }),
        Remarks: Type.Array(
          Type.Object({
            ...RemarkSchema.properties,
            Words: Type.String({ deprecated: true, description: 'The same as Message.' }),
          }),
        ),
      }),
    ),
    Lane: orNull(
      Type.Object(
        {
          SubmittedThrough: Type.Integer({ description: 'Every receipt up to this number is settled.' }),
          StoppedReason: textOrNull({ description: 'Nothing is submitted until an operator decides.' }),
          Error: textOrNull({}),
          NextAttemptAt: textOrNull({}),
        },
        { description: 'How the device stands with the authority.' },
      ),
    ),
    Receipt: SignedReceiptSchema,
  },
  { title: 'ReceiptDetail' },
);

export const getManagedReceiptDocumentation: RouteDocumentation = {
  operationId: 'getManagedReceipt',
  tag: 'Administration',
  summary: 'A receipt with all that is known of it',
  answers: {
    200: {
      description: 'The receipt.',
      schema: ReceiptDetailSchema,
      examples: {
        submitted: {
          summary: 'Submitted',
          value: {
            ...found,
            TaxpayerName: 'Baobab Trading (Pvt) Ltd',
            PreviousHash: null,
            Previous: null,
            Next: null,
            Notes: [],
            FailedAttempts: [
              {
                Outcome: 'Unanswered',
                Code: null,
                Words: 'the authority refuses connections (ECONNREFUSED)',
                FirstAt: '2026-11-15T09:58:21.340Z',
                LastAt: '2026-11-15T09:59:02.118Z',
                Times: 5,
              },
            ],
            Submission: {
              Attempts: 1,
              SettledAt: '2026-11-15T09:59:31.402Z',
              AuthorityReceiptId: '7001',
              AuthorityDate: '2026-11-15T11:58:21',
              IsAuthoritySignatureValid: true,
              IsWithoutBuyer: false,
              Remarks: [],
            },
            Lane: { SubmittedThrough: 1, StoppedReason: null, Error: null, NextAttemptAt: null },
            Receipt: signedExample,
          },
        },
      },
    },
  },
  refusals: ['NotFound'],
};

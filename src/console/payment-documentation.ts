import { Type } from 'typebox';
import {
  BillPaymentSchema,
  PaymentStatusSchema,
  paidExample,
  reversedExample,
  statusExample,
} from '../billpay/index.ts';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf } from './schemas.ts';

const tag = 'Administration';
const owner = { VendorId: '01a1dd05-c9e3-7404-b8f8-7224b360b6c8', VendorCode: 'MUKURU-APP' };

/** What the vendor sees of it, and whose it is. */
const ManagedPaymentSchema = Type.Object(
  { VendorId: Type.String({ format: 'uuid' }), VendorCode: Type.String(), ...PaymentStatusSchema.properties },
  { title: 'ManagedPayment' },
);

export const searchPaymentsDocumentation: RouteDocumentation = {
  operationId: 'searchPayments',
  tag,
  summary: 'Search the payments of all vendors',
  description: 'Newest first.',
  answers: {
    200: listOf(
      'Payments',
      Type.Object(
        { VendorId: Type.String({ format: 'uuid' }), VendorCode: Type.String(), Payment: BillPaymentSchema },
        { title: 'FoundPayment' },
      ),
      'FoundPaymentList',
      { ...owner, Payment: paidExample },
    ),
  },
};

export const getPaymentDocumentation: RouteDocumentation = {
  operationId: 'getPayment',
  tag,
  summary: 'Read a payment with its history',
  answers: {
    200: {
      description: 'The payment as it stands.',
      schema: ManagedPaymentSchema,
      examples: { invoiced: { summary: 'Paid and invoiced', value: { ...owner, ...statusExample } } },
    },
  },
  refusals: ['NotFound'],
};

export const settlePaymentDocumentation: RouteDocumentation = {
  operationId: 'settlePayment',
  tag,
  summary: 'Say what became of a payment',
  description:
    'For a payment that is Flagged or BeingPaid, after the biller was asked: Paid or Failed. Whatever the biller answers later changes nothing any more.',
  bodyExamples: {
    paid: {
      summary: 'The biller has it',
      value: { Outcome: 'Paid', Reason: 'Confirmed by telephone, receipt 55121' },
    },
  },
  answers: {
    200: {
      description: 'The payment as it stands now.',
      schema: ManagedPaymentSchema,
      examples: {
        settled: {
          summary: 'Settled as Paid',
          value: {
            ...owner,
            ...paidExample,
            Narration: 'Confirmed by telephone, receipt 55121',
            Transitions: [
              { From: null, To: 'BeingPaid', At: '2026-11-15T10:00:00.000Z', Cause: 'the biller is asked to take it' },
              { From: 'BeingPaid', To: 'Flagged', At: '2026-11-15T10:00:00.212Z', Cause: 'the biller answered' },
              {
                From: 'Flagged',
                To: 'Paid',
                At: '2026-11-15T10:20:11.870Z',
                Cause: 'settled by hand: Confirmed by telephone, receipt 55121',
              },
            ],
          },
        },
      },
    },
  },
  refusals: ['NotFound'],
};

export const reversePaymentDocumentation: RouteDocumentation = {
  operationId: 'reversePaymentAsOperator',
  tag,
  summary: 'Take a paid payment back',
  description: 'As the vendor could. An online biller must agree; where an invoice was made a credit note follows.',
  bodyExamples: { reverse: { summary: 'Reverse', value: { Reason: 'Paid twice' } } },
  answers: {
    200: {
      description: 'Reversed.',
      schema: ManagedPaymentSchema,
      headers: {
        'Idempotent-Replay': {
          description: '`true` when it had been reversed before.',
          schema: { type: 'string', enum: ['true'] },
        },
      },
      examples: {
        reversed: {
          summary: 'Reversed',
          value: {
            ...owner,
            ...reversedExample,
            Transitions: [
              { From: null, To: 'Paid', At: '2026-11-15T10:00:00.004Z', Cause: 'accepted for the biller' },
              { From: 'Paid', To: 'Reversed', At: '2026-11-15T10:20:11.870Z', Cause: 'taken back: Paid twice' },
            ],
          },
        },
      },
    },
  },
  refusals: ['NotFound', 'NotReversible'],
};

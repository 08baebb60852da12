import { CSV_DESCRIPTION, csvAnswer } from '../fiscal/csv.ts';
import { operation } from '../shared/operation.ts';
import { answered, input, only, pages, shape, Type } from '../shared/vocabulary.ts';
import { BillPayment, paymentFilters, statusFields } from './payment.ts';

/** Whose it is. */
const ownerFields = { VendorId: Type.String({ format: 'uuid' }), VendorCode: Type.String() };

export const FoundPayment = shape('FoundPayment', { ...ownerFields, Payment: BillPayment });
export type FoundPayment = Type.Static<typeof FoundPayment>;
export const ManagedPayment = shape('ManagedPayment', { ...ownerFields, ...statusFields });
export type ManagedPayment = Type.Static<typeof ManagedPayment>;

const HAND_OUTCOMES = ['Paid', 'Failed'] as const;
const Reason = Type.String({ minLength: 1, maxLength: 200, description: 'Kept in the history of the payment.' });
export const PaymentSettlement = input('PaymentSettlement', { Outcome: Type.oneOf(HAND_OUTCOMES), Reason });
export type PaymentSettlement = Type.Static<typeof PaymentSettlement>;

const searched = { VendorId: Type.Optional(Type.Id), ...paymentFilters };

export const searchPayments = operation('GET /api/admin/payments', {
  access: { installation: 'viewer', vendor: 'viewer', biller: 'viewer' },
  summary: 'Search the payments of all vendors',
  description: 'Newest first.',
  ...pages('Payments', FoundPayment, 'FoundPaymentList', searched),
});

/** A line of the table; its names are the columns. */
export const PAYMENT_CSV = {
  CreatedAt: '2026-11-15T12:00:00+02:00',
  PaidAt: '2026-11-15T12:00:00+02:00',
  ReversedAt: '',
  VendorCode: 'MUKURU-APP',
  VendorReference: 'V-1001',
  BillPayReference: 'P01KA3V2Q80X7M4B9T2HC',
  BillerCode: 'HARARE-WATER',
  MemberNumber: '12345678',
  MemberName: '',
  Currency: 'USD',
  Amount: '20.00',
  Fee: '0.50',
  TotalAmount: '20.50',
  PaymentType: 'Cash',
  Status: 'Paid',
  Narration: '',
  VendorInvoiceReference: '',
};

export const downloadPayments = operation('GET /api/admin/payments.csv', {
  access: { installation: 'operator', vendor: 'clerk', biller: 'clerk' },
  summary: 'Payments as a table for spreadsheets',
  description: CSV_DESCRIPTION,
  query: only(searched),
  answer: csvAnswer(PAYMENT_CSV),
});

export const getPayment = operation('GET /api/admin/payments/:billPayReference', {
  access: { installation: 'viewer', vendor: 'viewer', biller: 'viewer' },
  summary: 'Read a payment with its history',
  answer: answered('The payment in its current state.', ManagedPayment),
});

export const settlePayment = operation('POST /api/admin/payments/:billPayReference/settle', {
  access: 'operator',
  summary: 'Settle a payment',
  description:
    'For a payment that is Flagged or BeingPaid, after the biller was asked: Paid or Failed. A later answer of the biller will not change anything.',
  body: PaymentSettlement,
  bodyExamples: { 'The biller has it': { Outcome: 'Paid', Reason: 'Confirmed by telephone, receipt 55121' } },
  answer: answered('The payment as it is now.', ManagedPayment),
});

export const reversePaymentAsOperator = operation('POST /api/admin/payments/:billPayReference/reverse', {
  access: 'operator',
  summary: 'Reverse a paid payment',
  description: 'As the vendor could. An online biller must agree; if an invoice was issued, a credit note follows.',
  body: input('PaymentReversal', { Reason }),
  bodyExamples: { Reverse: { Reason: 'Paid twice' } },
  answer: {
    ...answered('Reversed.', ManagedPayment),
    headers: {
      'Idempotent-Replay': {
        description: '`true` when it had been reversed before.',
        schema: { type: 'string', enum: ['true'] },
      },
    },
  },
  refusals: ['NotReversible'],
});

import * as invoice from '../../contract/billpay/invoice.ts';
import * as contract from '../../contract/billpay/managed-payment.ts';
import * as delivery from '../../contract/billpay/webhook-delivery.ts';
import { derived } from '../derived/command.ts';
import type { Command } from '../shared/command.ts';

export const paymentCommands: readonly Command[] = [
  derived('payment list', contract.searchPayments, {
    flags: {
      MemberNumber: '--member NUMBER: only of this member',
      VendorReference: '--reference TEXT: only with this VendorReference',
      VendorReferenceStarts: '--starts TEXT',
    },
    csv: contract.downloadPayments,
    columns: [
      { REFERENCE: 'Payment.BillPayReference', CREATED: 'Payment.CreatedAt', VENDOR: 'VendorCode' },
      { 'VENDOR REFERENCE': 'Payment.VendorReference', BILLER: 'Payment.BillerCode', MEMBER: 'Payment.MemberNumber' },
      { AMOUNT: 'Payment.Amount', FEE: 'Payment.Fee', CURRENCY: 'Payment.Currency', STATUS: 'Payment.Status' },
    ],
    examples: ['--status Flagged', '--biller HARARE-WATER --from 2026-11-01', '--starts V-2026 --csv payments.csv'],
  }),
  derived('payment show', contract.getPayment, { details: 'REFERENCE is the BillPayReference.' }),
  derived('payment settle', contract.settlePayment, {
    summary: 'Settle a payment that is Flagged or BeingPaid.',
    flags: { Outcome: '--as OUTCOME: Paid or Failed, as the biller says' },
  }),
  derived('payment reverse', contract.reversePaymentAsOperator, {
    details: 'If it was invoiced, a credit note follows automatically.',
  }),
];

const INVOICE_STATE = ({ State, WaitsForInvoice }: invoice.PaymentInvoice) =>
  WaitsForInvoice ? 'Waiting for its invoice' : State;

export const invoiceCommands: readonly Command[] = [
  derived('invoice list', invoice.listPaymentInvoices, {
    flags: { BillPayReference: '--payment REFERENCE' },
    columns: [
      {
        REFERENCE: 'Reference',
        CREATED: 'CreatedAt',
        STATE: INVOICE_STATE,
        TOTAL: 'TotalAmount',
        CURRENCY: 'Currency',
      },
      { VENDOR: 'VendorCode', BILLER: 'BillerCode', PAYMENT: 'BillPayReference' },
      { ERROR: ({ Error: why }) => (why !== null && why.length > 60 ? `${why.slice(0, 59)}…` : why) },
    ],
    examples: ['--state Rejected'],
  }),
  derived('invoice show', invoice.getPaymentInvoice, {
    examples: ['', '--json | jq .Receipt'],
  }),
  derived('invoice retry', invoice.retryPaymentInvoice, {
    summary: 'Retry an automatic invoice now, after fixing what was wrong.',
    details:
      'A rejected invoice is built again from the current configuration; a waiting one is sent immediately, unchanged.',
  }),
];

export const callbackCommands: readonly Command[] = [
  derived('callback list', delivery.listWebhookDeliveries, {
    summary: 'List the notifications of changed billers to vendors, newest first.',
    columns: [
      { DELIVERY: 'DeliveryId', CREATED: 'CreatedAt', VENDOR: 'VendorCode', BILLERS: 'BillerCodes', STATE: 'State' },
      { ATTEMPTS: ({ AttemptCount, MostAttempts }) => `${AttemptCount} of ${MostAttempts}` },
      { LAST: ({ LastError, LastStatusCode }) => LastError ?? LastStatusCode },
    ],
    examples: ['--state Exhausted'],
  }),
];

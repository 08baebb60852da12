import * as contract from '../../contract/billpay/invoice.ts';
import { derived } from '../derived/command.ts';
import type { Command } from '../shared/command.ts';

const STATE = ({ State, WaitsForInvoice }: contract.PaymentInvoice) =>
  WaitsForInvoice ? 'Waiting for its invoice' : State;

export const invoiceCommands: readonly Command[] = [
  derived('invoice list', contract.listPaymentInvoices, {
    flags: { BillPayReference: '--payment REFERENCE' },
    columns: [
      { REFERENCE: 'Reference', CREATED: 'CreatedAt', STATE, TOTAL: 'TotalAmount', CURRENCY: 'Currency' },
      { VENDOR: 'VendorCode', BILLER: 'BillerCode', PAYMENT: 'BillPayReference' },
      { ERROR: ({ Error: why }) => (why !== null && why.length > 60 ? `${why.slice(0, 59)}…` : why) },
    ],
    examples: ['--state Rejected'],
  }),
  derived('invoice show', contract.getPaymentInvoice, {
    summary: 'Show an automatic invoice and why it is not sealed yet.',
    examples: ['', '--json | jq .Receipt'],
  }),
  derived('invoice retry', contract.retryPaymentInvoice, {
    summary: 'Retry an automatic invoice now, after fixing what was wrong.',
    details:
      'A rejected invoice is built again from the current configuration; a waiting one is sent immediately, unchanged.',
  }),
];

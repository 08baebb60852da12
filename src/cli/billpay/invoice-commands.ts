import * as contract from '../../contract/billpay/invoice.ts';
import { derived } from '../derived/command.ts';
import { type Cells, printTable } from '../derived/show.ts';
import type { Command } from '../shared/command.ts';
import { amount } from '../shared/shown.ts';
import type { Terminal } from '../shared/terminal.ts';

const state = ({ State, WaitsForInvoice }: contract.PaymentInvoice) =>
  WaitsForInvoice ? 'Waiting for its invoice' : State;

const facts: Cells<contract.PaymentInvoice> = {
  Invoice: 'Reference',
  Kind: 'Kind',
  State: state,
  Total: ({ TotalAmount, Currency }) => `${amount(TotalAmount)} ${Currency}`,
  Payment: ({ BillPayReference, PaymentStatus }) => `${BillPayReference} (${PaymentStatus})`,
  Vendor: ({ VendorCode, VendorReference }) => `${VendorCode}, its reference ${VendorReference}`,
  Biller: 'BillerCode',
  Created: 'CreatedAt',
  Sealed: 'SealedAt',
  'QR code': 'VendorFiscalSignature',
  'On the invoice': 'VendorFiscalMetadata',
  Attempts: 'Attempts',
  'Next attempt': 'NextAttemptAt',
  Error: 'Error',
};

function printErrors(terminal: Terminal, { Errors }: contract.PaymentInvoice): void {
  printTable(terminal, Errors, { FIELD: 'Field', CODE: 'Code', MESSAGE: 'Message' });
}

export const invoiceCommands: readonly Command[] = [
  derived('invoice list', contract.listPaymentInvoices, {
    summary: 'List the automatic invoices of payments, newest first.',
    flags: { BillPayReference: '--payment REFERENCE: only those of this payment' },
    columns: {
      REFERENCE: 'Reference',
      CREATED: 'CreatedAt',
      STATE: state,
      TOTAL: 'TotalAmount',
      CURRENCY: 'Currency',
      VENDOR: 'VendorCode',
      BILLER: 'BillerCode',
      PAYMENT: 'BillPayReference',
      ERROR: ({ Error: why }) => (why !== null && why.length > 60 ? `${why.slice(0, 59)}…` : why),
    },
    examples: ['', '--state Rejected'],
  }),
  derived('invoice show', contract.getPaymentInvoice, {
    summary: 'Show an automatic invoice and why it is not sealed yet.',
    facts,
    more: printErrors,
    examples: ['', '--json | jq .Receipt'],
  }),
  derived('invoice retry', contract.retryPaymentInvoice, {
    summary: 'Retry an automatic invoice now, after fixing what was wrong.',
    details:
      'A rejected invoice is built again from the current configuration; a waiting one is sent immediately, unchanged.',
    facts,
    more: printErrors,
  }),
];

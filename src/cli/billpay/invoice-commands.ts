import type { PaymentInvoice } from '../../contract/billpay/invoice.ts';
import * as contract from '../../contract/billpay/invoice.ts';
import { openService } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  given,
  type Invocation,
  printsJson,
  vendorOption,
  wordOption,
} from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { amount, NOTHING, shown } from '../shared/shown.ts';
import { printFacts, tablePrinter } from '../shared/table.ts';

const EXAMPLE = 'BP-7QK2M9X4T0B8H3ZC5WRF';

export const invoiceCommands: readonly Command[] = [
  {
    name: 'invoice list',
    summary: 'List the automatic invoices of payments, newest first. (operator)',
    options: {
      vendor: { value: 'ID', help: 'only of this vendor' },
      state: { value: 'STATE', help: 'only Waiting, Sealed or Rejected' },
      kind: { value: 'KIND', help: 'only Invoice or CreditNote' },
      ...PAGING,
      ...CONNECTION,
    },
    examples: ['tillseal invoice list', 'tillseal invoice list --state Rejected'],
    run: async (invocation) => {
      const query = given({
        VendorId: vendorOption(invocation),
        State: wordOption(invocation, 'state', contract.INVOICE_STATES),
        Kind: wordOption(invocation, 'kind', contract.INVOICE_KINDS),
      });
      const service = await openService(invocation, 'operator');
      const zone = await service.zone();
      return printListOf(invocation, service, contract.listPaymentInvoices, {
        given: { query },
        key: 'Invoices',
        noun: 'invoices',
        columns: [
          { title: 'REFERENCE', value: (invoice) => invoice.Reference },
          { title: 'CREATED', value: (invoice) => momentIn(zone, invoice.CreatedAt) },
          { title: 'STATE', value: stateText },
          { title: 'TOTAL', value: (invoice) => amount(invoice.TotalAmount), isNumber: true },
          { title: 'CURRENCY', value: (invoice) => invoice.Currency },
          { title: 'VENDOR', value: (invoice) => invoice.VendorCode },
          { title: 'BILLER', value: (invoice) => invoice.BillerCode },
          { title: 'PAYMENT', value: (invoice) => invoice.BillPayReference },
          { title: 'ERROR', value: (invoice) => shortened(invoice.Error) },
        ],
      });
    },
  },
  {
    name: 'invoice show',
    summary: 'Show an automatic invoice and why it is not sealed yet. (operator)',
    arguments: ['REFERENCE'],
    examples: [`tillseal invoice show ${EXAMPLE}`, `tillseal invoice show ${EXAMPLE} --json | jq .Receipt`],
    run: (invocation) => printInvoice(invocation, contract.getPaymentInvoice),
  },
  {
    name: 'invoice retry',
    summary: 'Retry an automatic invoice now, after fixing what was wrong. (operator)',
    arguments: ['REFERENCE'],
    details:
      'A rejected invoice is built again from the current configuration; a waiting one is sent immediately, unchanged.',
    examples: [`tillseal invoice retry ${EXAMPLE}`],
    run: (invocation) => printInvoice(invocation, contract.retryPaymentInvoice),
  },
];

async function printInvoice(
  invocation: Invocation,
  operation: typeof contract.getPaymentInvoice | typeof contract.retryPaymentInvoice,
): Promise<void> {
  const { terminal, words } = invocation;
  const service = await openService(invocation, 'operator');
  const { value: invoice, text, zone } = await service.call(operation, { params: { reference: words[0] ?? '' } });
  if (printsJson(invocation, text)) return;
  const moment = (at: string | null) => (at === null ? undefined : momentIn(zone, at));
  const { VendorFiscalMetadata: metadata, Errors: errors } = invoice;
  printFacts(terminal, [
    ['Invoice', invoice.Reference],
    ['Kind', invoice.Kind],
    ['State', stateText(invoice)],
    ['Total', `${amount(invoice.TotalAmount)} ${invoice.Currency}`],
    ['Payment', `${invoice.BillPayReference} (${invoice.PaymentStatus})`],
    ['Vendor', `${invoice.VendorCode}, its reference ${invoice.VendorReference}`],
    ['Biller', invoice.BillerCode],
    ['Created', moment(invoice.CreatedAt)],
    ['Sealed', moment(invoice.SealedAt)],
    ['QR code', invoice.VendorFiscalSignature ?? undefined],
    ['On the invoice', metadata === null ? undefined : shown(metadata)],
    ['Attempts', String(invoice.Attempts)],
    ['Next attempt', moment(invoice.NextAttemptAt)],
    ['Error', invoice.Error ?? undefined],
  ]);
  if (errors.length === 0) return;
  terminal.print('');
  tablePrinter<PaymentInvoice['Errors'][number]>(terminal, [
    { title: 'FIELD', value: ({ Field }) => Field },
    { title: 'CODE', value: ({ Code }) => Code },
    { title: 'MESSAGE', value: ({ Message }) => Message },
  ])(errors);
}

function stateText({ State, WaitsForInvoice }: PaymentInvoice): string {
  return WaitsForInvoice ? 'Waiting for its invoice' : State;
}

function shortened(error: string | null): string {
  if (error === null) return NOTHING;
  return error.length > 60 ? `${error.slice(0, 59)}…` : error;
}

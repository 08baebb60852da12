import { openService } from './client.ts';
import { CONNECTION, type Command, type Invocation } from './command.ts';
import { EXIT, usage } from './failure.ts';
import { type JsonView, NOTHING } from './json-view.ts';
import { PAGING, printList } from './pages.ts';
import { printFacts, tablePrinter } from './table.ts';

const EXAMPLE = 'BP-7QK2M9X4T0B8H3ZC5WRF';
const VENDOR_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const invoiceCommands: readonly Command[] = [
  {
    name: 'invoice list',
    summary: 'List the automatic invoices of payments, newest first. (operator)',
    arguments: [],
    options: {
      vendor: { value: 'ID', help: 'only of this vendor' },
      state: { value: 'STATE', help: 'only Waiting, Sealed or Rejected' },
      kind: { value: 'KIND', help: 'only Invoice or CreditNote' },
      ...PAGING,
      ...CONNECTION,
    },
    examples: ['tillseal invoice list', 'tillseal invoice list --state Rejected'],
    run: async (invocation) =>
      printList(invocation, await openService(invocation, 'operator'), {
        path: '/api/admin/invoices',
        query: {
          VendorId: vendorOption(invocation),
          State: invocation.text('state'),
          Kind: invocation.text('kind'),
        },
        key: 'Invoices',
        noun: 'invoices',
        columns: [
          { title: 'REFERENCE', value: (invoice) => invoice.text('Reference') },
          { title: 'CREATED', value: (invoice) => invoice.moment('CreatedAt') },
          { title: 'STATE', value: stateText },
          { title: 'TOTAL', value: (invoice) => invoice.amount('TotalAmount'), isNumber: true },
          { title: 'CURRENCY', value: (invoice) => invoice.text('Currency') },
          { title: 'VENDOR', value: (invoice) => invoice.text('VendorCode') },
          { title: 'BILLER', value: (invoice) => invoice.text('BillerCode') },
          { title: 'PAYMENT', value: (invoice) => invoice.text('BillPayReference') },
          { title: 'ERROR', value: (invoice) => shortened(invoice.optional('Error')) },
        ],
      }),
  },
  {
    name: 'invoice show',
    summary: 'Show an automatic invoice and why it is not sealed yet. (operator)',
    arguments: ['REFERENCE'],
    options: CONNECTION,
    examples: [`tillseal invoice show ${EXAMPLE}`, `tillseal invoice show ${EXAMPLE} --json | jq .Receipt`],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const answer = await service.send('GET', pathOf(invocation));
      return printInvoice(invocation, answer.text, answer.view);
    },
  },
  {
    name: 'invoice retry',
    summary: 'Try an automatic invoice again now, after what was wrong is fixed. (operator)',
    arguments: ['REFERENCE'],
    options: CONNECTION,
    details:
      'A rejected invoice is built anew from what is configured now; one that waits goes at once with the body it has.',
    examples: [`tillseal invoice retry ${EXAMPLE}`],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const answer = await service.send('POST', `${pathOf(invocation)}/retry`);
      return printInvoice(invocation, answer.text, answer.view);
    },
  },
];

function printInvoice(invocation: Invocation, text: string, view: () => JsonView) {
  const { terminal } = invocation;
  if (invocation.isSet('json')) {
    terminal.print(text);
    return EXIT.done;
  }
  const invoice = view();
  printFacts(terminal, [
    ['Invoice', invoice.text('Reference')],
    ['Kind', invoice.text('Kind')],
    ['State', stateText(invoice)],
    ['Total', `${invoice.amount('TotalAmount')} ${invoice.text('Currency')}`],
    ['Payment', `${invoice.text('BillPayReference')} (${invoice.text('PaymentStatus')})`],
    ['Vendor', `${invoice.text('VendorCode')}, its reference ${invoice.text('VendorReference')}`],
    ['Biller', invoice.text('BillerCode')],
    ['Created', invoice.optionalMoment('CreatedAt')],
    ['Sealed', invoice.optionalMoment('SealedAt')],
    ['QR code', invoice.optional('VendorFiscalSignature')],
    ['On the invoice', invoice.optional('VendorFiscalMetadata')],
    ['Attempts', invoice.text('Attempts')],
    ['Next attempt', invoice.optionalMoment('NextAttemptAt')],
    ['Error', invoice.optional('Error')],
  ]);
  const errors = invoice.list('Errors');
  if (errors.length === 0) return EXIT.done;
  terminal.print('');
  tablePrinter<JsonView>(terminal, [
    { title: 'FIELD', value: (error) => error.text('Field') },
    { title: 'CODE', value: (error) => error.text('Code') },
    { title: 'MESSAGE', value: (error) => error.text('Message') },
  ])(errors);
  return EXIT.done;
}

function stateText(invoice: JsonView): string {
  return invoice.isTrue('WaitsForInvoice') ? 'Waiting for its invoice' : invoice.text('State');
}

function shortened(error: string | undefined): string {
  if (error === undefined) return NOTHING;
  return error.length > 60 ? `${error.slice(0, 59)}…` : error;
}

function pathOf({ words: [reference = ''] }: Invocation): string {
  return `/api/admin/invoices/${encodeURIComponent(reference)}`;
}

function vendorOption(invocation: Invocation): string | undefined {
  const word = invocation.text('vendor');
  if (word === undefined || VENDOR_ID.test(word)) return word;
  throw usage(`"${word}" is not the id of a vendor.`, 'See the ids: tillseal vendor list');
}

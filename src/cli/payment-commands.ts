import { instantOption, openService } from './client.ts';
import { CONNECTION, type Command, type Invocation, requiredText } from './command.ts';
import { EXIT, type ExitCode, usage } from './failure.ts';
import type { JsonView } from './json-view.ts';
import { CSV_OPTION, PAGING, printList } from './pages.ts';
import { type Column, printFacts, tablePrinter } from './table.ts';

const paid = (value: (payment: JsonView) => string) => (found: JsonView) => {
  const payment = found.object('Payment');
  return payment === undefined ? '' : value(payment);
};

const COLUMNS: readonly Column<JsonView>[] = [
  { title: 'REFERENCE', value: paid((payment) => payment.text('BillPayReference')) },
  { title: 'CREATED', value: paid((payment) => payment.moment('CreatedAt')) },
  { title: 'VENDOR', value: (found) => found.text('VendorCode') },
  { title: 'VENDOR REFERENCE', value: paid((payment) => payment.text('VendorReference')) },
  { title: 'BILLER', value: paid((payment) => payment.text('BillerCode')) },
  { title: 'MEMBER', value: paid((payment) => payment.text('MemberNumber')) },
  { title: 'AMOUNT', value: paid((payment) => payment.amount('Amount')), isNumber: true },
  { title: 'FEE', value: paid((payment) => payment.amount('Fee')), isNumber: true },
  { title: 'CURRENCY', value: paid((payment) => payment.text('Currency')) },
  { title: 'STATUS', value: paid((payment) => payment.text('Status')) },
];

export const paymentCommands: readonly Command[] = [
  {
    name: 'payment list',
    summary: 'List the bill payments of all vendors, newest first. (operator)',
    arguments: [],
    options: {
      vendor: { value: 'ID', help: 'only of this vendor' },
      biller: { value: 'CODE', help: 'only for this biller' },
      status: { value: 'STATUS', help: 'only Authorised, BeingPaid, Paid, Failed, Flagged or Reversed' },
      currency: { value: 'CODE', help: 'only in this currency, such as USD' },
      member: { value: 'NUMBER', help: 'only of this member' },
      reference: { value: 'TEXT', help: 'only with this VendorReference' },
      starts: { value: 'TEXT', help: 'only with a VendorReference that begins with this' },
      from: { value: 'TIME', help: 'recorded at or after this time, such as 2026-03-14 or 2026-03-14T09:26:53Z' },
      to: { value: 'TIME', help: 'recorded before this time' },
      ...CSV_OPTION,
      ...PAGING,
      ...CONNECTION,
    },
    examples: [
      'tillseal payment list --status Flagged',
      'tillseal payment list --biller HARARE-WATER --from 2026-11-01',
      'tillseal payment list --starts V-2026 --csv payments.csv',
    ],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      return printList(invocation, service, {
        path: '/api/admin/payments',
        query: {
          VendorId: invocation.text('vendor'),
          BillerCode: invocation.text('biller'),
          Status: invocation.text('status'),
          Currency: invocation.text('currency'),
          MemberNumber: invocation.text('member'),
          VendorReference: invocation.text('reference'),
          VendorReferenceStarts: invocation.text('starts'),
          From: await instantOption(invocation, service, 'from'),
          To: await instantOption(invocation, service, 'to'),
        },
        key: 'Payments',
        noun: 'payments',
        columns: COLUMNS,
        csvPath: '/api/admin/payments.csv',
      });
    },
  },
  {
    name: 'payment show',
    summary: 'Show a bill payment with its history. (operator)',
    arguments: ['REFERENCE'],
    options: CONNECTION,
    details: 'REFERENCE is the BillPayReference.',
    examples: ['tillseal payment show P01KA3V2Q80X7M4B9T2HC'],
    run: async (invocation) => answerWith(invocation, 'GET', addressOf(invocation)),
  },
  {
    name: 'payment settle',
    summary: 'Say what became of a payment that is Flagged or BeingPaid. (operator)',
    arguments: ['REFERENCE'],
    options: {
      as: { value: 'OUTCOME', help: 'Paid or Failed, as the biller says' },
      reason: { value: 'TEXT', help: 'how you know; kept in the history of the payment' },
      ...CONNECTION,
    },
    examples: ['tillseal payment settle P01KA3V2Q80X7M4B9T2HC --as Paid --reason "Confirmed by telephone"'],
    run: async (invocation) => {
      const Outcome = requiredText(invocation, 'as', 'Paid');
      if (Outcome !== 'Paid' && Outcome !== 'Failed') throw usage(`--as must be Paid or Failed, got "${Outcome}".`);
      const Reason = requiredText(invocation, 'reason', '"Confirmed by telephone"');
      return answerWith(invocation, 'POST', `${addressOf(invocation)}/settle`, { Outcome, Reason });
    },
  },
  {
    name: 'payment reverse',
    summary: 'Take a paid bill payment back. (operator)',
    arguments: ['REFERENCE'],
    options: { reason: { value: 'TEXT', help: 'kept in the history of the payment' }, ...CONNECTION },
    details: 'If it was invoiced, a credit note follows by itself.',
    examples: ['tillseal payment reverse P01KA3V2Q80X7M4B9T2HC --reason "Paid twice"'],
    run: async (invocation) => {
      const Reason = requiredText(invocation, 'reason', '"Paid twice"');
      return answerWith(invocation, 'POST', `${addressOf(invocation)}/reverse`, { Reason });
    },
  },
];

function addressOf({ words: [word = ''] }: Invocation): string {
  return `/api/admin/payments/${encodeURIComponent(word)}`;
}

async function answerWith(
  invocation: Invocation,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<ExitCode> {
  const { terminal } = invocation;
  const service = await openService(invocation, 'operator');
  const answer = await service.send(method, path, body === undefined ? undefined : JSON.stringify(body));
  if (invocation.isSet('json')) {
    terminal.print(answer.text);
    return EXIT.done;
  }
  const payment = answer.view();
  printFacts(terminal, [
    ['Reference', payment.text('BillPayReference')],
    ['Vendor reference', payment.text('VendorReference')],
    ['Biller', payment.text('BillerCode')],
    ['Member', [payment.text('MemberNumber'), payment.optional('MemberName')].filter(Boolean).join(', ')],
    ['Amount', `${payment.amount('Amount')} ${payment.text('Currency')}, fee ${payment.amount('Fee')}`],
    ['Status', payment.text('Status')],
    ['Narration', payment.optional('Narration')],
    ['Created', payment.moment('CreatedAt')],
    ['Paid', payment.optionalMoment('PaidAt')],
    ['Reversed', payment.optionalMoment('ReversedAt')],
    ['Invoice', payment.optional('VendorInvoiceReference')],
    ['QR code', payment.optional('VendorFiscalSignature')],
  ]);
  const products = payment.list('Products');
  if (products.length > 0) {
    terminal.print('');
    tablePrinter<JsonView>(terminal, [
      { title: 'PRODUCT', value: (product) => product.text('Name') },
      { title: 'QUANTITY', value: (product) => product.text('Quantity'), isNumber: true },
      { title: 'PRICE', value: (product) => product.amount('Price'), isNumber: true },
    ])(products);
  }
  terminal.print('');
  tablePrinter<JsonView>(terminal, [
    { title: 'AT', value: (transition) => transition.moment('At') },
    { title: 'FROM', value: (transition) => transition.text('From') },
    { title: 'TO', value: (transition) => transition.text('To') },
    { title: 'CAUSE', value: (transition) => transition.text('Cause') },
  ])(payment.list('Transitions'));
  return EXIT.done;
}

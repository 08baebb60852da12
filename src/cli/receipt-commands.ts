import { instantOption, openService, type Service } from './client.ts';
import { CONNECTION, type Command, type Invocation, type Options, taxpayerOption } from './command.ts';
import { fetchDevice } from './device-commands.ts';
import { exampleReceipt } from './example-receipt.ts';
import { EXIT } from './failure.ts';
import { type JsonView, NOTHING } from './json-view.ts';
import { CSV_OPTION, PAGING, printList } from './pages.ts';
import { printCommand } from './print-command.ts';
import { percentText, receiptFacts, sealFacts, submissionWord, warnOfSubmission } from './receipt-view.ts';
import { type Column, printFacts, tablePrinter } from './table.ts';

const COLUMNS: readonly Column<JsonView>[] = [
  { title: 'REFERENCE', value: (receipt) => receipt.text('Reference') },
  { title: 'DATE', value: (receipt) => receipt.text('Date').replace('T', ' ') },
  { title: 'TYPE', value: (receipt) => receipt.text('Type') },
  { title: 'TOTAL', value: (receipt) => receipt.amount('TotalAmount'), isNumber: true },
  { title: 'CURRENCY', value: (receipt) => receipt.text('Currency') },
  { title: 'DEVICE', value: (receipt) => receipt.text('AuthorityDeviceId'), isNumber: true },
  { title: 'DAY', value: (receipt) => receipt.text('FiscalDayNumber'), isNumber: true },
  { title: 'GLOBAL', value: (receipt) => receipt.text('GlobalCounter'), isNumber: true },
  { title: 'VERIFICATION CODE', value: (receipt) => receipt.text('VerificationCode') },
  { title: 'SUBMISSION', value: submissionWord },
];

async function showReceipt(invocation: Invocation) {
  const { terminal } = invocation;
  const service = await openService(invocation, 'taxpayer');
  const answer = await service.send('GET', `/api/receipt/${encodeURIComponent(invocation.words[0] ?? '')}`);
  if (invocation.isSet('json')) {
    terminal.print(answer.text);
    return EXIT.done;
  }
  const receipt = answer.view();
  printFacts(terminal, [...sealFacts(receipt), ...receiptFacts(receipt)]);
  terminal.print('');
  tablePrinter<JsonView>(terminal, [
    { title: 'LINE', value: (line) => line.text('Name') },
    { title: 'HS CODE', value: (line) => line.text('HsCode') },
    { title: 'QUANTITY', value: (line) => line.text('Quantity'), isNumber: true },
    { title: 'UNIT PRICE', value: (line) => line.amount('UnitPrice'), isNumber: true },
    { title: 'TAX', value: percentText, isNumber: true },
    { title: 'TOTAL', value: (line) => line.amount('LineTotal'), isNumber: true },
  ])(receipt.list('ReceiptLines'));
  terminal.print('');
  tablePrinter<JsonView>(terminal, [
    { title: 'TAX', value: percentText },
    { title: 'SALES WITH TAX', value: (tax) => tax.amount('SalesAmountWithTax'), isNumber: true },
    { title: 'TAX AMOUNT', value: (tax) => tax.amount('TaxAmount'), isNumber: true },
  ])(receipt.list('Taxes'));
  terminal.print('');
  tablePrinter<JsonView>(terminal, [
    { title: 'PAYMENT', value: (payment) => payment.text('Type') },
    { title: 'AMOUNT', value: (payment) => payment.amount('Amount'), isNumber: true },
  ])(receipt.list('Payments'));
  warnOfSubmission(terminal, receipt);
  return EXIT.done;
}

const FILTER_OPTIONS: Options = {
  starts: { value: 'TEXT', help: 'only references that begin with this' },
  device: { value: 'ID', help: 'only of this device' },
  day: { value: 'N', help: 'only of this fiscal day' },
  type: { value: 'TYPE', help: 'only FiscalInvoice, CreditNote or DebitNote' },
  currency: { value: 'CODE', help: 'only in this currency, such as USD' },
  from: { value: 'TIME', help: 'sealed at or after this time, such as 2026-03-14 or 2026-03-14T09:26:53Z' },
  to: { value: 'TIME', help: 'sealed before this time' },
  marked: { value: 'COLOUR', help: 'only what the authority marked Red or Grey' },
};

async function filtersOf(invocation: Invocation, service: Service): Promise<Record<string, string | undefined>> {
  return {
    ReferenceStarts: invocation.text('starts'),
    AuthorityDeviceId: invocation.text('device'),
    FiscalDayNumber: invocation.text('day'),
    Type: invocation.text('type'),
    Currency: invocation.text('currency'),
    SealedFrom: await instantOption(invocation, service, 'from'),
    SealedTo: await instantOption(invocation, service, 'to'),
    RemarkColour: invocation.text('marked'),
  };
}

/** Receipts of all taxpayers come wrapped in what an operator needs to tell them apart. */
const FOUND_COLUMNS = COLUMNS.map((column) => ({
  ...column,
  value: (found: JsonView) => {
    const receipt = found.object('Receipt');
    return receipt === undefined ? NOTHING : column.value(receipt);
  },
}));
const SEARCH_COLUMNS: readonly Column<JsonView>[] = [
  ...FOUND_COLUMNS.slice(0, 1),
  { title: 'SEALED', value: (found) => found.moment('SealedAt') },
  ...FOUND_COLUMNS.slice(2),
  { title: 'TAXPAYER', value: (found) => found.text('TaxpayerId') },
];

export const receiptCommands: readonly Command[] = [
  {
    name: 'receipt',
    summary: 'Show a sealed receipt as it stands now.',
    arguments: ['REFERENCE'],
    options: CONNECTION,
    details: 'A receipt whose reference is the word list is shown with `receipt show list`.',
    examples: ['tillseal receipt INV-42', 'tillseal receipt INV-42 --json | jq -r .QrCodeContent'],
    run: showReceipt,
  },
  {
    name: 'receipt show',
    summary: 'The same, for references that are words of this command line.',
    arguments: ['REFERENCE'],
    options: CONNECTION,
    examples: ['tillseal receipt show list'],
    run: showReceipt,
  },
  printCommand,
  {
    name: 'receipt list',
    summary: 'List sealed receipts, newest first.',
    arguments: [],
    options: {
      state: { value: 'STATES', help: 'only Pending, Submitted, Refused or Undeliverable; several with commas' },
      ...FILTER_OPTIONS,
      ...PAGING,
      ...CONNECTION,
    },
    examples: [
      'tillseal receipt list',
      'tillseal receipt list --state Pending,Refused,Undeliverable',
      'tillseal receipt list --device 1001 --day 1 --type CreditNote',
      "tillseal receipt list --all --json | jq -r '.Receipts[].Reference'",
    ],
    run: async (invocation) => {
      const service = await openService(invocation, 'taxpayer');
      return printList(invocation, service, {
        path: '/api/receipt',
        query: { ...(await filtersOf(invocation, service)), SubmissionState: invocation.text('state') },
        key: 'Receipts',
        noun: 'receipts',
        columns: COLUMNS,
      });
    },
  },
  {
    name: 'receipt search',
    summary: 'Search the receipts of all taxpayers, newest first. (operator)',
    arguments: [],
    options: {
      taxpayer: { value: 'ID', help: 'only of this taxpayer' },
      state: { value: 'STATE', help: 'only Pending, Submitted, Refused or Undeliverable at the authority' },
      ...FILTER_OPTIONS,
      ...CSV_OPTION,
      ...PAGING,
      ...CONNECTION,
    },
    examples: [
      'tillseal receipt search --state Refused',
      'tillseal receipt search --starts INV-2026 --limit 10',
      'tillseal receipt search --from 2026-11-01 --to 2026-12-01 --csv november.csv',
    ],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      return printList(invocation, service, {
        path: '/api/admin/receipts',
        query: {
          ...(await filtersOf(invocation, service)),
          TaxpayerId: taxpayerOption(invocation),
          State: invocation.text('state'),
        },
        key: 'Receipts',
        noun: 'receipts',
        columns: SEARCH_COLUMNS,
        csvPath: '/api/admin/receipts.csv',
      });
    },
  },
  {
    name: 'receipt example',
    summary: 'Print a receipt that can be sealed now, to begin with.',
    arguments: [],
    options: {
      device: { value: 'ID', help: 'for this device; that of the demo or profile by default' },
      ...CONNECTION,
    },
    details: 'Nothing is sealed by this. It has the taxes of the device and the time of now.',
    examples: ['tillseal receipt example > receipt.json', 'tillseal receipt example | tillseal sign -'],
    run: async (invocation) => {
      const device = await fetchDevice(invocation, invocation.text('device'));
      invocation.terminal.print(exampleReceipt(device.value, new Date()));
      return EXIT.done;
    },
  },
];

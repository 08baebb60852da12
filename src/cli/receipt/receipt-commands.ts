import { downloadReceipts, type FoundReceipt, searchReceipts } from '../../contract/fiscal/managed-receipt.ts';
import {
  getReceipt,
  listReceipts,
  REMARK_COLOURS,
  type SignedReceipt,
  SUBMISSION_STATES,
} from '../../contract/fiscal/receipt.ts';
import { RECEIPT_TYPES } from '../../contract/fiscal/receipt-body.ts';
import { fetchDevice } from '../device/device-commands.ts';
import { instantOption, openService, type Service } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  given,
  type Invocation,
  type Options,
  printsJson,
  taxpayerOption,
  wholeNumber,
  wordOption,
} from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';
import { CSV_OPTION, PAGING, printListOf } from '../shared/pages.ts';
import { amount, shown } from '../shared/shown.ts';
import { type Column, printFacts, tablePrinter } from '../shared/table.ts';
import { exampleReceipt } from './example-receipt.ts';
import { printCommand } from './print-command.ts';
import { receiptFacts, sealFacts, submissionWord, taxText, warnOfSubmission } from './receipt-view.ts';

const COLUMNS: readonly Column<SignedReceipt>[] = [
  { title: 'REFERENCE', value: (receipt) => receipt.Reference },
  { title: 'DATE', value: (receipt) => receipt.Date.replace('T', ' ') },
  { title: 'TYPE', value: (receipt) => receipt.Type },
  { title: 'TOTAL', value: (receipt) => amount(receipt.TotalAmount), isNumber: true },
  { title: 'CURRENCY', value: (receipt) => receipt.Currency },
  { title: 'DEVICE', value: (receipt) => String(receipt.AuthorityDeviceId), isNumber: true },
  { title: 'DAY', value: (receipt) => String(receipt.FiscalDayNumber), isNumber: true },
  { title: 'GLOBAL', value: (receipt) => String(receipt.GlobalCounter), isNumber: true },
  { title: 'VERIFICATION CODE', value: (receipt) => receipt.VerificationCode },
  { title: 'SUBMISSION', value: submissionWord },
];

async function showReceipt(invocation: Invocation) {
  const { terminal } = invocation;
  const service = await openService(invocation, 'taxpayer');
  const params = { reference: invocation.words[0] ?? '' };
  const { value: receipt, text, zone } = await service.call(getReceipt, { params });
  if (printsJson(invocation, text)) return;
  printFacts(terminal, [...sealFacts(receipt, zone), ...receiptFacts(receipt)]);
  terminal.print('');
  tablePrinter<SignedReceipt['ReceiptLines'][number]>(terminal, [
    { title: 'LINE', value: (line) => line.Name },
    { title: 'HS CODE', value: (line) => shown(line.HsCode) },
    { title: 'QUANTITY', value: (line) => shown(line.Quantity), isNumber: true },
    { title: 'UNIT PRICE', value: (line) => (line.UnitPrice ? amount(line.UnitPrice) : shown(null)), isNumber: true },
    { title: 'TAX', value: taxText, isNumber: true },
    { title: 'TOTAL', value: (line) => amount(line.LineTotal), isNumber: true },
  ])(receipt.ReceiptLines);
  terminal.print('');
  tablePrinter<SignedReceipt['Taxes'][number]>(terminal, [
    { title: 'TAX', value: taxText },
    { title: 'SALES WITH TAX', value: (tax) => amount(tax.SalesAmountWithTax), isNumber: true },
    { title: 'TAX AMOUNT', value: (tax) => amount(tax.TaxAmount), isNumber: true },
  ])(receipt.Taxes);
  terminal.print('');
  tablePrinter<SignedReceipt['Payments'][number]>(terminal, [
    { title: 'PAYMENT', value: (payment) => payment.Type },
    { title: 'AMOUNT', value: (payment) => amount(payment.Amount), isNumber: true },
  ])(receipt.Payments);
  warnOfSubmission(terminal, receipt);
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

async function filtersOf(invocation: Invocation, service: Service) {
  return given({
    ReferenceStarts: invocation.text('starts'),
    AuthorityDeviceId: wholeNumber(invocation, 'device', 1),
    FiscalDayNumber: wholeNumber(invocation, 'day', 1),
    Type: wordOption(invocation, 'type', RECEIPT_TYPES),
    Currency: invocation.text('currency'),
    SealedFrom: await instantOption(invocation, service, 'from'),
    SealedTo: await instantOption(invocation, service, 'to'),
    RemarkColour: wordOption(invocation, 'marked', REMARK_COLOURS),
  });
}

/** Receipts of all taxpayers come wrapped in what an operator needs to tell them apart. */
function searchColumns(zone: string): readonly Column<FoundReceipt>[] {
  const [reference, _date, ...others] = COLUMNS.map((column) => ({
    ...column,
    value: ({ Receipt }: FoundReceipt) => column.value(Receipt),
  }));
  return [
    ...(reference === undefined ? [] : [reference]),
    { title: 'SEALED', value: ({ SealedAt }) => momentIn(zone, SealedAt) },
    ...others,
    { title: 'TAXPAYER', value: ({ TaxpayerId }) => TaxpayerId },
  ];
}

export const receiptCommands: readonly Command[] = [
  {
    name: 'receipt',
    summary: 'Show a sealed receipt in its current state.',
    arguments: ['REFERENCE'],
    details: 'A receipt whose reference is the word list is shown with `receipt show list`.',
    examples: ['tillseal receipt INV-42', 'tillseal receipt INV-42 --json | jq -r .QrCodeContent'],
    run: showReceipt,
  },
  {
    name: 'receipt show',
    summary: 'The same, for references that are words of this command line.',
    arguments: ['REFERENCE'],
    examples: ['tillseal receipt show list'],
    run: showReceipt,
  },
  printCommand,
  {
    name: 'receipt list',
    summary: 'List sealed receipts, newest first.',
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
      const SubmissionState = invocation.text('state');
      return printListOf(invocation, service, listReceipts, {
        given: { query: { ...(await filtersOf(invocation, service)), ...given({ SubmissionState }) } },
        key: 'Receipts',
        noun: 'receipts',
        columns: COLUMNS,
      });
    },
  },
  {
    name: 'receipt search',
    summary: 'Search the receipts of all taxpayers, newest first. (operator)',
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
      const search = given({
        TaxpayerId: taxpayerOption(invocation),
        State: wordOption(invocation, 'state', SUBMISSION_STATES),
      });
      return printListOf(invocation, service, searchReceipts, {
        given: { query: { ...(await filtersOf(invocation, service)), ...search } },
        key: 'Receipts',
        noun: 'receipts',
        columns: searchColumns(await service.zone()),
        csv: downloadReceipts,
      });
    },
  },
  {
    name: 'receipt example',
    summary: 'Print an example receipt that can be sealed now.',
    options: {
      device: { value: 'ID', help: 'for this device; that of the demo or profile by default' },
      ...CONNECTION,
    },
    details: "This seals nothing. The example has the device's taxes and the current time.",
    examples: ['tillseal receipt example > receipt.json', 'tillseal receipt example | tillseal sign -'],
    run: async (invocation) => {
      const device = await fetchDevice(invocation, invocation.text('device'));
      invocation.terminal.print(exampleReceipt(device.value, new Date()));
    },
  },
];

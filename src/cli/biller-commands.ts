import { CODE_PATTERN } from '../kernel/code.ts';
import { type Answer, openService, type Service } from './client.ts';
import {
  CONNECTION,
  type Command,
  EVERYWHERE,
  type Invocation,
  idText,
  type Options,
  requiredText,
} from './command.ts';
import { EXAMPLE_BILLER } from './example-biller.ts';
import { EXIT, type ExitCode, usage } from './failure.ts';
import { readInput } from './input.ts';
import { type JsonView, viewJson } from './json-view.ts';
import { PAGING, printList } from './pages.ts';
import { type Column, printFacts, tablePrinter } from './table.ts';

const CODE = new RegExp(CODE_PATTERN);

const COLUMNS: readonly Column<JsonView>[] = [
  { title: 'BILLER', value: (biller) => biller.text('Code') },
  { title: 'NAME', value: (biller) => biller.text('Name') },
  { title: 'CURRENCIES', value: (biller) => biller.text('Currencies') },
  { title: 'PRODUCTS', value: (biller) => String(biller.list('Products').length), isNumber: true },
  { title: 'INVOICES', value: (biller) => yesNo(biller, 'VendorMustInvoicePayments') },
  { title: 'FEED', value: (biller) => yesNo(biller, 'AllowFeed') },
  { title: 'TARGET', value: (biller) => biller.text('TargetAmount'), isNumber: true },
  { title: 'STATE', value: stateOf },
];

function yesNo(biller: JsonView, key: string): string {
  return biller.isTrue(key) ? 'yes' : 'no';
}

function stateOf(biller: JsonView): string {
  return biller.isTrue('Enabled') ? 'enabled' : 'disabled';
}

function codeOf(word: string): string {
  if (CODE.test(word)) return word;
  throw usage(`"${word}" is not the code of a biller.`, 'See the codes: tillseal biller list');
}

function pathOf(invocation: Invocation): string {
  return `/api/admin/billers/${codeOf(invocation.words[0] ?? '')}`;
}

function printBiller(invocation: Invocation, { text, view }: Answer): ExitCode {
  const { terminal } = invocation;
  if (invocation.isSet('json')) {
    terminal.print(text);
    return EXIT.done;
  }
  const biller = view();
  const tax = biller.optional('InvoiceTaxPercent');
  const hsCode = biller.optional('InvoiceHsCode');
  printFacts(terminal, [
    ['Biller', biller.text('Code')],
    ['Name', biller.text('Name')],
    ['Description', biller.optional('Description')],
    ['State', stateOf(biller)],
    ['Currencies', biller.text('Currencies')],
    ['Fees', biller.list('Fees').map(feeText).join(', ') || 'none'],
    ['Member numbers', biller.optional('MemberNumberRegex') ?? 'any'],
    ['Invoices', yesNo(biller, 'VendorMustInvoicePayments')],
    ['Invoice line', hsCode && `HS code ${hsCode}, ${tax === undefined ? 'exempt' : `${tax} %`}`],
    ['Feed', yesNo(biller, 'AllowFeed')],
    ['Target', targetText(biller)],
    ['Connector', biller.text('Connector')],
    ['Revision', `${biller.text('Revision')}, changed ${biller.moment('ChangedAt')}`],
  ]);
  const products = biller.list('Products');
  if (products.length === 0) return EXIT.done;
  terminal.print('');
  tablePrinter<JsonView>(terminal, [
    { title: 'PRODUCT', value: (product) => product.text('Code') },
    { title: 'NAME', value: (product) => product.text('Name') },
    { title: 'PRICES', value: (product) => product.list('Prices').map(priceText).join(', ') || 'open' },
    { title: 'STATE', value: stateOf },
  ])(products);
  return EXIT.done;
}

function feeText(fee: JsonView): string {
  return `${fee.text('Currency')} ${fee.amount('Fixed')} + ${fee.text('Percent')} %`;
}

function priceText(price: JsonView): string {
  return `${price.text('Currency')} ${price.amount('Price')}`;
}

function targetText(biller: JsonView): string {
  const amount = biller.optional('TargetAmount');
  if (amount === undefined) return 'none';
  const since = biller.optionalMoment('TargetAchievedSinceDate');
  return `${amount}, ${biller.text('TargetUnits')} units, since ${since ?? 'ever'}`;
}

/** Sends a configuration as it is: no number is touched. */
async function sendFile(invocation: Invocation, method: 'POST' | 'PUT'): Promise<ExitCode> {
  const body = await readInput(invocation.terminal, invocation.words[0] ?? '-', 'a biller');
  const service = await openService(invocation, 'operator');
  const path = method === 'POST' ? '/api/admin/billers' : `/api/admin/billers/${codeIn(body)}`;
  return printBiller(invocation, await service.send(method, path, body));
}

function codeIn(body: Buffer): string {
  let code: string | undefined;
  try {
    code = viewJson(body.toString('utf8')).optional('Code');
  } catch {
    throw usage('This is no biller: a JSON object is expected.', 'See: tillseal biller example');
  }
  if (code === undefined) throw usage('The biller has no Code.', 'See: tillseal biller example');
  return codeOf(code);
}

async function setEnabled(invocation: Invocation, isEnabled: boolean): Promise<ExitCode> {
  const service = await openService(invocation, 'operator');
  const { text } = await service.send('GET', pathOf(invocation));
  // In the text, so that no number is touched. A text inside it has its quotes escaped: the first one is the biller's own.
  const changed = text.replace(/"Enabled":(?:true|false)/, `"Enabled":${isEnabled}`);
  return printBiller(invocation, await service.send('PUT', pathOf(invocation), changed));
}

const TO_VENDOR: Options = { vendor: { value: 'ID', help: 'the vendor' } };

async function setVisible(invocation: Invocation, method: 'PUT' | 'DELETE'): Promise<ExitCode> {
  const { terminal } = invocation;
  const code = codeOf(invocation.words[0] ?? '');
  const vendorId = idText(requiredText(invocation, 'vendor', EXAMPLE_ID), 'vendor');
  const service: Service = await openService(invocation, 'operator');
  const answer = await service.send(method, `/api/admin/vendors/${vendorId}/billers/${code}`);
  if (invocation.isSet('json')) terminal.print(answer.text);
  else terminal.print(`Vendor ${vendorId} ${method === 'PUT' ? 'sees' : 'does not see'} ${code}.`);
  return EXIT.done;
}

const EXAMPLE_ID = '019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3';

export const billerCommands: readonly Command[] = [
  {
    name: 'biller list',
    summary: 'List the billers. (operator)',
    arguments: [],
    options: { ...PAGING, ...CONNECTION },
    examples: ['tillseal biller list', "tillseal biller list --all --json | jq -r '.Billers[].Code'"],
    run: async (invocation) =>
      printList(invocation, await openService(invocation, 'operator'), {
        path: '/api/admin/billers',
        query: {},
        key: 'Billers',
        noun: 'billers',
        columns: COLUMNS,
      }),
  },
  {
    name: 'biller show',
    summary: 'Show a biller. (operator)',
    arguments: ['CODE'],
    options: CONNECTION,
    examples: ['tillseal biller show CITYWATER', 'tillseal biller show CITYWATER --json > biller.json'],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      return printBiller(invocation, await service.send('GET', pathOf(invocation)));
    },
  },
  {
    name: 'biller example',
    summary: 'Print the configuration of a biller to begin with.',
    arguments: [],
    options: EVERYWHERE,
    examples: ['tillseal biller example > biller.json'],
    run: async ({ terminal }) => {
      terminal.print(JSON.stringify(EXAMPLE_BILLER, null, 2));
      return EXIT.done;
    },
  },
  {
    name: 'biller add',
    summary: 'Add a biller from a file. (operator)',
    arguments: ['FILE|-'],
    options: CONNECTION,
    details: 'Nobody sees it until it is granted to a vendor.',
    examples: ['tillseal biller add biller.json', 'tillseal biller example | tillseal biller add -'],
    run: (invocation) => sendFile(invocation, 'POST'),
  },
  {
    name: 'biller update',
    summary: 'Put a whole configuration in place of the last one, and tell the vendors. (operator)',
    arguments: ['FILE|-'],
    options: CONNECTION,
    details: `FILE is what \`biller show --json\` printed, changed. Its Revision sees to it that nobody else's change is lost.`,
    examples: [
      'tillseal biller update biller.json',
      "tillseal biller show CITYWATER --json | jq '.Fees[0].Fixed = 0.75' | tillseal biller update -",
    ],
    run: (invocation) => sendFile(invocation, 'PUT'),
  },
  {
    name: 'biller enable',
    summary: 'Let a biller take payments. (operator)',
    arguments: ['CODE'],
    options: CONNECTION,
    examples: ['tillseal biller enable CITYWATER'],
    run: (invocation) => setEnabled(invocation, true),
  },
  {
    name: 'biller disable',
    summary: 'Let a biller take no payments any more. (operator)',
    arguments: ['CODE'],
    options: CONNECTION,
    examples: ['tillseal biller disable CITYWATER'],
    run: (invocation) => setEnabled(invocation, false),
  },
  {
    name: 'biller grant',
    summary: 'Let a vendor see a biller and take payments for it. (operator)',
    arguments: ['CODE'],
    options: { ...TO_VENDOR, ...CONNECTION },
    examples: [`tillseal biller grant CITYWATER --vendor ${EXAMPLE_ID}`],
    run: (invocation) => setVisible(invocation, 'PUT'),
  },
  {
    name: 'biller withdraw',
    summary: 'Withdraw a biller from a vendor. (operator)',
    arguments: ['CODE'],
    options: { ...TO_VENDOR, ...CONNECTION },
    examples: [`tillseal biller withdraw CITYWATER --vendor ${EXAMPLE_ID}`],
    run: (invocation) => setVisible(invocation, 'DELETE'),
  },
];

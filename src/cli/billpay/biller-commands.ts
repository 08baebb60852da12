import type { ManagedBiller } from '../../contract/billpay/biller.ts';
import * as contract from '../../contract/billpay/biller.ts';
import { grantBiller, withdrawBiller } from '../../contract/billpay/vendor.ts';
import { CODE_PATTERN } from '../../kernel/code.ts';
import { ZERO } from '../../kernel/decimal.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import { type Called, openService } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  EVERYWHERE,
  type Invocation,
  idText,
  type Options,
  printsJson,
  requiredText,
} from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { readInput } from '../shared/input.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { amount, shown } from '../shared/shown.ts';
import { type Column, printFacts, tablePrinter } from '../shared/table.ts';

const CODE = new RegExp(CODE_PATTERN);

const COLUMNS: readonly Column<ManagedBiller>[] = [
  { title: 'BILLER', value: (biller) => biller.Code },
  { title: 'NAME', value: (biller) => biller.Name },
  { title: 'CURRENCIES', value: (biller) => shown(biller.Currencies) },
  { title: 'PRODUCTS', value: (biller) => String(biller.Products.length), isNumber: true },
  { title: 'INVOICES', value: (biller) => shown(biller.VendorMustInvoicePayments) },
  { title: 'FEED', value: (biller) => shown(biller.AllowFeed) },
  { title: 'TARGET', value: (biller) => shown(biller.TargetAmount), isNumber: true },
  { title: 'STATE', value: stateOf },
];

function stateOf({ Enabled }: { readonly Enabled: boolean }): string {
  return Enabled ? 'enabled' : 'disabled';
}

function codeOf(word: string): string {
  if (CODE.test(word)) return word;
  throw usage(`"${word}" is not the code of a biller.`, 'See the codes: tillseal biller list');
}

function paramsOf(invocation: Invocation): { readonly billerCode: string } {
  return { billerCode: codeOf(invocation.words[0] ?? '') };
}

function printBiller(
  invocation: Invocation,
  { value: biller, text, zone }: Called<typeof contract.getManagedBiller>,
): void {
  const { terminal } = invocation;
  if (printsJson(invocation, text)) return;
  const { InvoiceTaxPercent: tax, InvoiceHsCode: hsCode } = biller;
  printFacts(terminal, [
    ['Biller', biller.Code],
    ['Name', biller.Name],
    ['Description', biller.Description ?? undefined],
    ['State', stateOf(biller)],
    ['Currencies', shown(biller.Currencies)],
    ['Fees', biller.Fees.map(feeText).join(', ') || 'none'],
    ['Member numbers', biller.MemberNumberRegex ?? 'any'],
    ['Invoices', shown(biller.VendorMustInvoicePayments)],
    ['Invoice line', hsCode === null ? undefined : `HS code ${hsCode}, ${tax === null ? 'exempt' : `${shown(tax)} %`}`],
    ['Feed', shown(biller.AllowFeed)],
    ['Target', targetText(biller, zone)],
    ['Connector', biller.Connector],
    ['Revision', `${biller.Revision}, changed ${momentIn(zone, biller.ChangedAt)}`],
  ]);
  if (biller.Products.length === 0) return;
  terminal.print('');
  tablePrinter<ManagedBiller['Products'][number]>(terminal, [
    { title: 'PRODUCT', value: (product) => product.Code },
    { title: 'NAME', value: (product) => product.Name },
    { title: 'PRICES', value: ({ Prices }) => Prices.map(priceText).join(', ') || 'open' },
    { title: 'STATE', value: stateOf },
  ])(biller.Products);
}

function feeText({ Currency, Fixed, Percent }: ManagedBiller['Fees'][number]): string {
  return `${Currency} ${amount(Fixed ?? ZERO)} + ${shown(Percent)} %`;
}

function priceText({ Currency, Price }: ManagedBiller['Products'][number]['Prices'][number]): string {
  return `${Currency} ${amount(Price)}`;
}

function targetText(biller: ManagedBiller, zone: string): string {
  const { TargetAmount, TargetUnits, TargetAchievedSinceDate: since } = biller;
  if (TargetAmount === null) return 'none';
  return `${shown(TargetAmount)}, ${shown(TargetUnits)} units, since ${since === null ? 'ever' : momentIn(zone, since)}`;
}

/** Sends a configuration as it is: no number is touched. */
async function sendFile(invocation: Invocation, isNew: boolean): Promise<void> {
  const body = await readInput(invocation.terminal, invocation.words[0] ?? '-', 'a biller');
  const service = await openService(invocation, 'operator');
  const answer = isNew
    ? await service.call(contract.addBiller, { body })
    : await service.call(contract.replaceBiller, { params: { billerCode: codeIn(body) }, body });
  return printBiller(invocation, answer);
}

function codeIn(body: Buffer): string {
  const help = 'See: tillseal biller example';
  try {
    const { Code }: { Code?: unknown } = Object(JSON.parse(body.toString('utf8')));
    if (typeof Code === 'string' || typeof Code === 'number') return codeOf(String(Code));
  } catch (error) {
    if (error instanceof SyntaxError) throw usage('This is not a biller: a JSON object is expected.', help);
    throw error;
  }
  throw usage('The biller has no Code.', help);
}

async function setEnabled(invocation: Invocation, isEnabled: boolean): Promise<void> {
  const service = await openService(invocation, 'operator');
  const params = paramsOf(invocation);
  const { text } = await service.call(contract.getManagedBiller, { params });
  // Read from its text: the value that came with it is for a terminal, without characters that could do something there.
  const biller = Object(exactValue(contract.ManagedBiller)(parseExactJson(Buffer.from(text))));
  const body = Buffer.from(writeExactJson({ ...biller, Enabled: isEnabled }));
  return printBiller(invocation, await service.call(contract.replaceBiller, { params, body }));
}

const TO_VENDOR: Options = { vendor: { value: 'ID', help: 'the vendor' } };

async function setVisible(invocation: Invocation, isVisible: boolean): Promise<void> {
  const { terminal } = invocation;
  const { billerCode } = paramsOf(invocation);
  const vendorId = idText(requiredText(invocation, 'vendor', EXAMPLE_ID), 'vendor');
  const service = await openService(invocation, 'operator');
  const { text } = await service.call(isVisible ? grantBiller : withdrawBiller, { params: { vendorId, billerCode } });
  if (!printsJson(invocation, text))
    terminal.print(`Vendor ${vendorId} ${isVisible ? 'sees' : 'does not see'} ${billerCode}.`);
}

/** Everything a biller can have, to take away from. */
const EXAMPLE = { ...contract.billerExample, VendorMustInvoicePayments: false, AllowFeed: true };

const EXAMPLE_ID = '019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3';

export const billerCommands: readonly Command[] = [
  {
    name: 'biller list',
    summary: 'List the billers. (operator)',
    options: { ...PAGING, ...CONNECTION },
    examples: ['tillseal biller list', "tillseal biller list --all --json | jq -r '.Billers[].Code'"],
    run: async (invocation) =>
      printListOf(invocation, await openService(invocation, 'operator'), contract.listManagedBillers, {
        given: {},
        key: 'Billers',
        noun: 'billers',
        columns: COLUMNS,
      }),
  },
  {
    name: 'biller show',
    summary: 'Show a biller. (operator)',
    arguments: ['CODE'],
    examples: ['tillseal biller show CITYWATER', 'tillseal biller show CITYWATER --json > biller.json'],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      return printBiller(invocation, await service.call(contract.getManagedBiller, { params: paramsOf(invocation) }));
    },
  },
  {
    name: 'biller example',
    summary: 'Print an example configuration of a biller.',
    options: EVERYWHERE,
    examples: ['tillseal biller example > biller.json'],
    run: async ({ terminal }) => {
      terminal.print(JSON.stringify(EXAMPLE, null, 2));
    },
  },
  {
    name: 'biller add',
    summary: 'Add a biller from a file. (operator)',
    arguments: ['FILE|-'],
    details: 'No vendor sees it until it is granted to one.',
    examples: ['tillseal biller add biller.json', 'tillseal biller example | tillseal biller add -'],
    run: (invocation) => sendFile(invocation, true),
  },
  {
    name: 'biller update',
    summary: 'Replace the whole configuration of a biller, and notify the vendors. (operator)',
    arguments: ['FILE|-'],
    details: `FILE is what \`biller show --json\` printed, changed. Its Revision prevents overwriting someone else's change.`,
    examples: [
      'tillseal biller update biller.json',
      "tillseal biller show CITYWATER --json | jq '.Fees[0].Fixed = 0.75' | tillseal biller update -",
    ],
    run: (invocation) => sendFile(invocation, false),
  },
  {
    name: 'biller enable',
    summary: 'Let a biller take payments. (operator)',
    arguments: ['CODE'],
    examples: ['tillseal biller enable CITYWATER'],
    run: (invocation) => setEnabled(invocation, true),
  },
  {
    name: 'biller disable',
    summary: 'Stop a biller from taking payments. (operator)',
    arguments: ['CODE'],
    examples: ['tillseal biller disable CITYWATER'],
    run: (invocation) => setEnabled(invocation, false),
  },
  {
    name: 'biller grant',
    summary: 'Let a vendor see a biller and take payments for it. (operator)',
    arguments: ['CODE'],
    options: { ...TO_VENDOR, ...CONNECTION },
    examples: [`tillseal biller grant CITYWATER --vendor ${EXAMPLE_ID}`],
    run: (invocation) => setVisible(invocation, true),
  },
  {
    name: 'biller withdraw',
    summary: 'Withdraw a biller from a vendor. (operator)',
    arguments: ['CODE'],
    options: { ...TO_VENDOR, ...CONNECTION },
    examples: [`tillseal biller withdraw CITYWATER --vendor ${EXAMPLE_ID}`],
    run: (invocation) => setVisible(invocation, false),
  },
];

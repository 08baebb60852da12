import type { ManagedBiller } from '../../contract/billpay/biller.ts';
import * as contract from '../../contract/billpay/biller.ts';
import { grantBiller, withdrawBiller } from '../../contract/billpay/vendor.ts';
import { CODE_PATTERN } from '../../kernel/code.ts';
import { ZERO } from '../../kernel/decimal.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import { derived, type Request } from '../derived/command.ts';
import { type Cells, printTable } from '../derived/show.ts';
import type { Service } from '../shared/client.ts';
import { type Command, EVERYWHERE, type Invocation } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { momentIn } from '../shared/moment.ts';
import { amount, shown } from '../shared/shown.ts';
import type { Terminal } from '../shared/terminal.ts';

const state = ({ Enabled }: { readonly Enabled: boolean }) => (Enabled ? 'enabled' : 'disabled');

const facts: Cells<ManagedBiller> = {
  Biller: 'Code',
  Name: 'Name',
  Description: 'Description',
  State: state,
  Currencies: 'Currencies',
  Fees: ({ Fees }) => Fees.map(feeText).join(', ') || 'none',
  'Member numbers': ({ MemberNumberRegex }) => MemberNumberRegex ?? 'any',
  Invoices: 'VendorMustInvoicePayments',
  'Invoice line': ({ InvoiceHsCode: code, InvoiceTaxPercent: tax }) =>
    code === null ? null : `HS code ${code}, ${tax === null ? 'exempt' : `${shown(tax)} %`}`,
  Feed: 'AllowFeed',
  Target: targetText,
  Connector: 'Connector',
  Revision: ({ Revision, ChangedAt }, zone) => `${Revision}, changed ${momentIn(zone, ChangedAt)}`,
};

function printProducts(terminal: Terminal, { Products }: ManagedBiller): void {
  printTable(terminal, Products, {
    PRODUCT: 'Code',
    NAME: 'Name',
    PRICES: ({ Prices }) => Prices.map(({ Currency, Price }) => `${Currency} ${amount(Price)}`).join(', ') || 'open',
    STATE: state,
  });
}

function feeText({ Currency, Fixed, Percent }: ManagedBiller['Fees'][number]): string {
  return `${Currency} ${amount(Fixed ?? ZERO)} + ${shown(Percent)} %`;
}

function targetText(biller: ManagedBiller, zone: string): string {
  const { TargetAmount, TargetUnits, TargetAchievedSinceDate: since } = biller;
  if (TargetAmount === null) return 'none';
  return `${shown(TargetAmount)}, ${shown(TargetUnits)} units, since ${since === null ? 'ever' : momentIn(zone, since)}`;
}

/** Which biller a configuration is of. It is sent as it is: no number is touched. */
function addCode({ params, body }: Request): void {
  const help = 'See: tillseal biller example';
  try {
    const { Code }: { Code?: unknown } = Object(JSON.parse(Buffer.isBuffer(body) ? body.toString('utf8') : '{}'));
    if (typeof Code !== 'string' && typeof Code !== 'number') throw usage('The biller has no Code.', help);
    if (!new RegExp(CODE_PATTERN).test(String(Code)))
      throw usage(`"${Code}" is not the code of a biller.`, 'See the codes: tillseal biller list');
    params['billerCode'] = Code;
  } catch (error) {
    if (error instanceof SyntaxError) throw usage('This is not a biller: a JSON object is expected.', help);
    throw error;
  }
}

/** All of it as it is now, but for this. */
const withEnabled =
  (Enabled: boolean) => async (request: Request, _invocation: Invocation, open: () => Promise<Service>) => {
    const params = { billerCode: String(request.params['billerCode']) };
    const { text } = await (await open()).call(contract.getManagedBiller, { params });
    // Read from its text: the value that came with it is for a terminal, without characters that could do something there.
    const biller = Object(exactValue(contract.ManagedBiller)(parseExactJson(Buffer.from(text))));
    request.body = Buffer.from(writeExactJson({ ...biller, Enabled }));
  };

const one = { facts, more: printProducts };
const ofVendor = { words: ['billerCode'], flags: { vendorId: '--vendor ID: the vendor' } } as const;
const file = 'a biller';
/** Everything a biller can have, to take away from. */
const EXAMPLE = { ...contract.billerExample, VendorMustInvoicePayments: false, AllowFeed: true };

export const billerCommands: readonly Command[] = [
  derived('biller list', contract.listManagedBillers, {
    summary: 'List the billers.',
    columns: {
      BILLER: 'Code',
      NAME: 'Name',
      CURRENCIES: 'Currencies',
      PRODUCTS: ({ Products }) => Products.length,
      INVOICES: 'VendorMustInvoicePayments',
      FEED: 'AllowFeed',
      TARGET: ({ TargetAmount }) => TargetAmount,
      STATE: state,
    },
    examples: ['', "--all --json | jq -r '.Billers[].Code'"],
  }),
  derived('biller show', contract.getManagedBiller, {
    ...one,
    summary: 'Show a biller.',
    examples: ['', '--json > biller.json'],
  }),
  {
    name: 'biller example',
    summary: 'Print an example configuration of a biller.',
    options: EVERYWHERE,
    examples: ['tillseal biller example > biller.json'],
    run: async ({ terminal }) => {
      terminal.print(JSON.stringify(EXAMPLE, null, 2));
    },
  },
  derived('biller add', contract.addBiller, {
    ...one,
    file,
    summary: 'Add a biller from a file.',
    details: 'No vendor sees it until it is granted to one.',
    examples: ['biller.json', 'tillseal biller example | tillseal biller add -'],
  }),
  derived('biller update', contract.replaceBiller, {
    ...one,
    file,
    words: [],
    flags: { billerCode: false },
    amend: addCode,
    summary: 'Replace the whole configuration of a biller, and notify the vendors.',
    details: `FILE is what \`biller show --json\` printed, changed. Its Revision prevents overwriting someone else's change.`,
    examples: [
      'biller.json',
      "tillseal biller show CITYWATER --json | jq '.Fees[0].Fixed = 0.75' | tillseal biller update -",
    ],
  }),
  derived('biller enable', contract.replaceBiller, {
    ...one,
    isWhole: true,
    amend: withEnabled(true),
    summary: 'Let a biller take payments.',
  }),
  derived('biller disable', contract.replaceBiller, {
    ...one,
    isWhole: true,
    amend: withEnabled(false),
    summary: 'Stop a biller from taking payments.',
  }),
  derived('biller grant', grantBiller, {
    ...ofVendor,
    say: ({ VendorId, BillerCode }) => `Vendor ${VendorId} sees ${BillerCode}.`,
  }),
  derived('biller withdraw', withdrawBiller, {
    ...ofVendor,
    say: ({ VendorId, BillerCode }) => `Vendor ${VendorId} does not see ${BillerCode}.`,
  }),
];

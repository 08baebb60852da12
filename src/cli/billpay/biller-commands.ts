import * as contract from '../../contract/billpay/biller.ts';
import { grantBiller, withdrawBiller } from '../../contract/billpay/vendor.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import { derived } from '../derived/command.ts';
import { fileText } from '../derived/request.ts';
import type { Request } from '../derived/row.ts';
import type { Service } from '../shared/client.ts';
import { type Command, EVERYWHERE, type Invocation } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { amount } from '../shared/shown.ts';

type Product = contract.ManagedBiller['Products'][number];

const prices = ({ Prices }: Product) =>
  Prices.map(({ Currency, Price }) => `${Currency} ${amount(Price)}`).join(', ') || 'open';
const tables = { Products: ['Code', 'Name', { PRICES: prices }, 'Enabled'] } as const;

/** Which biller a configuration is of. It is sent as it is: no number is touched. */
function addCode(request: Request): void {
  const help = 'See: tillseal biller example';
  try {
    const { Code }: { Code?: unknown } = Object(JSON.parse(fileText(request)));
    if (Code === undefined) throw usage('The biller has no Code.', help);
    request.params['billerCode'] = Code;
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

const ofVendor = { words: ['billerCode'] } as const;

/** Everything a biller can have, to take away from. */
const EXAMPLE = { ...contract.billerExample, VendorMustInvoicePayments: false, AllowFeed: true };

export const billerCommands: readonly Command[] = [
  derived('biller list', contract.listManagedBillers, {
    columns: [
      { BILLER: 'Code', NAME: 'Name', CURRENCIES: 'Currencies', PRODUCTS: ({ Products }) => Products.length },
      { INVOICES: 'VendorMustInvoicePayments', FEED: 'AllowFeed', TARGET: ({ TargetAmount }) => TargetAmount },
      { ENABLED: 'Enabled', CONNECTOR: 'Connector' },
    ],
    examples: ["--all --json | jq -r '.Billers[].Code'"],
  }),
  derived('biller show', contract.getManagedBiller, {
    tables,
    examples: ['--json > biller.json'],
  }),
  {
    name: 'biller example',
    summary: 'Print an example configuration of a biller.',
    options: EVERYWHERE,
    examples: ['tillseal biller example > biller.json'],
    run: async ({ terminal }) => terminal.print(JSON.stringify(EXAMPLE, null, 2)),
  },
  derived('biller add', contract.addBiller, {
    tables,
    file: 'a biller',
    summary: 'Add a biller from a file.',
    details: 'No vendor sees it until it is granted to one.',
    examples: ['biller.json', 'tillseal biller example | tillseal biller add -'],
  }),
  derived('biller update', contract.replaceBiller, {
    tables,
    file: 'a biller',
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
    tables,
    whole: {},
    amend: withEnabled(true),
    summary: 'Let a biller take payments.',
  }),
  derived('biller disable', contract.replaceBiller, {
    tables,
    whole: {},
    amend: withEnabled(false),
    summary: 'Stop a biller from taking payments.',
  }),
  derived('biller grant', grantBiller, ofVendor),
  derived('biller withdraw', withdrawBiller, ofVendor),
];

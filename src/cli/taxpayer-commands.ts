import { openService } from './client.ts';
import {
  CONNECTION,
  type Command,
  type Invocation,
  idText,
  listOf,
  type Options,
  refuseBoth,
  requiredText,
} from './command.ts';
import { EXIT, type ExitCode, usage } from './failure.ts';
import type { JsonView } from './json-view.ts';
import { PAGING, printList } from './pages.ts';
import { type Column, printFacts } from './table.ts';

const COLUMNS: readonly Column<JsonView>[] = [
  { title: 'TAXPAYER', value: (taxpayer) => taxpayer.text('TaxpayerId') },
  { title: 'NAME', value: (taxpayer) => taxpayer.text('Name') },
  { title: 'TIN', value: (taxpayer) => taxpayer.text('TIN') },
  { title: 'VAT NUMBER', value: (taxpayer) => taxpayer.text('VatNumber') },
  { title: 'CURRENCIES', value: (taxpayer) => taxpayer.optional('Currencies') ?? 'all' },
  { title: 'STATE', value: (taxpayer) => (taxpayer.isTrue('Suspended') ? 'suspended' : 'active') },
];

const FIELDS: Options = {
  name: { value: 'NAME', help: 'as it is registered' },
  tin: { value: 'TIN', help: '10 digits' },
  'vat-number': { value: 'NUMBER', help: '9 digits; without one no tax above 0 % is accepted' },
  currencies: { value: 'CODES', help: 'the only currencies allowed, such as USD,ZWG' },
  'hs-taxed': { value: 'CODE', help: 'HS code for taxed lines that bring none (4 or 8 digits)' },
  'hs-zero-rated': { value: 'CODE', help: 'the same for lines at 0 % (8 digits)' },
  'hs-exempt': { value: 'CODE', help: 'the same for exempt lines (8 digits)' },
};

/** What is given becomes part of the body; `no-…` of a change becomes null. */
function bodyOf(invocation: Invocation): Record<string, unknown> {
  const removed = (option: string, value: unknown) => (invocation.isSet(option) ? null : value);
  refuseBoth(invocation, 'vat-number', 'no-vat-number');
  refuseBoth(invocation, 'currencies', 'all-currencies');
  refuseBoth(invocation, 'hs-taxed', 'no-hs-codes');
  return {
    Name: invocation.text('name'),
    TIN: invocation.text('tin'),
    VatNumber: removed('no-vat-number', invocation.text('vat-number')),
    Currencies: removed('all-currencies', listOf(invocation.text('currencies'))),
    DefaultHsCodes: removed('no-hs-codes', hsCodes(invocation)),
  };
}

function hsCodes(invocation: Invocation) {
  const [Taxed, ZeroRated, Exempt] = ['hs-taxed', 'hs-zero-rated', 'hs-exempt'].map(invocation.text);
  if (Taxed === undefined && ZeroRated === undefined && Exempt === undefined) return undefined;
  if (Taxed === undefined || ZeroRated === undefined || Exempt === undefined) {
    throw usage('Default HS codes come as three: give --hs-taxed, --hs-zero-rated and --hs-exempt together.');
  }
  return { Taxed, ZeroRated, Exempt };
}

function printTaxpayer(invocation: Invocation, text: string, view: () => JsonView): ExitCode {
  if (invocation.isSet('json')) {
    invocation.terminal.print(text);
    return EXIT.done;
  }
  const taxpayer = view();
  const suspendedAt = taxpayer.optionalMoment('SuspendedAt');
  printFacts(invocation.terminal, [
    ['Taxpayer', taxpayer.text('TaxpayerId')],
    ['Name', taxpayer.text('Name')],
    ['TIN', taxpayer.text('TIN')],
    ['VAT number', taxpayer.optional('VatNumber') ?? 'not registered for VAT'],
    ['Currencies', taxpayer.optional('Currencies') ?? 'all'],
    ['Default HS codes', taxpayer.optional('DefaultHsCodes') ?? 'none: every line brings its own'],
    ['State', suspendedAt === undefined ? 'active' : `suspended since ${suspendedAt}`],
    ['Created', taxpayer.moment('CreatedAt')],
  ]);
  return EXIT.done;
}

async function changeTaxpayer(invocation: Invocation, change: object): Promise<ExitCode> {
  const service = await openService(invocation, 'operator');
  const answer = await service.send('PATCH', pathOf(invocation), JSON.stringify(change));
  return printTaxpayer(invocation, answer.text, answer.view);
}

function pathOf(invocation: Invocation): string {
  return `/api/admin/taxpayers/${idText(invocation.words[0] ?? '', 'taxpayer')}`;
}

const EXAMPLE_ID = '019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3';

export const taxpayerCommands: readonly Command[] = [
  {
    name: 'taxpayer list',
    summary: 'List the taxpayers. (operator)',
    arguments: [],
    options: { ...PAGING, ...CONNECTION },
    examples: ['tillseal taxpayer list', "tillseal taxpayer list --all --json | jq -r '.Taxpayers[].TaxpayerId'"],
    run: async (invocation) =>
      printList(invocation, await openService(invocation, 'operator'), {
        path: '/api/admin/taxpayers',
        query: {},
        key: 'Taxpayers',
        noun: 'taxpayers',
        columns: COLUMNS,
      }),
  },
  {
    name: 'taxpayer show',
    summary: 'Show a taxpayer. (operator)',
    arguments: ['ID'],
    options: CONNECTION,
    examples: [`tillseal taxpayer show ${EXAMPLE_ID}`],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const answer = await service.send('GET', pathOf(invocation));
      return printTaxpayer(invocation, answer.text, answer.view);
    },
  },
  {
    name: 'taxpayer add',
    summary: 'Add a taxpayer. (operator)',
    arguments: [],
    options: { ...FIELDS, ...CONNECTION },
    examples: [
      'tillseal taxpayer add --name "Corner Shop (Pvt) Ltd" --tin 2000123456 --vat-number 220123456',
      'tillseal taxpayer add --name "Hair & Beauty" --tin 2000123457 --currencies USD,ZWG',
    ],
    run: async (invocation) => {
      requiredText(invocation, 'name', '"Corner Shop (Pvt) Ltd"');
      requiredText(invocation, 'tin', '2000123456');
      const body = bodyOf(invocation);
      const service = await openService(invocation, 'operator');
      const answer = await service.send('POST', '/api/admin/taxpayers', JSON.stringify(body));
      const id = answer.view().text('TaxpayerId');
      const exitCode = printTaxpayer(invocation, answer.text, answer.view);
      if (!invocation.isSet('json')) {
        invocation.terminal.note(`Give it a token: tillseal token issue --taxpayer ${id} --name "Till 1"`);
      }
      return exitCode;
    },
  },
  {
    name: 'taxpayer set',
    summary: 'Change a taxpayer. (operator)',
    arguments: ['ID'],
    options: {
      ...FIELDS,
      'no-vat-number': { help: 'not registered for VAT (any more)' },
      'all-currencies': { help: 'allow every current currency' },
      'no-hs-codes': { help: 'every line must bring its own HS code' },
      ...CONNECTION,
    },
    examples: [
      `tillseal taxpayer set ${EXAMPLE_ID} --vat-number 220123456`,
      `tillseal taxpayer set ${EXAMPLE_ID} --currencies USD,ZWG`,
    ],
    run: async (invocation) => {
      const change = bodyOf(invocation);
      if (Object.values(change).every((value) => value === undefined)) {
        throw usage('Nothing to set: give at least one of the options.', 'See: tillseal taxpayer set --help');
      }
      return changeTaxpayer(invocation, change);
    },
  },
  {
    name: 'taxpayer suspend',
    summary: 'Refuse everything from a taxpayer until it is resumed. (operator)',
    arguments: ['ID'],
    options: CONNECTION,
    examples: [`tillseal taxpayer suspend ${EXAMPLE_ID}`],
    run: (invocation) => changeTaxpayer(invocation, { Suspended: true }),
  },
  {
    name: 'taxpayer resume',
    summary: 'Let a suspended taxpayer work again. (operator)',
    arguments: ['ID'],
    options: CONNECTION,
    examples: [`tillseal taxpayer resume ${EXAMPLE_ID}`],
    run: (invocation) => changeTaxpayer(invocation, { Suspended: false }),
  },
];

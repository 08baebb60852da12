import type { Taxpayer, TaxpayerChange } from '../../contract/fiscal/taxpayer.ts';
import * as contract from '../../contract/fiscal/taxpayer.ts';
import { type Called, openService } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  given,
  type Invocation,
  idText,
  listOf,
  type Options,
  printsJson,
  refuseBoth,
  requiredText,
} from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { shown } from '../shared/shown.ts';
import { type Column, printFacts } from '../shared/table.ts';

const COLUMNS: readonly Column<Taxpayer>[] = [
  { title: 'TAXPAYER', value: (taxpayer) => taxpayer.TaxpayerId },
  { title: 'NAME', value: (taxpayer) => taxpayer.Name },
  { title: 'TIN', value: (taxpayer) => taxpayer.TIN },
  { title: 'VAT NUMBER', value: (taxpayer) => shown(taxpayer.VatNumber) },
  { title: 'CURRENCIES', value: (taxpayer) => taxpayer.Currencies?.join(', ') ?? 'all' },
  { title: 'STATE', value: (taxpayer) => (taxpayer.Suspended ? 'suspended' : 'active') },
];

const FIELDS: Options = {
  name: { value: 'NAME', help: 'as it is registered' },
  tin: { value: 'TIN', help: '10 digits' },
  'vat-number': { value: 'NUMBER', help: '9 digits; without one no tax above 0 % is accepted' },
  currencies: { value: 'CODES', help: 'the only currencies allowed, such as USD,ZWG' },
  'hs-taxed': { value: 'CODE', help: 'HS code for taxed lines without one (4 or 8 digits)' },
  'hs-zero-rated': { value: 'CODE', help: 'the same for lines at 0 % (8 digits)' },
  'hs-exempt': { value: 'CODE', help: 'the same for exempt lines (8 digits)' },
  'original-devices': {
    value: 'NUMBERS',
    help: 'the only devices, not registered here, whose invoices notes may refer to',
  },
  'notes-take-buyer': { help: 'a note without a buyer takes that of its original' },
};

/** What is given becomes part of the body; `no-…` of a change becomes null. */
function bodyOf(invocation: Invocation): TaxpayerChange {
  const removed = <Value>(option: string, value: Value) => (invocation.isSet(option) ? null : value);
  refuseBoth(invocation, 'vat-number', 'no-vat-number');
  refuseBoth(invocation, 'currencies', 'all-currencies');
  refuseBoth(invocation, 'hs-taxed', 'no-hs-codes');
  refuseBoth(invocation, 'original-devices', 'any-original-device');
  refuseBoth(invocation, 'notes-take-buyer', 'notes-without-buyer');
  return given({
    Name: invocation.text('name'),
    TIN: invocation.text('tin'),
    VatNumber: removed('no-vat-number', invocation.text('vat-number')),
    Currencies: removed('all-currencies', listOf(invocation.text('currencies'))),
    DefaultHsCodes: removed('no-hs-codes', hsCodes(invocation)),
    OriginalDevices: removed('any-original-device', listOf(invocation.text('original-devices'))?.map(Number)),
    NotesTakeBuyer:
      invocation.isSet('notes-take-buyer') || (invocation.isSet('notes-without-buyer') ? false : undefined),
  });
}

function hsCodes(invocation: Invocation) {
  const [Taxed, ZeroRated, Exempt] = ['hs-taxed', 'hs-zero-rated', 'hs-exempt'].map(invocation.text);
  if (Taxed === undefined && ZeroRated === undefined && Exempt === undefined) return undefined;
  if (Taxed === undefined || ZeroRated === undefined || Exempt === undefined) {
    throw usage('Default HS codes come as three: give --hs-taxed, --hs-zero-rated and --hs-exempt together.');
  }
  return { Taxed, ZeroRated, Exempt };
}

function printTaxpayer(invocation: Invocation, { value, text, zone }: Called<typeof contract.getTaxpayer>): void {
  if (printsJson(invocation, text)) return;
  const codes = value.DefaultHsCodes;
  printFacts(invocation.terminal, [
    ['Taxpayer', value.TaxpayerId],
    ['Name', value.Name],
    ['TIN', value.TIN],
    ['VAT number', value.VatNumber ?? 'not registered for VAT'],
    ['Currencies', value.Currencies?.join(', ') ?? 'all'],
    [
      'Default HS codes',
      codes === null
        ? 'none: every line needs its own'
        : `Taxed ${codes.Taxed}, ZeroRated ${codes.ZeroRated}, Exempt ${codes.Exempt}`,
    ],
    [
      'Notes refer to',
      value.OriginalDevices === null
        ? 'invoices of any device'
        : `invoices of devices here, and of ${value.OriginalDevices.join(', ')}`,
    ],
    ['Notes', value.NotesTakeBuyer ? 'take the buyer of their original' : 'have only the buyer that is sent'],
    ['State', value.SuspendedAt === null ? 'active' : `suspended since ${momentIn(zone, value.SuspendedAt)}`],
    ['Created', momentIn(zone, value.CreatedAt)],
  ]);
}

async function changeTaxpayer(invocation: Invocation, body: TaxpayerChange): Promise<void> {
  const service = await openService(invocation, 'operator');
  return printTaxpayer(invocation, await service.call(contract.changeTaxpayer, { params: idOf(invocation), body }));
}

function idOf(invocation: Invocation): { readonly taxpayerId: string } {
  return { taxpayerId: idText(invocation.words[0] ?? '', 'taxpayer') };
}

const EXAMPLE_ID = '019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3';

export const taxpayerCommands: readonly Command[] = [
  {
    name: 'taxpayer list',
    summary: 'List the taxpayers. (operator)',
    options: { ...PAGING, ...CONNECTION },
    examples: ['tillseal taxpayer list', "tillseal taxpayer list --all --json | jq -r '.Taxpayers[].TaxpayerId'"],
    run: async (invocation) =>
      printListOf(invocation, await openService(invocation, 'operator'), contract.listTaxpayers, {
        given: {},
        key: 'Taxpayers',
        noun: 'taxpayers',
        columns: COLUMNS,
      }),
  },
  {
    name: 'taxpayer show',
    summary: 'Show a taxpayer. (operator)',
    arguments: ['ID'],
    examples: [`tillseal taxpayer show ${EXAMPLE_ID}`],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      return printTaxpayer(invocation, await service.call(contract.getTaxpayer, { params: idOf(invocation) }));
    },
  },
  {
    name: 'taxpayer add',
    summary: 'Add a taxpayer. (operator)',
    options: { ...FIELDS, ...CONNECTION },
    examples: [
      'tillseal taxpayer add --name "Corner Shop (Pvt) Ltd" --tin 2000123456 --vat-number 220123456',
      'tillseal taxpayer add --name "Hair & Beauty" --tin 2000123457 --currencies USD,ZWG',
    ],
    run: async (invocation) => {
      const Name = requiredText(invocation, 'name', '"Corner Shop (Pvt) Ltd"');
      const TIN = requiredText(invocation, 'tin', '2000123456');
      const body = { ...bodyOf(invocation), Name, TIN };
      const service = await openService(invocation, 'operator');
      const added = await service.call(contract.addTaxpayer, { body });
      printTaxpayer(invocation, added);
      if (!invocation.isSet('json')) {
        const { TaxpayerId } = added.value;
        invocation.terminal.note(`Give it a token: tillseal token issue --taxpayer ${TaxpayerId} --name "Till 1"`);
      }
    },
  },
  {
    name: 'taxpayer set',
    summary: 'Change a taxpayer. (operator)',
    arguments: ['ID'],
    options: {
      ...FIELDS,
      'no-vat-number': { help: 'not, or no longer, registered for VAT' },
      'all-currencies': { help: 'allow every current currency' },
      'any-original-device': { help: 'notes may refer to invoices of any device' },
      'no-hs-codes': { help: 'every line must have its own HS code' },
      'notes-without-buyer': { help: 'a note has only the buyer that is sent' },
      ...CONNECTION,
    },
    examples: [
      `tillseal taxpayer set ${EXAMPLE_ID} --vat-number 220123456`,
      `tillseal taxpayer set ${EXAMPLE_ID} --currencies USD,ZWG`,
    ],
    run: async (invocation) => {
      const change = bodyOf(invocation);
      if (Object.keys(change).length === 0) {
        throw usage('Nothing to set: give at least one of the options.', 'See: tillseal taxpayer set --help');
      }
      return changeTaxpayer(invocation, change);
    },
  },
  {
    name: 'taxpayer suspend',
    summary: 'Refuse everything from a taxpayer until it is resumed. (operator)',
    arguments: ['ID'],
    examples: [`tillseal taxpayer suspend ${EXAMPLE_ID}`],
    run: (invocation) => changeTaxpayer(invocation, { Suspended: true }),
  },
  {
    name: 'taxpayer resume',
    summary: 'Let a suspended taxpayer work again. (operator)',
    arguments: ['ID'],
    examples: [`tillseal taxpayer resume ${EXAMPLE_ID}`],
    run: (invocation) => changeTaxpayer(invocation, { Suspended: false }),
  },
];

import * as contract from '../../contract/fiscal/taxpayer.ts';
import { derived, type Request } from '../derived/command.ts';
import type { Cells } from '../derived/show.ts';
import { type Command, type Invocation, type Options, refuseBoth } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { momentIn } from '../shared/moment.ts';

const facts: Cells<contract.Taxpayer> = {
  Taxpayer: 'TaxpayerId',
  Name: 'Name',
  TIN: 'TIN',
  'VAT number': ({ VatNumber }) => VatNumber ?? 'not registered for VAT',
  Currencies: ({ Currencies }) => Currencies ?? 'all',
  'Default HS codes': ({ DefaultHsCodes }) => DefaultHsCodes ?? 'none: every line needs its own',
  'Notes refer to': ({ OriginalDevices: devices }) =>
    devices === null ? 'invoices of any device' : `invoices of devices here, and of ${devices.join(', ')}`,
  Notes: ({ NotesTakeBuyer: take }) => (take ? 'take the buyer of their original' : 'have only the buyer that is sent'),
  State: ({ SuspendedAt }, zone) =>
    SuspendedAt === null ? 'active' : `suspended since ${momentIn(zone, SuspendedAt)}`,
  Created: 'CreatedAt',
};

const HS_CODES: Options = {
  'hs-taxed': { value: 'CODE', help: 'HS code for taxed lines without one (4 or 8 digits)' },
  'hs-zero-rated': { value: 'CODE', help: 'the same for lines at 0 % (8 digits)' },
  'hs-exempt': { value: 'CODE', help: 'the same for exempt lines (8 digits)' },
};

function addHsCodes({ body }: Request, invocation: Invocation): void {
  const [Taxed, ZeroRated, Exempt] = Object.keys(HS_CODES).map(invocation.text);
  refuseBoth(invocation, 'hs-taxed', 'no-hs-codes');
  if (invocation.isSet('no-hs-codes')) Object.assign(body, { DefaultHsCodes: null });
  if (Taxed === undefined && ZeroRated === undefined && Exempt === undefined) return;
  if (Taxed === undefined || ZeroRated === undefined || Exempt === undefined)
    throw usage('Default HS codes come as three: give --hs-taxed, --hs-zero-rated and --hs-exempt together.');
  Object.assign(body, { DefaultHsCodes: { Taxed, ZeroRated, Exempt } });
}

const fields = {
  facts,
  amend: addHsCodes,
  flags: {
    Currencies: '--currencies CODES: the only currencies allowed, such as USD,ZWG',
    OriginalDevices:
      '--original-devices NUMBERS: the only devices, not registered here, whose invoices notes may refer to',
    NotesTakeBuyer: 'a note without a buyer takes that of its original',
    DefaultHsCodes: false,
  },
} as const;

export const taxpayerCommands: readonly Command[] = [
  derived('taxpayer list', contract.listTaxpayers, {
    summary: 'List the taxpayers.',
    columns: {
      TAXPAYER: 'TaxpayerId',
      NAME: 'Name',
      TIN: 'TIN',
      'VAT NUMBER': 'VatNumber',
      CURRENCIES: ({ Currencies }) => Currencies ?? 'all',
      STATE: ({ Suspended }) => (Suspended ? 'suspended' : 'active'),
    },
    examples: ['', "--all --json | jq -r '.Taxpayers[].TaxpayerId'"],
  }),
  derived('taxpayer show', contract.getTaxpayer, { summary: 'Show a taxpayer.', facts }),
  derived('taxpayer add', contract.addTaxpayer, {
    ...fields,
    options: HS_CODES,
    notes: ({ TaxpayerId }) => [`Give it a token: tillseal token issue --taxpayer ${TaxpayerId} --name "Till 1"`],
    examples: [
      '--name "Corner Shop (Pvt) Ltd" --tin 2000123456 --vat-number 220123456',
      '--name "Hair & Beauty" --tin 2000123457 --currencies USD,ZWG',
    ],
  }),
  derived('taxpayer set', contract.changeTaxpayer, {
    ...fields,
    summary: 'Change a taxpayer.',
    flags: { ...fields.flags, Suspended: false },
    negatives: {
      VatNumber: 'not, or no longer, registered for VAT',
      Currencies: '--all-currencies: allow every current currency',
      OriginalDevices: '--any-original-device: notes may refer to invoices of any device',
      NotesTakeBuyer: '--notes-without-buyer: a note has only the buyer that is sent',
    },
    options: { ...HS_CODES, 'no-hs-codes': { help: 'every line must have its own HS code' } },
    examples: ['--vat-number 220123456', '--currencies USD,ZWG'],
  }),
  derived('taxpayer suspend', contract.changeTaxpayer, {
    summary: 'Refuse everything from a taxpayer until it is resumed.',
    facts,
    body: { Suspended: true },
    isWhole: true,
  }),
  derived('taxpayer resume', contract.changeTaxpayer, {
    summary: 'Let a suspended taxpayer work again.',
    facts,
    body: { Suspended: false },
    isWhole: true,
  }),
];

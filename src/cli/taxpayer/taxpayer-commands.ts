import { getMonth } from '../../contract/fiscal/month.ts';
import * as contract from '../../contract/fiscal/taxpayer.ts';
import { derived } from '../derived/command.ts';
import type { Request } from '../derived/row.ts';
import { type Command, type Invocation, type Options, refuseBoth } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';

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

export const taxpayerCommands: readonly Command[] = [
  derived('taxpayer list', contract.listTaxpayers, {
    columns: ['TaxpayerId', 'Name', 'TIN', 'VatNumber', 'Currencies', 'Suspended'],
    examples: ['', "--all --json | jq -r '.Taxpayers[].TaxpayerId'"],
  }),
  derived('taxpayer show', contract.getTaxpayer),
  derived('taxpayer add', contract.addTaxpayer, {
    flags: { DefaultHsCodes: false },
    amend: addHsCodes,
    options: HS_CODES,
    notes: ({ TaxpayerId }) => [`Give it a token: tillseal token issue --taxpayer ${TaxpayerId} --name "Till 1"`],
    examples: [
      '--name "Corner Shop (Pvt) Ltd" --tin 2000123456 --vat-number 220123456',
      '--name "Hair & Beauty" --tin 2000123457 --currencies USD,ZWG',
    ],
  }),
  derived('taxpayer set', contract.changeTaxpayer, {
    amend: addHsCodes,
    flags: { DefaultHsCodes: false, Suspended: false },
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
    whole: { Suspended: true },
  }),
  derived('taxpayer resume', contract.changeTaxpayer, {
    summary: 'Let a suspended taxpayer work again.',
    whole: { Suspended: false },
  }),
  derived('taxpayer month', getMonth, {
    details: 'As CSV a line for each tax, cashier and open day; as PDF in the style of a Z report.',
    examples: ['', '--out november.pdf', '--format csv > november.csv'],
  }),
];

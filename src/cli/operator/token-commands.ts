import * as contract from '../../contract/platform/token.ts';
import { derived } from '../derived/command.ts';
import { tillText } from '../device/device-view.ts';
import type { Command } from '../shared/command.ts';

const flags = {
  TaxpayerId: 'of this taxpayer',
  VendorId: 'of this vendor',
  BillerCode: 'of this biller; without any of the three, those of operators',
};
const STATE = ({ State, TillsBehind = [] }: contract.Token, zone: string) =>
  [State.toLowerCase(), ...TillsBehind.map((till) => tillText(till, zone))].join(', ');

export const tokenCommands: readonly Command[] = [
  derived('token list', contract.listTokens, {
    summary: 'List tokens; never the tokens themselves.',
    flags,
    columns: [
      { TOKEN: 'TokenId', NAME: 'Name', 'BEGINS WITH': 'Prefix', SCOPES: 'Scopes', CASHIER: 'DefaultCashier' },
      { EXPIRES: 'ExpiresAt', 'LAST USED': 'LastUsedAt', STATE },
    ],
    examples: ['', '--taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3'],
  }),
  derived('token issue', contract.issueToken, {
    summary: 'Issue a token and show it, once.',
    flags: {
      ...flags,
      Name: 'what or who will use it',
      Scopes: 'sign,read for a taxpayer, pay,read for a vendor, endpoints for both; else viewer, operator or admin',
      DefaultCashier: '--cashier NAME: replaces Cashier on every receipt; only for a taxpayer',
      ExpiresAt: 'such as 2027-01-31 or 2027-01-31T00:00:00Z; never by default',
    },
    examples: [
      '--taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3 --name "Till 1" --cashier Rudo',
      '--vendor 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3 --name "App server"',
      '--biller CITYWATER --name "Donation page"',
      '--name "Nightly report" --scopes viewer --expires 2027-01-31',
    ],
  }),
  derived('token revoke', contract.revokeToken, {
    summary: 'Revoke a token permanently; takes effect everywhere within seconds.',
    flags,
  }),
];

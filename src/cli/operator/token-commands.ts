import * as contract from '../../contract/platform/token.ts';
import { derived } from '../derived/command.ts';
import { tillText } from '../device/device-view.ts';
import type { Command } from '../shared/command.ts';

const STATE = ({ State, TillsBehind = [] }: contract.Token, zone: string) =>
  [State.toLowerCase(), ...TillsBehind.map((till) => tillText(till, zone))].join(', ');

export const tokenCommands: readonly Command[] = [
  derived('token list', contract.listTokens, {
    columns: [
      { TOKEN: 'TokenId', NAME: 'Name', 'BEGINS WITH': 'Prefix', SCOPES: 'Scopes', CASHIER: 'DefaultCashier' },
      { EXPIRES: 'ExpiresAt', 'LAST USED': 'LastUsedAt', STATE },
    ],
    examples: ['', '--taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3'],
  }),
  derived('token issue', contract.issueToken, {
    flags: {
      Scopes: 'sign,read for a taxpayer, pay,read for a vendor, endpoints for both; else viewer, operator or admin',
      DefaultCashier: '--cashier NAME',
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
  }),
];

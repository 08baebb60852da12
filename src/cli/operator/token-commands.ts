import * as contract from '../../contract/platform/token.ts';
import type { Wire } from '../../contract/shared/operation.ts';
import { tillText } from '../device/device-view.ts';
import { instantOption, openService } from '../shared/client.ts';
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
  taxpayerOption,
  vendorOption,
} from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { shown } from '../shared/shown.ts';
import { type Column, printFacts } from '../shared/table.ts';

const OWNER: Options = {
  taxpayer: { value: 'ID', help: 'of this taxpayer' },
  vendor: { value: 'ID', help: 'of this vendor' },
  biller: { value: 'CODE', help: 'of this biller; without any of the three, those of operators' },
};

type Token = Wire<contract.Token>;

function columnsIn(zone: string): readonly Column<Token>[] {
  const moment = (at: string | null) => (at === null ? 'never' : momentIn(zone, at));
  return [
    { title: 'TOKEN ID', value: (token) => token.TokenId },
    { title: 'NAME', value: (token) => token.Name },
    { title: 'BEGINS WITH', value: (token) => token.Prefix },
    { title: 'SCOPES', value: (token) => shown(token.Scopes) },
    { title: 'CASHIER', value: (token) => shown(token.DefaultCashier) },
    { title: 'EXPIRES', value: (token) => moment(token.ExpiresAt) },
    { title: 'LAST USED', value: (token) => moment(token.LastUsedAt) },
    {
      title: 'STATE',
      value: ({ State, TillsBehind = [] }) =>
        [State.toLowerCase(), ...TillsBehind.map((till) => tillText(till, zone))].join(', '),
    },
  ];
}

function ownerOf(invocation: Invocation) {
  for (const [one, other] of [
    ['taxpayer', 'vendor'],
    ['taxpayer', 'biller'],
    ['vendor', 'biller'],
  ] as const)
    refuseBoth(invocation, one, other);
  const [TaxpayerId, VendorId] = [taxpayerOption(invocation), vendorOption(invocation)];
  return given({ TaxpayerId, VendorId, BillerCode: invocation.text('biller') });
}

function factsOf(token: Token, zone: string) {
  return columnsIn(zone).map(({ title, value }): [string, string] => {
    const [first = '', ...rest] = title.toLowerCase();
    return [first.toUpperCase() + rest.join(''), value(token)];
  });
}

async function listTokens(invocation: Invocation): Promise<void> {
  const query = ownerOf(invocation);
  const service = await openService(invocation, 'operator');
  const columns = columnsIn(await service.zone());
  return printListOf(invocation, service, contract.listTokens, {
    given: { query },
    key: 'Tokens',
    noun: 'tokens',
    columns,
  });
}

async function issueToken(invocation: Invocation): Promise<void> {
  const owner = ownerOf(invocation);
  const service = await openService(invocation, 'operator');
  const Name = requiredText(invocation, 'name', '"Till 1"');
  const { value, text, zone } = await service.call(contract.issueToken, {
    body: {
      ...owner,
      Name,
      ...given({
        Scopes: listOf(invocation.text('scopes')) as contract.NewToken['Scopes'],
        DefaultCashier: invocation.text('cashier'),
        ExpiresAt: await instantOption(invocation, service, 'expires'),
      }),
    },
  });
  if (printsJson(invocation, text)) return;
  printFacts(invocation.terminal, [...factsOf(value, zone), ['Token', value.Token]]);
  invocation.terminal.note('Save the token now: only its hash is stored, and it is never shown again.');
}

async function revokeToken(invocation: Invocation): Promise<void> {
  const query = ownerOf(invocation);
  const tokenId = idText(invocation.words[0] ?? '', 'token');
  const service = await openService(invocation, 'operator');
  const { value, text, zone } = await service.call(contract.revokeToken, { params: { tokenId }, query });
  if (!printsJson(invocation, text)) printFacts(invocation.terminal, factsOf(value, zone));
}

export const tokenCommands: readonly Command[] = [
  {
    name: 'token list',
    summary: 'List tokens; never the tokens themselves. (operator)',
    options: { ...OWNER, ...PAGING, ...CONNECTION },
    examples: ['tillseal token list', 'tillseal token list --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3'],
    run: listTokens,
  },
  {
    name: 'token issue',
    summary: 'Issue a token and show it, once. (operator)',
    options: {
      ...OWNER,
      name: { value: 'NAME', help: 'what or who will use it' },
      scopes: {
        value: 'SCOPES',
        help: 'sign,read for a taxpayer, pay,read for a vendor, endpoints for both; else viewer, operator or admin',
      },
      cashier: { value: 'NAME', help: 'replaces Cashier on every receipt; only for a taxpayer' },
      expires: { value: 'TIME', help: 'such as 2027-01-31 or 2027-01-31T00:00:00Z; never by default' },
      ...CONNECTION,
    },
    examples: [
      'tillseal token issue --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3 --name "Till 1" --cashier Rudo',
      'tillseal token issue --vendor 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3 --name "App server"',
      'tillseal token issue --biller CITYWATER --name "Donation page"',
      'tillseal token issue --name "Nightly report" --scopes viewer --expires 2027-01-31',
      'tillseal token issue --name "Deployment" --json | jq -r .Token',
    ],
    run: issueToken,
  },
  {
    name: 'token revoke',
    summary: 'Revoke a token permanently; takes effect everywhere within seconds. (operator)',
    arguments: ['TOKEN-ID'],
    options: { ...OWNER, ...CONNECTION },
    examples: [
      'tillseal token revoke 019a83c6-11aa-7e55-8d01-7c3b52f0aa10 --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3',
    ],
    run: revokeToken,
  },
];

import { instantOption, openService } from './client.ts';
import {
  CONNECTION,
  type Command,
  type Invocation,
  idText,
  listOf,
  type Options,
  refuseBoth,
  requiredText,
  taxpayerOption,
  vendorOption,
} from './command.ts';
import { EXIT, type ExitCode, usage } from './failure.ts';
import type { JsonView } from './json-view.ts';
import { PAGING, printList } from './pages.ts';
import { type Column, type Fact, printFacts } from './table.ts';

const OWNER: Options = {
  taxpayer: { value: 'ID', help: 'of this taxpayer' },
  vendor: { value: 'ID', help: "of this vendor; without either, the operators' own" },
};

function stateOf(token: JsonView, now: Date): string {
  const expiresAt = token.optional('ExpiresAt');
  if (token.optional('RevokedAt') !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime() ? 'expired' : 'active';
}

const COLUMNS: readonly Column<JsonView>[] = [
  { title: 'TOKEN ID', value: (token) => token.text('TokenId') },
  { title: 'NAME', value: (token) => token.text('Name') },
  { title: 'BEGINS WITH', value: (token) => token.text('Prefix') },
  { title: 'SCOPES', value: (token) => token.text('Scopes') },
  { title: 'CASHIER', value: (token) => token.text('DefaultCashier') },
  { title: 'EXPIRES', value: (token) => token.optionalMoment('ExpiresAt') ?? 'never' },
  { title: 'STATE', value: (token) => stateOf(token, new Date()) },
];

function pathOf(invocation: Invocation): string {
  refuseBoth(invocation, 'taxpayer', 'vendor');
  const vendorId = vendorOption(invocation);
  if (vendorId !== undefined) return `/api/admin/vendors/${vendorId}/tokens`;
  const taxpayerId = taxpayerOption(invocation);
  return taxpayerId === undefined ? '/api/admin/tokens' : `/api/admin/taxpayers/${taxpayerId}/tokens`;
}

function tokenFacts(token: JsonView): Fact[] {
  return [
    ['Token id', token.text('TokenId')],
    ['Name', token.text('Name')],
    ['Scopes', token.text('Scopes')],
    ['Cashier', token.optional('DefaultCashier')],
    ['Expires', token.optionalMoment('ExpiresAt') ?? 'never'],
    ['State', stateOf(token, new Date())],
  ];
}

async function issueToken(invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const isOfTaxpayer = invocation.text('taxpayer') !== undefined;
  const isOfVendor = invocation.text('vendor') !== undefined;
  const isOfOperator = !isOfTaxpayer && !isOfVendor;
  if (isOfOperator && (invocation.text('scopes') ?? invocation.text('cashier')) !== undefined) {
    throw usage(
      "--scopes and --cashier are for a taxpayer's token, and --taxpayer is missing.",
      'A token of an operator always has the scope admin.',
    );
  }
  if (isOfVendor && invocation.text('cashier') !== undefined)
    throw usage("--cashier is for a taxpayer's token: a vendor signs no receipts.");
  const service = await openService(invocation, 'operator');
  const body = {
    Name: requiredText(invocation, 'name', '"Till 1"'),
    ExpiresAt: await instantOption(invocation, service, 'expires'),
    ...(isOfTaxpayer
      ? {
          Scopes: listOf(invocation.text('scopes')) ?? ['sign', 'read'],
          DefaultCashier: invocation.text('cashier'),
        }
      : {}),
    ...(isOfVendor ? { Scopes: listOf(invocation.text('scopes')) ?? ['pay', 'read'] } : {}),
  };
  const answer = await service.send('POST', pathOf(invocation), JSON.stringify(body));
  if (invocation.isSet('json')) {
    terminal.print(answer.text);
    return EXIT.done;
  }
  const token = answer.view();
  printFacts(terminal, [...tokenFacts(token), ['Token', token.text('Token')]]);
  terminal.note('Keep the token safe now: only its hash is stored, and it is never shown again.');
  return EXIT.done;
}

export const tokenCommands: readonly Command[] = [
  {
    name: 'token list',
    summary: 'List tokens; never the tokens themselves. (operator)',
    arguments: [],
    options: { ...OWNER, ...PAGING, ...CONNECTION },
    examples: ['tillseal token list', 'tillseal token list --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3'],
    run: async (invocation) =>
      printList(invocation, await openService(invocation, 'operator'), {
        path: pathOf(invocation),
        query: {},
        key: 'Tokens',
        noun: 'tokens',
        columns: COLUMNS,
      }),
  },
  {
    name: 'token issue',
    summary: 'Issue a token and show it, this once. (operator)',
    arguments: [],
    options: {
      ...OWNER,
      name: { value: 'NAME', help: 'what or who will use it' },
      scopes: { value: 'SCOPES', help: 'sign,read for a taxpayer, pay,read for a vendor (both by default)' },
      cashier: { value: 'NAME', help: 'replaces Cashier on every receipt; only for a taxpayer' },
      expires: { value: 'TIME', help: 'such as 2027-01-31 or 2027-01-31T00:00:00Z; never by default' },
      ...CONNECTION,
    },
    examples: [
      'tillseal token issue --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3 --name "Till 1" --cashier Rudo',
      'tillseal token issue --vendor 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3 --name "App server"',
      'tillseal token issue --name "Nightly report" --expires 2027-01-31',
      'tillseal token issue --name "Deployment" --json | jq -r .Token',
    ],
    run: issueToken,
  },
  {
    name: 'token revoke',
    summary: 'Revoke a token, for good; felt everywhere within seconds. (operator)',
    arguments: ['TOKEN-ID'],
    options: { ...OWNER, ...CONNECTION },
    examples: [
      'tillseal token revoke 019a83c6-11aa-7e55-8d01-7c3b52f0aa10 --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3',
    ],
    run: async (invocation) => {
      const { terminal } = invocation;
      const path = `${pathOf(invocation)}/${idText(invocation.words[0] ?? '', 'token')}`;
      const service = await openService(invocation, 'operator');
      const answer = await service.send('DELETE', path);
      if (invocation.isSet('json')) terminal.print(answer.text);
      else printFacts(terminal, tokenFacts(answer.view()));
      return EXIT.done;
    },
  },
];

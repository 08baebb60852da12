import * as vendor from '../../contract/billpay/vendor-token.ts';
import * as contract from '../../contract/fiscal/token.ts';
import { type AnyToken, tokenState } from '../../contract/fiscal/token-state.ts';
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
import { usage } from '../shared/failure.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { shown } from '../shared/shown.ts';
import { type Column, type Fact, printFacts } from '../shared/table.ts';

const OWNER: Options = {
  taxpayer: { value: 'ID', help: 'of this taxpayer' },
  vendor: { value: 'ID', help: 'of this vendor; without either, those of operators' },
};

function stateOf(token: AnyToken, zone: string): string {
  const tills = (token.TillsBehind ?? []).map((till) => tillText(till, zone));
  return [tokenState(token).toLowerCase(), ...tills].join(', ');
}

function columnsIn(zone: string): readonly Column<AnyToken>[] {
  return [
    { title: 'TOKEN ID', value: (token) => token.TokenId },
    { title: 'NAME', value: (token) => token.Name },
    { title: 'BEGINS WITH', value: (token) => token.Prefix },
    { title: 'SCOPES', value: (token) => shown(token.Scopes) },
    { title: 'CASHIER', value: (token) => shown(token.DefaultCashier) },
    { title: 'EXPIRES', value: (token) => (token.ExpiresAt === null ? 'never' : momentIn(zone, token.ExpiresAt)) },
    { title: 'STATE', value: (token) => stateOf(token, zone) },
  ];
}

function ownerOf(invocation: Invocation) {
  refuseBoth(invocation, 'taxpayer', 'vendor');
  return { vendorId: vendorOption(invocation), taxpayerId: taxpayerOption(invocation) };
}

function tokenFacts(token: AnyToken, zone: string): Fact[] {
  return [
    ['Token id', token.TokenId],
    ['Name', token.Name],
    ['Scopes', shown(token.Scopes)],
    ['Cashier', token.DefaultCashier ?? undefined],
    ['Expires', token.ExpiresAt === null ? 'never' : momentIn(zone, token.ExpiresAt)],
    ['State', stateOf(token, zone)],
  ];
}

async function listTokens(invocation: Invocation): Promise<void> {
  const { vendorId, taxpayerId } = ownerOf(invocation);
  const service = await openService(invocation, 'operator');
  const list = { key: 'Tokens', noun: 'tokens', columns: columnsIn(await service.zone()) } as const;
  if (vendorId !== undefined)
    return printListOf(invocation, service, vendor.listVendorTokens, { given: { params: { vendorId } }, ...list });
  if (taxpayerId !== undefined)
    return printListOf(invocation, service, contract.listTokens, { given: { params: { taxpayerId } }, ...list });
  return printListOf(invocation, service, contract.listOperatorTokens, { given: {}, ...list });
}

async function issueToken(invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const { vendorId, taxpayerId } = ownerOf(invocation);
  const isOfOperator = taxpayerId === undefined && vendorId === undefined;
  if (isOfOperator && (invocation.text('scopes') ?? invocation.text('cashier')) !== undefined) {
    throw usage(
      "--scopes and --cashier are for a taxpayer's token, and --taxpayer is missing.",
      'A token of an operator always has the scope admin.',
    );
  }
  if (vendorId !== undefined && invocation.text('cashier') !== undefined)
    throw usage("--cashier is for a taxpayer's token: a vendor signs no receipts.");
  const service = await openService(invocation, 'operator');
  const Name = requiredText(invocation, 'name', '"Till 1"');
  const body = { Name, ...given({ ExpiresAt: await instantOption(invocation, service, 'expires') }) };
  const cashier = given({ DefaultCashier: invocation.text('cashier') });
  const issued =
    vendorId !== undefined
      ? await service.call(vendor.issueVendorToken, {
          params: { vendorId },
          body: { ...body, Scopes: scopesOf(invocation, vendor.VENDOR_SCOPES) },
        })
      : taxpayerId !== undefined
        ? await service.call(contract.issueToken, {
            params: { taxpayerId },
            body: { ...body, ...cashier, Scopes: scopesOf(invocation, contract.TAXPAYER_SCOPES) },
          })
        : await service.call(contract.issueOperatorToken, { body });
  if (printsJson(invocation, issued.text)) return;
  printFacts(terminal, [...tokenFacts(issued.value, issued.zone), ['Token', issued.value.Token]]);
  terminal.note('Save the token now: only its hash is stored, and it is never shown again.');
}

/** Those that were given, or all that a till or an app needs. */
function scopesOf<const Scope extends string>(invocation: Invocation, scopes: readonly Scope[]): Scope[] {
  const words = listOf(invocation.text('scopes')) ?? scopes.filter((scope) => scope !== 'endpoints');
  return words.map((word) => {
    const scope = scopes.find((one) => one === word);
    if (scope === undefined) throw usage(`--scopes are ${scopes.join(', ')}, got "${word}".`);
    return scope;
  });
}

async function revokeToken(invocation: Invocation): Promise<void> {
  const { vendorId, taxpayerId } = ownerOf(invocation);
  const tokenId = idText(invocation.words[0] ?? '', 'token');
  const service = await openService(invocation, 'operator');
  const { value, text, zone } =
    vendorId !== undefined
      ? await service.call(vendor.revokeVendorToken, { params: { vendorId, tokenId } })
      : taxpayerId !== undefined
        ? await service.call(contract.revokeToken, { params: { taxpayerId, tokenId } })
        : await service.call(contract.revokeOperatorToken, { params: { tokenId } });
  if (!printsJson(invocation, text)) printFacts(invocation.terminal, tokenFacts(value, zone));
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
        help: 'sign,read for a taxpayer, pay,read for a vendor (the default); endpoints to register endpoints',
      },
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
    summary: 'Revoke a token permanently; takes effect everywhere within seconds. (operator)',
    arguments: ['TOKEN-ID'],
    options: { ...OWNER, ...CONNECTION },
    examples: [
      'tillseal token revoke 019a83c6-11aa-7e55-8d01-7c3b52f0aa10 --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3',
    ],
    run: revokeToken,
  },
];

import { Taxpayer } from '../fiscal/taxpayer.ts';
import { TillBehind } from '../fiscal/till.ts';
import { operation } from '../shared/operation.ts';
import { tenantFields } from '../shared/tenant.ts';
import { TOKEN_SCOPES, TOKEN_STATES } from '../shared/values.ts';
import { answered, input, only, pages, shape, Type } from '../shared/vocabulary.ts';

const SCOPES = [...new Set(Object.values(TOKEN_SCOPES).flat())];

const fields = {
  TokenId: Type.String({ format: 'uuid' }),
  Name: Type.String(),
  Prefix: Type.String({ description: 'The beginning of the token, to recognise it.' }),
  Scopes: Type.Array(Type.oneOf(SCOPES)),
  DefaultCashier: Type.textOrNull(),
  ExpiresAt: Type.orNull(Type.Instant, { description: 'null: never.' }),
  LastUsedAt: Type.orNull(Type.Instant, { description: 'To a minute or two. null: never.' }),
  RevokedAt: Type.orNull(Type.Instant),
  CreatedAt: Type.Instant,
};
const owned = {
  ...fields,
  State: Type.oneOf(TOKEN_STATES),
  TaxpayerId: Type.orNull(Type.Id),
  VendorId: Type.orNull(Type.Id),
  BillerCode: Type.textOrNull(),
};
const TillsBehind = Type.Array(TillBehind, { description: 'In the list: unsealed sales of the till that uses it.' });
export const Token = shape('Token', { ...owned, TillsBehind: Type.Optional(TillsBehind) });
export type Token = Type.Static<typeof Token>;
const IssuedToken = shape('IssuedToken', {
  ...owned,
  Token: Type.String({ description: 'The token itself. Shown once and never again.' }),
});
export type IssuedToken = Type.Static<typeof IssuedToken>;

/** Of none of them: a token of the operators. */
const { PracticeId: _practice, ...owner } = tenantFields;
const NewToken = input('NewToken', {
  ...owner,
  Name: Type.String({ minLength: 1, maxLength: 100, description: 'What or who uses it; shown in the audit log.' }),
  Scopes: Type.Optional(
    Type.Array(Type.oneOf(SCOPES), {
      minItems: 1,
      uniqueItems: true,
      description:
        "Of a taxpayer's: `sign` signs receipts, `read` reads them and events, `endpoints` says where events are sent. Of a vendor's: `pay` takes and reverses payments, " +
        "`read` lists billers, looks up payments and reads events, `endpoints`. Of a biller's: `figures` reads its TargetStats and feed. Of the operators': the role `viewer`, `operator` " +
        'or `admin`. By default everything but `endpoints`, which no till or app needs.',
    }),
  ),
  DefaultCashier: Type.Optional(
    Type.textOrNull({
      minLength: 1,
      maxLength: 20,
      description: "Replaces Cashier on every receipt; only a taxpayer's.",
    }),
  ),
  ExpiresAt: Type.Optional(
    Type.textOrNull({ description: 'ISO 8601 with Z or an offset. null: never.', maxLength: 40 }),
  ),
});
export type NewToken = Type.Static<typeof NewToken>;

const OwnToken = shape('OwnToken', {
  ...fields,
  Taxpayer,
  AuthorityDeviceIds: Type.Array(Type.DeviceId, {
    description: 'Its devices, the first 1,000; `GET /api/device` has all.',
  }),
});

/** A token may do as much as a till, so it is not for the daily work. */
const access = { installation: 'admin', taxpayer: 'owner', vendor: 'owner', biller: 'owner' } as const;

export const getOwnToken = operation('GET /api/token', {
  access: 'taxpayer',
  tag: 'Devices',
  summary: 'Who am I?',
  description:
    'The token that is sent: its scopes and default cashier, the taxpayer with its currencies and automatic HS codes, and its devices. Needs no scope.',
  answer: answered('The token.', OwnToken),
});

export const listTokens = operation('GET /api/admin/tokens', {
  access,
  summary: 'List the tokens of a taxpayer, a vendor, a biller, or the operators',
  description: 'Newest first; never the tokens themselves. Without an owner, those of the operators.',
  ...pages('Tokens', Token, 'TokenList', { ...owner, Cursor: Type.Id }),
});

export const issueToken = operation('POST /api/admin/tokens', {
  access,
  summary: 'Issue a token to a taxpayer, a vendor, a biller, or a program of the operators',
  body: NewToken,
  bodyExamples: {
    'For a till with a cashier': {
      TaxpayerId: '0198b7e2-5a90-7c11-8f0e-6d3b2a917c54',
      Name: 'Till 3',
      Scopes: ['sign', 'read'],
      DefaultCashier: 'Rudo',
    },
    'For an application server of a vendor': { VendorId: '0198b7e2-8f10-7c33-a1d2-0c7b6a5948e3', Name: 'App server' },
    'For a biller': { BillerCode: 'CITYWATER', Name: 'Donation page' },
    'For a program of the operators': { Name: 'Nightly report', Scopes: ['viewer'] },
  },
  answer: answered('Issued. Keep `Token`: it is not stored and cannot be shown again.', IssuedToken, 201),
  refusals: ['NotFound'],
});

export const revokeToken = operation('DELETE /api/admin/tokens/:tokenId', {
  access,
  summary: 'Revoke a token',
  description:
    'With an owner only if it is theirs. The last one of the role `admin` cannot be revoked: the installation could no longer be administered.',
  query: only(owner),
  answer: answered('Revoked: refused on every instance within 5 seconds.', Token),
});

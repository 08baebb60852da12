import { Type } from 'typebox';
import { operation } from '../shared/operation.ts';
import { answered, closed, Id, Instant, oneOf, orNull, pageOf, pageQuery, textOrNull } from '../shared/vocabulary.ts';
import { DeviceId } from './device.ts';
import { Taxpayer } from './taxpayer.ts';
import { TillBehind } from './till.ts';

/**
 * What a token may be used for. A taxpayer's token signs, reads and registers endpoints, which a till has no need of: a stolen one
 * must not copy sales elsewhere. An operator's administers, and nothing else.
 */
export const TAXPAYER_SCOPES = ['sign', 'read', 'endpoints'] as const;
export const SCOPES = [...TAXPAYER_SCOPES, 'admin'] as const;

/** Of every token, of any owner. */
export const tokenFields = {
  TokenId: Type.String({ format: 'uuid' }),
  Name: Type.String(),
  Prefix: Type.String({ description: 'The beginning of the token, to recognise it.' }),
  ExpiresAt: orNull(Instant),
  RevokedAt: orNull(Instant),
  CreatedAt: Instant,
};
export const newTokenFields = {
  Name: Type.String({ minLength: 1, maxLength: 100, description: 'What or who uses it; shown in the audit log.' }),
  ExpiresAt: Type.Optional(textOrNull({ description: 'ISO 8601 with Z or an offset. null: never.', maxLength: 40 })),
};
export const tokenItself = Type.String({ description: 'The token itself. Shown once and never again.' });

const fields = { ...tokenFields, Scopes: Type.Array(oneOf(SCOPES)), DefaultCashier: textOrNull() };
const TillsBehind = Type.Array(TillBehind, { description: 'In the list: unsealed sales of the till that uses it.' });
export const Token = Type.Object({ ...fields, TillsBehind: Type.Optional(TillsBehind) }, { title: 'Token' });
export type Token = Type.Static<typeof Token>;
export const IssuedToken = Type.Object({ ...fields, Token: tokenItself }, { title: 'IssuedToken' });
export type IssuedToken = Type.Static<typeof IssuedToken>;

export const NewToken = Type.Object(
  {
    ...newTokenFields,
    Scopes: Type.Array(oneOf(TAXPAYER_SCOPES), { minItems: 1, maxItems: 3, uniqueItems: true }),
    DefaultCashier: Type.Optional(
      textOrNull({ minLength: 1, maxLength: 20, description: 'Replaces Cashier on every receipt.' }),
    ),
  },
  { ...closed, title: 'NewToken' },
);
export type NewToken = Type.Static<typeof NewToken>;
export const NewOperatorToken = Type.Object(newTokenFields, { ...closed, title: 'NewOperatorToken' });
export type NewOperatorToken = Type.Static<typeof NewOperatorToken>;

export const OwnToken = Type.Object(
  {
    ...fields,
    Taxpayer,
    AuthorityDeviceIds: Type.Array(DeviceId, {
      description: 'Its devices, the first 1,000; `GET /api/device` has all.',
    }),
  },
  { title: 'OwnToken' },
);
export type OwnToken = Type.Static<typeof OwnToken>;

export const getOwnToken = operation('GET /api/token', {
  access: 'taxpayer',
  tag: 'Devices',
  summary: 'Who am I?',
  description:
    'The token that is sent: its scopes and default cashier, the taxpayer with its currencies and automatic HS codes, and its devices. Needs no scope.',
  answer: answered('The token.', OwnToken),
});

const listed = answered('A page.', pageOf('Tokens', Token, 'TokenList'));
const issued = {
  ...answered('Issued. Keep `Token`: it is not stored and cannot be shown again.', IssuedToken),
  status: 201 as const,
};
const revoked = answered('Revoked: refused on every instance within 5 seconds.', Token);

const query = Type.Object({ ...pageQuery, Cursor: Type.Optional(Id) }, closed);
const ofTaxpayer = {
  access: 'admin',
  params: Type.Object({ taxpayerId: Id }),
  refusals: ['NotFound'],
} as const;
const ofOperators = { access: 'admin' } as const;

export const listTokens = operation('GET /api/admin/taxpayers/:taxpayerId/tokens', {
  ...ofTaxpayer,
  summary: "List a taxpayer's tokens",
  query,
  answer: listed,
});

export const issueToken = operation('POST /api/admin/taxpayers/:taxpayerId/tokens', {
  ...ofTaxpayer,
  summary: 'Issue a token to a taxpayer',
  description:
    '`sign` signs receipts; `read` reads them and events; `endpoints` says where events are sent, which no till needs.',
  body: NewToken,
  bodyExamples: {
    till: {
      summary: 'For a till with a cashier',
      value: { Name: 'Till 3', Scopes: ['sign', 'read'], DefaultCashier: 'Rudo' },
    },
  },
  answer: issued,
});

export const revokeToken = operation('DELETE /api/admin/taxpayers/:taxpayerId/tokens/:tokenId', {
  ...ofTaxpayer,
  summary: "Revoke a taxpayer's token",
  params: Type.Object({ taxpayerId: Id, tokenId: Id }),
  answer: revoked,
});

export const listOperatorTokens = operation('GET /api/admin/tokens', {
  ...ofOperators,
  summary: "List the operators' tokens",
  query,
  answer: listed,
});

export const issueOperatorToken = operation('POST /api/admin/tokens', {
  ...ofOperators,
  summary: 'Issue a token to an operator',
  body: NewOperatorToken,
  bodyExamples: { operator: { summary: 'For an operator', value: { Name: 'Nightly report' } } },
  answer: issued,
});

export const revokeOperatorToken = operation('DELETE /api/admin/tokens/:tokenId', {
  ...ofOperators,
  summary: "Revoke an operator's token",
  description: 'The last one cannot be revoked: the installation could no longer be administered.',
  params: Type.Object({ tokenId: Id }),
  answer: revoked,
  refusals: ['NotFound'],
});

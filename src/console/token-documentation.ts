import { Type } from 'typebox';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf, textOrNull } from './schemas.ts';

const fields = {
  TokenId: Type.String({ format: 'uuid' }),
  Name: Type.String(),
  Prefix: Type.String({ description: 'How the token begins, to recognise it by.' }),
  Scopes: Type.Array(Type.String({ enum: ['sign', 'read', 'admin'] })),
  DefaultCashier: textOrNull({}),
  ExpiresAt: textOrNull({ format: 'date-time' }),
  RevokedAt: textOrNull({ format: 'date-time' }),
  CreatedAt: Type.String({ format: 'date-time' }),
};
const TokenSchema = Type.Object(fields, { title: 'Token' });
const IssuedTokenSchema = Type.Object(
  { ...fields, Token: Type.String({ description: 'The token itself. Shown this once and never again.' }) },
  { title: 'IssuedToken' },
);

const example = {
  TokenId: '0198b7e2-5a90-7c11-8f0e-6d3b2a917c54',
  Name: 'Till 3',
  Prefix: 'tsk_8sVq',
  Scopes: ['sign', 'read'],
  DefaultCashier: 'Rudo',
  ExpiresAt: null,
  RevokedAt: null,
  CreatedAt: '2026-11-15T06:00:00.000Z',
};
const operatorExample = { ...example, Name: 'Nightly report', Scopes: ['admin'], DefaultCashier: null };
const issued = (value: object) => ({
  description: 'Issued. Keep `Token`: it is not stored and cannot be shown again.',
  schema: IssuedTokenSchema,
  examples: {
    issued: {
      summary: 'A new token',
      value: { ...value, Token: 'tsk_8sVqExampleExampleExampleExampleExampleExample' },
    },
  },
});
const revoked = (value: object) => ({
  description: 'Revoked: refused on every instance within 5 seconds.',
  schema: TokenSchema,
  examples: { revoked: { summary: 'Revoked', value: { ...value, RevokedAt: '2026-11-15T09:30:00.000Z' } } },
});

const tag = 'Administration';

export const taxpayerTokens: Readonly<Record<'list' | 'issue' | 'revoke', RouteDocumentation>> = {
  list: {
    operationId: 'listTokens',
    tag,
    summary: "List a taxpayer's tokens",
    answers: { 200: listOf('Tokens', TokenSchema, 'TokenList', example) },
    refusals: ['NotFound'],
  },
  issue: {
    operationId: 'issueToken',
    tag,
    summary: 'Issue a token to a taxpayer',
    bodyExamples: {
      till: {
        summary: 'For a till with a cashier',
        value: { Name: 'Till 3', Scopes: ['sign', 'read'], DefaultCashier: 'Rudo' },
      },
    },
    answers: { 201: issued(example) },
    refusals: ['NotFound'],
  },
  revoke: {
    operationId: 'revokeToken',
    tag,
    summary: "Revoke a taxpayer's token",
    answers: { 200: revoked(example) },
    refusals: ['NotFound'],
  },
};

export const operatorTokens: Readonly<Record<'list' | 'issue' | 'revoke', RouteDocumentation>> = {
  list: {
    operationId: 'listOperatorTokens',
    tag,
    summary: "List the operators' tokens",
    answers: { 200: listOf('Tokens', TokenSchema, 'TokenList', operatorExample) },
  },
  issue: {
    operationId: 'issueOperatorToken',
    tag,
    summary: 'Issue a token to an operator',
    bodyExamples: { operator: { summary: 'For an operator', value: { Name: 'Nightly report' } } },
    answers: { 201: issued(operatorExample) },
  },
  revoke: {
    operationId: 'revokeOperatorToken',
    tag,
    summary: "Revoke an operator's token",
    description: 'The last one cannot be revoked: nobody could administer this installation any more.',
    answers: { 200: revoked(operatorExample) },
    refusals: ['NotFound'],
  },
};

import { Type } from 'typebox';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf, textOrNull } from './schemas.ts';

const fields = {
  TokenId: Type.String({ format: 'uuid' }),
  Name: Type.String(),
  Prefix: Type.String({ description: 'How the token begins, to recognise it by.' }),
  Scopes: Type.Array(Type.String({ enum: ['pay', 'read'] })),
  ExpiresAt: textOrNull({ format: 'date-time' }),
  RevokedAt: textOrNull({ format: 'date-time' }),
  CreatedAt: Type.String({ format: 'date-time' }),
};
const VendorTokenSchema = Type.Object(fields, { title: 'VendorToken' });
const IssuedVendorTokenSchema = Type.Object(
  { ...fields, Token: Type.String({ description: 'The token itself. Shown this once and never again.' }) },
  { title: 'IssuedVendorToken' },
);

const example = {
  TokenId: '0198b7e2-8f10-7c33-a1d2-0c7b6a5948e3',
  Name: 'App server',
  Prefix: 'tsv_3kQx',
  Scopes: ['pay', 'read'],
  ExpiresAt: null,
  RevokedAt: null,
  CreatedAt: '2026-11-15T06:00:00.000Z',
};
const tag = 'Administration';

export const vendorTokens: Readonly<Record<'list' | 'issue' | 'revoke', RouteDocumentation>> = {
  list: {
    operationId: 'listVendorTokens',
    tag,
    summary: "List a vendor's tokens",
    answers: { 200: listOf('Tokens', VendorTokenSchema, 'VendorTokenList', example) },
    refusals: ['NotFound'],
  },
  issue: {
    operationId: 'issueVendorToken',
    tag,
    summary: 'Issue a token to a vendor',
    description: '`pay` takes and reverses payments; `read` lists billers, looks up payments and reads events.',
    bodyExamples: {
      app: { summary: 'For an application server', value: { Name: 'App server', Scopes: ['pay', 'read'] } },
    },
    answers: {
      201: {
        description: 'Issued. Keep `Token`: it is not stored and cannot be shown again.',
        schema: IssuedVendorTokenSchema,
        examples: {
          issued: {
            summary: 'A new token',
            value: { ...example, Token: 'tsv_3kQxExampleExampleExampleExampleExampleExample' },
          },
        },
      },
    },
    refusals: ['NotFound'],
  },
  revoke: {
    operationId: 'revokeVendorToken',
    tag,
    summary: "Revoke a vendor's token",
    answers: {
      200: {
        description: 'Revoked: refused on every instance within 5 seconds.',
        schema: VendorTokenSchema,
        examples: {
          revoked: { summary: 'Revoked', value: { ...example, RevokedAt: '2026-11-15T09:30:00.000Z' } },
        },
      },
    },
    refusals: ['NotFound'],
  },
};

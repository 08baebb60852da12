import { Type } from 'typebox';
import { newTokenFields, tokenFields, tokenItself } from '../fiscal/token.ts';
import { operation } from '../shared/operation.ts';
import { answered, closed, Id, oneOf, pageOf, pageQuery } from '../shared/vocabulary.ts';
import { ofVendor } from './vendor.ts';

/** What a vendor's token may be used for: `pay` moves money, `read` looks, `endpoints` says where events are sent. */
export const VENDOR_SCOPES = ['pay', 'read', 'endpoints'] as const;
export type VendorScope = (typeof VENDOR_SCOPES)[number];

const Scopes = Type.Array(oneOf(VENDOR_SCOPES), { minItems: 1, maxItems: 3, uniqueItems: true });

const fields = { ...tokenFields, Scopes };
export const VendorToken = Type.Object(fields, { title: 'VendorToken' });
export type VendorToken = Type.Static<typeof VendorToken>;

export const IssuedVendorToken = Type.Object({ ...fields, Token: tokenItself }, { title: 'IssuedVendorToken' });
export type IssuedVendorToken = Type.Static<typeof IssuedVendorToken>;

const NewVendorToken = Type.Object({ ...newTokenFields, Scopes }, { ...closed, title: 'NewVendorToken' });
export type NewVendorToken = Type.Static<typeof NewVendorToken>;

const newExample = { Name: 'App server', Scopes: ['pay', 'read'] };

const all = { ...ofVendor, access: 'admin' } as const;

export const listVendorTokens = operation('GET /api/admin/vendors/:vendorId/tokens', {
  ...all,
  summary: "List a vendor's tokens",
  query: Type.Object({ ...pageQuery, Cursor: Type.Optional(Id) }, closed),
  answer: answered('A page.', pageOf('Tokens', VendorToken, 'VendorTokenList')),
});

export const issueVendorToken = operation('POST /api/admin/vendors/:vendorId/tokens', {
  ...all,
  summary: 'Issue a token to a vendor',
  description:
    '`pay` takes and reverses payments; `read` lists billers, looks up payments and reads events; `endpoints` says where events are sent.',
  body: NewVendorToken,
  bodyExamples: { app: { summary: 'For an application server', value: newExample } },
  answer: {
    ...answered('Issued. Keep `Token`: it is not stored and cannot be shown again.', IssuedVendorToken),
    status: 201,
  },
});

export const revokeVendorToken = operation('DELETE /api/admin/vendors/:vendorId/tokens/:tokenId', {
  ...all,
  params: Type.Object({ vendorId: Id, tokenId: Id }),
  summary: "Revoke a vendor's token",
  answer: answered('Revoked: refused on every instance within 5 seconds.', VendorToken),
});

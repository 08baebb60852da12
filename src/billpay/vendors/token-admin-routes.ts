import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/billpay/vendor-token.ts';
import { readInstant } from '../../kernel/instant.ts';
import { type Refusal, refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { NO_VENDOR } from './change-vendor.ts';
import { issueVendorToken } from './issue-vendor-token.ts';
import { findVendor } from './store.ts';
import { listVendorTokens, lockVendorToken, revokeVendorToken, type VendorTokenRecord } from './token-store.ts';

const NO_TOKEN: Refusal = { code: 'NotFound', detail: 'There is no token with this id.' };
const EXPIRED: Refusal = {
  code: 'InvalidRequest',
  detail: 'The token has errors.',
  errors: [
    {
      Field: 'ExpiresAt',
      Code: 'Malformed',
      Message: 'must be a date and time in the future with Z or an offset, such as 2027-01-31T00:00:00Z',
    },
  ],
};

export function vendorTokenAdminRoutes(app: FastifyInstance, { pool, clock, guard, audited }: Administration): void {
  route(app, guard, contract.listVendorTokens, async ({ params: { vendorId }, query }) => {
    if ((await findVendor(pool, vendorId)) === undefined) return refused(NO_VENDOR);
    const limit = query.Limit ?? DEFAULT_PAGE;
    const tokens = await readPage(limit, (most) => listVendorTokens(pool, vendorId, query.Cursor, most));
    return { Tokens: tokens.rows.map(present), NextCursor: nextCursor(tokens, (last) => last.tokenId) };
  });

  route(app, guard, contract.issueVendorToken, ({ request, params: { vendorId }, body }) =>
    audited<contract.IssuedVendorToken>(request, async (tx) => {
      if ((await findVendor(tx, vendorId)) === undefined) return refused(NO_VENDOR);
      const { Name, Scopes, ExpiresAt } = body;
      const expiresAt = typeof ExpiresAt === 'string' ? readInstant(ExpiresAt) : undefined;
      const isWrong = typeof ExpiresAt === 'string' && (expiresAt === undefined || expiresAt <= clock());
      if (isWrong) return refused(EXPIRED);
      const scopes = contract.VENDOR_SCOPES.filter((scope) => Scopes.includes(scope));
      const { token, record } = await issueVendorToken(tx, { vendorId, name: Name, scopes, expiresAt }, clock());
      const issued = present(record);
      return {
        action: 'vendor_token.issued',
        subject: `token ${record.tokenId}`,
        after: { ...issued, VendorId: vendorId },
        answer: { ...issued, Token: token },
      };
    }),
  );

  route(app, guard, contract.revokeVendorToken, ({ request, params: { vendorId, tokenId } }) =>
    audited<contract.VendorToken>(request, async (tx) => {
      const stored = await lockVendorToken(tx, vendorId, tokenId);
      if (stored === undefined) return refused(NO_TOKEN);
      if (stored.revokedAt !== null) return { answer: present(stored) };
      const revokedAt = clock();
      await revokeVendorToken(tx, vendorId, tokenId, revokedAt);
      const answer = present({ ...stored, revokedAt });
      return {
        action: 'vendor_token.revoked',
        subject: `token ${tokenId}`,
        before: { ...present(stored), VendorId: vendorId },
        after: { ...answer, VendorId: vendorId },
        answer,
      };
    }),
  );
}

function present(token: VendorTokenRecord): contract.VendorToken {
  return {
    TokenId: token.tokenId,
    Name: token.name,
    Prefix: token.displayPrefix,
    Scopes: [...token.scopes],
    ExpiresAt: token.expiresAt?.toISOString() ?? null,
    RevokedAt: token.revokedAt?.toISOString() ?? null,
    CreatedAt: token.createdAt.toISOString(),
  };
}

import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/billpay/vendor-token.ts';
import { Refused, refused } from '../../kernel/refusal.ts';
import { askedFor, findUnanswered } from '../../platform/database/audit.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { NO_TOKEN, presentToken, readExpiry } from '../../platform/tokens/administration.ts';
import { NO_VENDOR } from './change-vendor.ts';
import { issueVendorToken } from './issue-vendor-token.ts';
import { findVendor } from './store.ts';
import { listVendorTokens, lockVendorToken, revokeVendorToken } from './token-store.ts';

export function vendorTokenAdminRoutes(app: FastifyInstance, { pool, clock, guard, audited }: Administration): void {
  route(app, guard, contract.listVendorTokens, async ({ params: { vendorId }, query }) => {
    if ((await findVendor(pool, vendorId)) === undefined) return refused(NO_VENDOR);
    const limit = query.Limit ?? DEFAULT_PAGE;
    const tokens = await readPage(limit, (most) => listVendorTokens(pool, vendorId, query.Cursor, most));
    return { Tokens: tokens.rows.map(presentToken), NextCursor: nextCursor(tokens, (last) => last.tokenId) };
  });

  route(app, guard, contract.issueVendorToken, ({ request, params: { vendorId }, body }) =>
    audited<contract.IssuedVendorToken>(request, async (tx, actor) => {
      if ((await findVendor(tx, vendorId)) === undefined) return refused(NO_VENDOR);
      const { Name, Scopes, ExpiresAt } = body;
      const expiry = readExpiry(ExpiresAt, clock());
      if (expiry instanceof Refused) return expiry;
      const scopes = contract.VENDOR_SCOPES.filter((scope) => Scopes.includes(scope));
      const asked = askedFor(actor, { vendorId, ...body });
      const tokenId = await findUnanswered(tx, asked);
      const wanted = { tokenId, vendorId, name: Name, scopes, ...expiry };
      const { token, record } = await issueVendorToken(tx, wanted, clock());
      const issued = presentToken(record);
      return {
        action: 'vendor_token.issued',
        subject: `token ${record.tokenId}`,
        after: { ...issued, VendorId: vendorId },
        answer: { ...issued, Token: token },
        asked,
      };
    }),
  );

  route(app, guard, contract.revokeVendorToken, ({ request, params: { vendorId, tokenId } }) =>
    audited<contract.VendorToken>(request, async (tx) => {
      const stored = await lockVendorToken(tx, vendorId, tokenId);
      if (stored === undefined) return refused(NO_TOKEN);
      if (stored.revokedAt !== null) return { answer: presentToken(stored) };
      const revokedAt = clock();
      await revokeVendorToken(tx, vendorId, tokenId, revokedAt);
      const answer = presentToken({ ...stored, revokedAt });
      return {
        action: 'vendor_token.revoked',
        subject: `token ${tokenId}`,
        before: { ...presentToken(stored), VendorId: vendorId },
        after: { ...answer, VendorId: vendorId },
        answer,
      };
    }),
  );
}

import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/token.ts';
import { refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { findTillsBehind } from '../tills/store.ts';
import { issueTokenTo, presentToken, revokeTokenOf } from './administer-tokens.ts';
import { NO_TAXPAYER } from './change-taxpayer.ts';
import { findTaxpayer } from './store.ts';
import { listTokens } from './token-store.ts';

/** Tokens of taxpayers and, under /api/admin/tokens, those of operators, who belong to no taxpayer. */
export function tokenAdminRoutes(app: FastifyInstance, { pool, clock, guard, audited }: Administration): void {
  const list = async (taxpayerId: string | null, query: { readonly Limit?: number; readonly Cursor?: string }) => {
    const limit = query.Limit ?? DEFAULT_PAGE;
    const tokens = await readPage(limit, (most) => listTokens(pool, taxpayerId, query.Cursor, most));
    const tills = taxpayerId === null ? [] : await findTillsBehind(pool, [{ taxpayerId }]);
    const tillsOf = (tokenId: string) => tills.filter(({ TokenId }) => TokenId === tokenId);
    const Tokens = tokens.rows.map((token) => ({ ...presentToken(token), TillsBehind: tillsOf(token.tokenId) }));
    return { Tokens, NextCursor: nextCursor(tokens, (last) => last.tokenId) };
  };

  route(app, guard, contract.listTokens, async ({ params: { taxpayerId }, query }) =>
    (await findTaxpayer(pool, taxpayerId)) === undefined ? refused(NO_TAXPAYER) : list(taxpayerId, query),
  );
  route(app, guard, contract.issueToken, ({ request, params: { taxpayerId }, body }) =>
    audited(request, async (tx, actor) =>
      (await findTaxpayer(tx, taxpayerId)) === undefined
        ? refused(NO_TAXPAYER)
        : issueTokenTo(tx, taxpayerId, body, clock(), actor),
    ),
  );
  route(app, guard, contract.revokeToken, ({ request, params }) =>
    audited(request, (tx) => revokeTokenOf(tx, params.taxpayerId, params.tokenId, clock())),
  );

  route(app, guard, contract.listOperatorTokens, ({ query }) => list(null, query));
  route(app, guard, contract.issueOperatorToken, ({ request, body }) =>
    audited(request, (tx, actor) => issueTokenTo(tx, null, body, clock(), actor)),
  );
  route(app, guard, contract.revokeOperatorToken, ({ request, params }) =>
    audited(request, (tx) => revokeTokenOf(tx, null, params.tokenId, clock())),
  );
}

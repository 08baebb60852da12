import type { FastifyInstance } from 'fastify';
import * as contract from '../contract/platform/token.ts';
import { findTillsBehind } from '../fiscal/index.ts';
import { Refused } from '../kernel/refusal.ts';
import type { Administration } from '../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../platform/http/page.ts';
import { route } from '../platform/http/route.ts';
import { issueTokenTo, presentToken, readOwner, revokeTokenAt } from '../platform/tokens/administer-tokens.ts';
import { listTokens } from '../platform/tokens/store.ts';

/** Tokens of taxpayers, vendors, billers and the operators. */
export function tokenRoutes(app: FastifyInstance, { pool, clock, guard, audited }: Administration): void {
  route(app, guard, contract.listTokens, async ({ query }) => {
    const owner = readOwner(query);
    if (owner instanceof Refused) return owner;
    const tokens = await readPage(query.Limit ?? DEFAULT_PAGE, (most) => listTokens(pool, owner, query.Cursor, most));
    const { TaxpayerId: taxpayerId } = query;
    const tills = taxpayerId === undefined ? undefined : await findTillsBehind(pool, [{ taxpayerId }]);
    const Tokens = tokens.rows.map((token) => ({
      ...presentToken(token, clock()),
      ...(tills && { TillsBehind: tills.filter(({ TokenId }) => TokenId === token.TokenId) }),
    }));
    return { Tokens, NextCursor: nextCursor(tokens, (last) => last.TokenId) };
  });
  route(app, guard, contract.issueToken, ({ request, body }) =>
    audited(request, (tx, actor) => issueTokenTo(tx, body, clock(), actor)),
  );
  route(app, guard, contract.revokeToken, ({ request, params, query }) =>
    audited(request, (tx) => revokeTokenAt(tx, params.tokenId, query, clock())),
  );
}

import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { getOwnToken } from '../../contract/fiscal/token.ts';
import { refused } from '../../kernel/refusal.ts';
import { route } from '../../platform/http/route.ts';
import { NO_TOKEN } from '../../platform/tokens/administration.ts';
import { listDevices } from '../devices/store.ts';
import { presentToken } from './administer-tokens.ts';
import type { Authenticate } from './authenticate.ts';
import { presentTaxpayer } from './change-taxpayer.ts';
import { callerOf, guardOf } from './require-scope.ts';
import { findTaxpayer } from './store.ts';
import { findToken } from './token-store.ts';

const MOST_DEVICES = 1000;

export function ownTokenRoutes(app: FastifyInstance, pool: Pool, authenticate: Authenticate): void {
  route(app, guardOf(authenticate), getOwnToken, async ({ request }) => {
    const { taxpayerId, tokenId } = callerOf(request);
    const [token, taxpayer] = await Promise.all([findToken(pool, taxpayerId, tokenId), findTaxpayer(pool, taxpayerId)]);
    if (token === undefined || taxpayer === undefined) return refused(NO_TOKEN);
    const filter = { taxpayerId, isStopped: undefined, after: undefined };
    return {
      ...presentToken(token),
      Taxpayer: presentTaxpayer(taxpayer),
      AuthorityDeviceIds: await listDevices(pool, filter, MOST_DEVICES),
    };
  });
}

import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import * as contract from '../../contract/fiscal/device.ts';
import { getOwnToken } from '../../contract/platform/token.ts';
import { refused } from '../../kernel/refusal.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { openNumber } from '../../platform/json/open-number.ts';
import { NO_TOKEN, presentOwnToken } from '../../platform/tokens/administer-tokens.ts';
import { findToken } from '../../platform/tokens/store.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, guardOf } from '../taxpayers/require-scope.ts';
import { findTaxpayer } from '../taxpayers/store.ts';
import { NO_DEVICE, presentOwn } from './present-device.ts';
import { findDevice, findDevices, listDevices } from './store.ts';

const MOST_OF_TOKEN = 1000;

export interface DeviceRoutesContext {
  readonly pool: Pool;
  readonly authenticate: Authenticate;
  readonly clock: Clock;
}

export function deviceRoutes(app: FastifyInstance, { pool, authenticate, clock }: DeviceRoutesContext): void {
  const guard = guardOf(authenticate);
  route(app, guard, contract.getDevice, async ({ request, params }) => {
    const stored = await findDevice(pool, callerOf(request).taxpayerId, openNumber(params.authorityDeviceId));
    const [device] = await presentOwn(pool, stored === undefined ? [] : [stored], seconds(clock()));
    return device ?? refused(NO_DEVICE);
  });

  route(app, guard, contract.listOwnDevices, async ({ request, query }) => {
    const { taxpayerId } = callerOf(request);
    const filter = { taxpayerId, isStopped: undefined, after: query.Cursor };
    const ids = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listDevices(pool, filter, limit));
    return {
      Devices: await presentOwn(pool, await findDevices(pool, ids.rows), seconds(clock())),
      NextCursor: nextCursor(ids, String),
    };
  });

  route(app, guard, getOwnToken, async ({ request }) => {
    const { taxpayerId, tokenId } = callerOf(request);
    const [token, taxpayer] = await Promise.all([findToken(pool, tokenId), findTaxpayer(pool, taxpayerId)]);
    if (token === undefined || taxpayer === undefined) return refused(NO_TOKEN);
    const filter = { taxpayerId, isStopped: undefined, after: undefined };
    return {
      ...presentOwnToken(token),
      Taxpayer: taxpayer,
      AuthorityDeviceIds: await listDevices(pool, filter, MOST_OF_TOKEN),
    };
  });
}

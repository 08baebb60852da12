import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import * as contract from '../../contract/fiscal/device.ts';
import { refused } from '../../kernel/refusal.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { route } from '../../platform/http/route.ts';
import { openNumber } from '../../platform/json/open-number.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, guardOf } from '../taxpayers/require-scope.ts';
import { findTillsBehind } from '../tills/store.ts';
import { readOutlook } from './configuration-store.ts';
import { NO_DEVICE, presentDevice } from './present-device.ts';
import { findDevice } from './store.ts';

export interface DeviceRoutesContext {
  readonly pool: Pool;
  readonly authenticate: Authenticate;
  readonly clock: Clock;
}

export function deviceRoutes(app: FastifyInstance, { pool, authenticate, clock }: DeviceRoutesContext): void {
  route(app, guardOf(authenticate), contract.getDevice, async ({ request, params }) => {
    const stored = await findDevice(pool, callerOf(request).taxpayerId, openNumber(params.authorityDeviceId));
    if (stored === undefined) return refused(NO_DEVICE);
    const { taxpayerId, deviceId } = stored.device;
    const outlook = await readOutlook(pool, taxpayerId, deviceId);
    return presentDevice(stored, outlook, await findTillsBehind(pool, [{ taxpayerId }]), seconds(clock()));
  });
}

import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import * as contract from '../../contract/device.ts';
import { refused } from '../../kernel/refusal.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { route } from '../../platform/http/route.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, guardOf } from '../taxpayers/require-scope.ts';
import { NO_DEVICE, presentDevices } from './present-device.ts';
import { findDevice } from './store.ts';

export interface DeviceRoutesContext {
  readonly pool: Pool;
  readonly authenticate: Authenticate;
  readonly clock: Clock;
}

export function deviceRoutes(app: FastifyInstance, { pool, authenticate, clock }: DeviceRoutesContext): void {
  route(app, guardOf(authenticate), contract.getDevice, async ({ request, params }) => {
    // What cannot be a device id is answered as what is not there.
    const text = String(params.authorityDeviceId);
    const deviceId = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
    const stored =
      deviceId > 0 && deviceId <= 2_147_483_647
        ? await findDevice(pool, callerOf(request).taxpayerId, deviceId)
        : undefined;
    const [device] = stored === undefined ? [] : await presentDevices(pool, [stored], seconds(clock()));
    return device ?? refused(NO_DEVICE);
  });
}

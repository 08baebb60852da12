import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { type Clock, seconds } from '../../platform/clock.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, requireScope } from '../taxpayers/require-scope.ts';
import { getDeviceDocumentation } from './device-documentation.ts';
import { presentDevices } from './present-device.ts';
import { findDevice } from './store.ts';

export interface DeviceRoutesContext {
  readonly pool: Pool;
  readonly authenticate: Authenticate;
  readonly clock: Clock;
}

export function deviceRoutes(app: FastifyInstance, context: DeviceRoutesContext): void {
  app.get<{ Params: { authorityDeviceId: string } }>('/api/device/:authorityDeviceId', {
    schema: { documentation: getDeviceDocumentation },
    onRequest: requireScope(context.authenticate, 'read'),
    handler: async (request, reply) => {
      const { authorityDeviceId } = request.params;
      // What cannot be a device id is answered as what is not there.
      const deviceId = /^[1-9]\d{0,9}$/.test(authorityDeviceId) ? Number(authorityDeviceId) : 0;
      const stored =
        deviceId > 0 && deviceId <= 2_147_483_647
          ? await findDevice(context.pool, callerOf(request).taxpayerId, deviceId)
          : undefined;
      if (stored) return (await presentDevices(context.pool, [stored], seconds(context.clock())))[0];
      return sendProblem(reply, { code: 'NotFound', detail: 'There is no device with this id.' });
    },
  });
}

import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { DeviceId } from '../contract/device.ts';
import { findDevice, findDeviceOwner, NO_DEVICE } from '../fiscal/index.ts';
import { sendProblem } from '../platform/http/problem.ts';
import type { ConsoleContext } from './context.ts';
import { proveStored } from './prove-stored.ts';
import { closed } from './schemas.ts';
import { verifyDeviceDocumentation } from './verify-documentation.ts';

/** After this long a call answers at the end of the day it is in. */
const BUDGET_MS = 5_000;

/** Proves what is stored: with the same lines an export has, and the same proof an auditor runs on them. */
export function verifyRoutes(app: FastifyInstance, { pool, allow, clock, gateway }: ConsoleContext): void {
  app.post<{ Params: { authorityDeviceId: number }; Querystring: { FromDay?: number } }>(
    '/api/admin/devices/:authorityDeviceId/verify',
    {
      onRequest: allow('operator'),
      schema: {
        documentation: verifyDeviceDocumentation,
        params: Type.Object({ authorityDeviceId: DeviceId }),
        querystring: Type.Object(
          { FromDay: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 })) },
          closed,
        ),
      },
      handler: async (request, reply) => {
        const deviceId = request.params.authorityDeviceId;
        const taxpayerId = await findDeviceOwner(pool, deviceId);
        const isKnown = taxpayerId !== undefined && (await findDevice(pool, taxpayerId, deviceId)) !== undefined;
        if (!isKnown) return sendProblem(reply, NO_DEVICE);
        const question = {
          taxpayerId,
          deviceId,
          fromDay: request.query.FromDay ?? 1,
          at: clock(),
          budgetMs: BUDGET_MS,
        };
        return proveStored({ pool, gateway }, question);
      },
    },
  );
}

import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { findDevice, findTaxpayer, NO_TAXPAYER, registerWithAuthority } from '../fiscal/index.ts';
import { isZone } from '../kernel/zone.ts';
import { recordAudit } from '../platform/audit.ts';
import { seconds } from '../platform/clock.ts';
import { inTransaction } from '../platform/database.ts';
import { bodyOf } from '../platform/http/body.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { registerDeviceDocumentation } from './device-action-documentation.ts';
import { minuteOfDay, presentForOperator } from './device-routes.ts';
import { closed, Id } from './schemas.ts';

const ONE_DAY_SECONDS = 86_400;
const LARGEST_INTEGER = 2_147_483_647;

const Registration = Type.Object(
  {
    TaxpayerId: Id,
    AuthorityDeviceId: Type.Integer({ minimum: 1, maximum: LARGEST_INTEGER }),
    SerialNumber: Type.String({ minLength: 1, maxLength: 20, description: 'As registered at the authority.' }),
    ActivationKey: Type.String({ minLength: 8, maxLength: 8, description: 'From the authority; works once.' }),
    KeyAlgorithm: Type.Optional(Type.String({ enum: ['ECDSA-P256', 'RSA-2048'], default: 'ECDSA-P256' })),
    Zone: Type.Optional(Type.String({ maxLength: 60, default: 'Africa/Harare' })),
    MaintenanceStart: Type.Optional(Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', default: '02:00' })),
    DatePolicy: Type.Optional(Type.String({ enum: ['advance', 'strict'], default: 'advance' })),
    AdvanceLimitSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: ONE_DAY_SECONDS, default: 300 })),
    FutureLimitSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: ONE_DAY_SECONDS, default: 120 })),
    LastGlobalCounter: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LARGEST_INTEGER,
        description: "Raises the authority's last receipt number.",
      }),
    ),
  },
  { ...closed, title: 'DeviceRegistration' },
);

/** Registering a device with the authority. Sent again after a failure, it goes on where it stood. */
export function deviceRegistrationRoutes(app: FastifyInstance, context: ConsoleContext): void {
  app.post('/api/admin/devices', {
    onRequest: context.allow('operator'),
    schema: { body: Registration, documentation: registerDeviceDocumentation },
    handler: async (request, reply) => {
      const body = bodyOf<Static<typeof Registration>>(request);
      const { TaxpayerId: taxpayerId, AuthorityDeviceId: deviceId } = body;
      const zone = body.Zone ?? 'Africa/Harare';
      if (!isZone(zone)) {
        const errors = [{ Field: 'Zone', Code: 'Malformed', Message: `${zone} is no IANA time zone` }];
        return sendProblem(reply, { code: 'InvalidRequest', detail: 'The device has errors.', errors });
      }
      if ((await findTaxpayer(context.pool, taxpayerId)) === undefined) return sendProblem(reply, NO_TAXPAYER);
      const outcome = await registerWithAuthority(context, {
        taxpayerId,
        deviceId,
        serialNumber: body.SerialNumber,
        activationKey: body.ActivationKey,
        keyAlgorithm: body.KeyAlgorithm === 'RSA-2048' ? 'RSA-2048' : 'ECDSA-P256',
        zone,
        maintenanceStartMinute: minuteOfDay(body.MaintenanceStart ?? '02:00'),
        datePolicy: body.DatePolicy === 'strict' ? 'strict' : 'advance',
        advanceLimitSeconds: body.AdvanceLimitSeconds ?? 300,
        futureLimitSeconds: body.FutureLimitSeconds ?? 120,
        lastGlobalCounter: body.LastGlobalCounter,
      });
      if (outcome.kind === 'taken') {
        return sendProblem(reply, { code: 'InvalidRequest', detail: `Device ${deviceId} is registered here already.` });
      }
      if (outcome.kind === 'refused') {
        return sendProblem(reply, {
          code: 'InvalidRequest',
          detail: `The authority refused the device: ${outcome.reason}.`,
        });
      }
      if (outcome.kind === 'unavailable') {
        const detail = `The device could not be registered: ${outcome.reason}. Its key is kept: send the same request again.`;
        return sendProblem(reply, { code: 'Unavailable', detail, retryAfterSeconds: 30 });
      }
      const stored = await findDevice(context.pool, taxpayerId, deviceId);
      if (stored === undefined) throw new Error('the device that was just registered is not there');
      const after = await presentForOperator(context.pool, stored, seconds(context.clock()));
      await inTransaction(context.pool, (tx) =>
        recordAudit(tx, {
          ...actorOf(request),
          action: 'device.registered',
          taxpayerId,
          subject: `device ${deviceId}`,
          before: undefined,
          after,
        }),
      );
      context.poke(taxpayerId, deviceId);
      return reply.code(201).send(after);
    },
  });
}

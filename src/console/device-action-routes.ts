import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { decideRefused, findDevice, findDeviceOwner, requestDay, resumeLane } from '../fiscal/index.ts';
import { inTransaction, type Transaction } from '../platform/database.ts';
import { bodyOf } from '../platform/http/body.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { recordAudit } from './audit.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import {
  decideReceiptDocumentation,
  requestDayDocumentation,
  resumeDocumentation,
} from './device-action-documentation.ts';
import { DeviceId, NO_DEVICE } from './device-routes.ts';
import { closed } from './schemas.ts';

const DayRequest = Type.Object(
  { Action: Type.String({ enum: ['open', 'close'] }) },
  { ...closed, title: 'DayRequest' },
);
const ReceiptDecision = Type.Object(
  { Decision: Type.String({ enum: ['retry', 'retry-without-buyer', 'give-up'] }) },
  { ...closed, title: 'ReceiptDecision' },
);

interface DeviceParams {
  authorityDeviceId: number;
}

type Work = (tx: Transaction, taxpayerId: string, deviceId: number) => Promise<boolean>;

/** What an operator does by hand with a device: day, lane, refused receipts. */
export function deviceActionRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { allow, clock } = context;

  /** Does the work with its audit entry in one transaction, then wakes the device. */
  async function act(
    request: FastifyRequest<{ Params: DeviceParams }>,
    reply: FastifyReply,
    action: string,
    after: object,
    work: Work,
  ) {
    const deviceId = request.params.authorityDeviceId;
    const taxpayerId = await findDeviceOwner(context.pool, deviceId);
    const isKnown = taxpayerId !== undefined && (await findDevice(context.pool, taxpayerId, deviceId)) !== undefined;
    if (!isKnown) return sendProblem(reply, NO_DEVICE);
    const isDone = await inTransaction(context.pool, async (tx) => {
      if (!(await work(tx, taxpayerId, deviceId))) return false;
      await recordAudit(tx, {
        ...actorOf(request),
        action,
        taxpayerId,
        subject: `device ${deviceId}`,
        before: undefined,
        after,
      });
      return true;
    });
    if (!isDone)
      return sendProblem(reply, { code: 'NotFound', detail: 'There is no refused receipt with this number.' });
    context.poke(taxpayerId, deviceId);
    return reply.code(202).send({ AuthorityDeviceId: deviceId, ...after });
  }

  app.post<{ Params: DeviceParams }>('/api/admin/devices/:authorityDeviceId/day', {
    onRequest: allow('operator'),
    schema: {
      params: Type.Object({ authorityDeviceId: DeviceId }),
      body: DayRequest,
      documentation: requestDayDocumentation,
    },
    handler: (request, reply) => {
      const action = bodyOf<Static<typeof DayRequest>>(request).Action === 'open' ? 'open' : 'close';
      return act(request, reply, `day.${action}-requested`, { Action: action }, async (tx, taxpayerId, deviceId) => {
        await requestDay(tx, taxpayerId, deviceId, action, null);
        return true;
      });
    },
  });

  app.post<{ Params: DeviceParams }>('/api/admin/devices/:authorityDeviceId/resume', {
    onRequest: allow('operator'),
    schema: { params: Type.Object({ authorityDeviceId: DeviceId }), documentation: resumeDocumentation },
    handler: (request, reply) =>
      act(request, reply, 'lane.resumed', { Action: 'resume' }, async (tx, taxpayerId, deviceId) => {
        await resumeLane(tx, taxpayerId, deviceId);
        return true;
      }),
  });

  app.post<{ Params: DeviceParams & { globalCounter: number } }>(
    '/api/admin/devices/:authorityDeviceId/receipts/:globalCounter/decision',
    {
      onRequest: allow('operator'),
      schema: {
        params: Type.Object({ authorityDeviceId: DeviceId, globalCounter: DeviceId }),
        body: ReceiptDecision,
        documentation: decideReceiptDocumentation,
      },
      handler: (request, reply) => {
        const { Decision } = bodyOf<Static<typeof ReceiptDecision>>(request);
        const decision = Decision === 'give-up' ? 'give-up' : Decision === 'retry' ? 'retry' : 'retry-without-buyer';
        const { globalCounter } = request.params;
        const after = { GlobalCounter: globalCounter, Decision: decision };
        return act(request, reply, 'receipt.decided', after, async (tx, taxpayerId, deviceId) => {
          const key = { taxpayerId, deviceId, globalCounter };
          return (await decideRefused(tx, key, decision, clock())) !== undefined;
        });
      },
    },
  );
}

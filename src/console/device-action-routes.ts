import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  type Device,
  decideRefused,
  findDevice,
  findDeviceOwner,
  maintenanceWindow,
  nextOpening,
  readOutlook,
  requestDay,
  resumeLane,
} from '../fiscal/index.ts';
import { formatInstant } from '../kernel/zone.ts';
import { recordAudit } from '../platform/audit.ts';
import { seconds } from '../platform/clock.ts';
import { inTransaction, type Transaction } from '../platform/database.ts';
import { bodyOf } from '../platform/http/body.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import {
  decideReceiptDocumentation,
  requestDayDocumentation,
  resumeDocumentation,
} from './device-action-documentation.ts';
import { DeviceId, NO_DEVICE } from './device-routes.ts';
import { closed } from './schemas.ts';

const DayRequest = Type.Object(
  {
    Action: Type.String({ enum: ['open', 'close'] }),
    ThenOpen: Type.Optional(
      Type.Boolean({ description: 'With `close`: opens the next day as soon as this one is closed.' }),
    ),
  },
  { ...closed, title: 'DayRequest' },
);
const ReceiptDecision = Type.Object(
  { Decision: Type.String({ enum: ['retry', 'retry-without-buyer', 'give-up'] }) },
  { ...closed, title: 'ReceiptDecision' },
);

interface DeviceParams {
  authorityDeviceId: number;
}

/** What was done, for the audit log and the answer; undefined when there is nothing to do it with. */
type Work = (tx: Transaction, device: Device) => Promise<object | undefined>;

/** What an operator does by hand with a device: day, lane, refused receipts. */
export function deviceActionRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { allow, clock } = context;

  /** Does the work with its audit entry in one transaction, then wakes the device. */
  async function act(
    request: FastifyRequest<{ Params: DeviceParams }>,
    reply: FastifyReply,
    action: string,
    work: Work,
  ) {
    const deviceId = request.params.authorityDeviceId;
    const taxpayerId = await findDeviceOwner(context.pool, deviceId);
    const stored = taxpayerId === undefined ? undefined : await findDevice(context.pool, taxpayerId, deviceId);
    if (taxpayerId === undefined || stored === undefined) return sendProblem(reply, NO_DEVICE);
    const after = await inTransaction(context.pool, async (tx) => {
      const done = await work(tx, stored.device);
      if (done === undefined) return undefined;
      const subject = `device ${deviceId}`;
      await recordAudit(tx, { ...actorOf(request), action, taxpayerId, subject, before: undefined, after: done });
      return done;
    });
    if (after === undefined)
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
      const { Action, ThenOpen = false } = bodyOf<Static<typeof DayRequest>>(request);
      if (Action === 'close') {
        return act(request, reply, 'day.close-requested', (tx, device) => closeDay(tx, device, ThenOpen, clock()));
      }
      return act(request, reply, 'day.open-requested', async (tx, { taxpayerId, deviceId }) => {
        await requestDay(tx, taxpayerId, deviceId, 'open', null);
        return { Action: 'open' };
      });
    },
  });

  app.post<{ Params: DeviceParams }>('/api/admin/devices/:authorityDeviceId/resume', {
    onRequest: allow('operator'),
    schema: { params: Type.Object({ authorityDeviceId: DeviceId }), documentation: resumeDocumentation },
    handler: (request, reply) =>
      act(request, reply, 'lane.resumed', async (tx, { taxpayerId, deviceId }) => {
        await resumeLane(tx, taxpayerId, deviceId);
        return { Action: 'resume' };
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
        return act(request, reply, 'receipt.decided', async (tx, { taxpayerId, deviceId }) => {
          const decided = await decideRefused(tx, { taxpayerId, deviceId, globalCounter }, decision, clock());
          return decided === undefined ? undefined : { GlobalCounter: globalCounter, Decision: decision };
        });
      },
    },
  );
}

/** Until when nothing is sealed is written down with the wish, so that it holds however long the closing takes. */
async function closeDay(tx: Transaction, device: Device, isThenOpened: boolean, now: Date): Promise<object> {
  const { taxpayerId, deviceId, zone } = device;
  const nowSeconds = seconds(now);
  const reopenAfterSeconds = isThenOpened ? nowSeconds : maintenanceWindow(device, nowSeconds).endSeconds;
  await requestDay(tx, taxpayerId, deviceId, 'close', new Date(reopenAfterSeconds * 1000));
  const outlook = await readOutlook(tx, taxpayerId, deviceId);
  const closing = { dayState: 'Closing', requested: 'close', reopenAfterSeconds, isHeldUp: false } as const;
  const opening = nextOpening(device, closing, nowSeconds);
  return {
    Action: 'close',
    ThenOpen: isThenOpened,
    OpensAt: opening?.kind === 'at' ? formatInstant(zone, opening.atSeconds) : null,
    RedReceipts: outlook?.redReferences ?? [],
    StoppedBy: outlook?.stoppedBy?.reference ?? null,
  };
}

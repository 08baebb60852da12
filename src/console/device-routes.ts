import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  type DeviceSettings,
  findDevice,
  findDeviceOwner,
  findDevices,
  listDevices,
  lockHead,
  presentDevices,
  type StoredDevice,
  updateDeviceSettings,
  wakeLane,
} from '../fiscal/index.ts';
import type { Refusal, Violation } from '../kernel/refusal.ts';
import { isZone } from '../kernel/zone.ts';
import { recordAudit } from '../platform/audit.ts';
import { seconds } from '../platform/clock.ts';
import { inTransaction, type Queryable } from '../platform/database.ts';
import { bodyOf } from '../platform/http/body.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import {
  changeDeviceDocumentation,
  getManagedDeviceDocumentation,
  listDevicesDocumentation,
} from './device-documentation.ts';
import { closed, DEFAULT_PAGE, Id, nextCursor, page, textOrNull } from './schemas.ts';

const LARGEST_INTEGER = 2_147_483_647;
export const DeviceId = Type.Integer({ minimum: 1, maximum: LARGEST_INTEGER });
const ONE_DAY_SECONDS = 86_400;

const DeviceChange = Type.Partial(
  Type.Object({
    Zone: Type.String({ maxLength: 60, description: 'IANA name, such as Africa/Harare.' }),
    MaintenanceStart: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'Local HH:mm.' }),
    DatePolicy: Type.String({ enum: ['advance', 'strict'] }),
    AdvanceLimitSeconds: Type.Integer({ minimum: 0, maximum: ONE_DAY_SECONDS }),
    FutureLimitSeconds: Type.Integer({ minimum: 0, maximum: ONE_DAY_SECONDS }),
    BlockedReason: textOrNull({ minLength: 1, maxLength: 200, description: 'Blocks the device; null unblocks it.' }),
  }),
  { ...closed, title: 'DeviceChange' },
);
type DeviceChange = Static<typeof DeviceChange>;

interface ListQuery {
  readonly TaxpayerId?: string;
  readonly IsStopped?: boolean;
  readonly Limit?: number;
  readonly Cursor?: number;
}

export const NO_DEVICE: Refusal = { code: 'NotFound', detail: 'There is no device with this id.' };

export function deviceAdminRoutes(app: FastifyInstance, { pool, allow, clock }: ConsoleContext): void {
  const present = (stored: StoredDevice, db: Queryable = pool) => presentForOperator(db, stored, seconds(clock()));

  app.get<{ Querystring: ListQuery }>('/api/admin/devices', {
    onRequest: allow('viewer'),
    schema: {
      documentation: listDevicesDocumentation,
      querystring: Type.Object(
        {
          ...page,
          Cursor: Type.Optional(DeviceId),
          TaxpayerId: Type.Optional(Id),
          IsStopped: Type.Optional(Type.Boolean({ description: 'Only those that are stopped, or only the others.' })),
        },
        closed,
      ),
    },
    handler: async (request) => {
      const {
        TaxpayerId: taxpayerId,
        IsStopped: isStopped,
        Cursor: after,
        Limit: limit = DEFAULT_PAGE,
      } = request.query;
      const ids = await readPage(limit, (most) => listDevices(pool, { taxpayerId, isStopped, after }, most));
      const devices = await findDevices(pool, ids.rows);
      return {
        Devices: await presentAllForOperator(pool, devices, seconds(clock())),
        NextCursor: nextCursor(ids, String),
      };
    },
  });

  app.get<{ Params: { authorityDeviceId: number } }>('/api/admin/devices/:authorityDeviceId', {
    onRequest: allow('viewer'),
    schema: { params: Type.Object({ authorityDeviceId: DeviceId }), documentation: getManagedDeviceDocumentation },
    handler: async (request, reply) => {
      const owner = await findDeviceOwner(pool, request.params.authorityDeviceId);
      const stored = owner && (await findDevice(pool, owner, request.params.authorityDeviceId));
      return stored ? present(stored) : sendProblem(reply, NO_DEVICE);
    },
  });

  app.patch<{ Params: { authorityDeviceId: number } }>('/api/admin/devices/:authorityDeviceId', {
    onRequest: allow('operator'),
    schema: {
      params: Type.Object({ authorityDeviceId: DeviceId }),
      body: DeviceChange,
      documentation: changeDeviceDocumentation,
    },
    handler: async (request, reply) => {
      const change = bodyOf<DeviceChange>(request);
      const errors = checkZone(change.Zone);
      if (errors.length > 0)
        return sendProblem(reply, { code: 'InvalidRequest', detail: 'The device has errors.', errors });
      const deviceId = request.params.authorityDeviceId;
      const changed = await inTransaction(pool, async (tx) => {
        const taxpayerId = await findDeviceOwner(tx, deviceId);
        if (taxpayerId === undefined) return undefined;
        await wakeLane(tx, taxpayerId, deviceId);
        const head = await lockHead(tx, taxpayerId, deviceId);
        const before = head && (await findDevice(tx, head.taxpayerId, deviceId));
        if (before === undefined) return undefined;
        await updateDeviceSettings(tx, { taxpayerId, deviceId }, applyChange(before, change));
        const after = await findDevice(tx, taxpayerId, deviceId);
        if (after === undefined) throw new Error('the device that was just changed is not there');
        await recordAudit(tx, {
          ...actorOf(request),
          action: 'device.changed',
          taxpayerId,
          subject: `device ${deviceId}`,
          before: settingsOf(before),
          after: settingsOf(after),
        });
        return present(after, tx);
      });
      return changed ?? sendProblem(reply, NO_DEVICE);
    },
  });
}

export async function presentForOperator(db: Queryable, stored: StoredDevice, nowSeconds: number) {
  const [presented] = await presentAllForOperator(db, [stored], nowSeconds);
  return presented;
}

async function presentAllForOperator(db: Queryable, devices: readonly StoredDevice[], nowSeconds: number) {
  const presented = await presentDevices(db, devices, nowSeconds);
  return devices.map(({ device }, index) => ({
    TaxpayerId: device.taxpayerId,
    MaintenanceStart: clockText(device.maintenanceStartMinute),
    ...presented[index],
  }));
}

/** What a change can touch, as the audit log keeps it. */
function settingsOf({ device }: StoredDevice) {
  return {
    Zone: device.zone,
    MaintenanceStart: clockText(device.maintenanceStartMinute),
    DatePolicy: device.datePolicy,
    AdvanceLimitSeconds: device.advanceLimitSeconds,
    FutureLimitSeconds: device.futureLimitSeconds,
    BlockedReason: device.blockedReason ?? null,
  };
}

function applyChange({ device }: StoredDevice, change: DeviceChange): DeviceSettings {
  return {
    zone: change.Zone ?? device.zone,
    maintenanceStartMinute:
      change.MaintenanceStart === undefined ? device.maintenanceStartMinute : minuteOfDay(change.MaintenanceStart),
    datePolicy:
      change.DatePolicy === undefined ? device.datePolicy : change.DatePolicy === 'strict' ? 'strict' : 'advance',
    advanceLimitSeconds: change.AdvanceLimitSeconds ?? device.advanceLimitSeconds,
    futureLimitSeconds: change.FutureLimitSeconds ?? device.futureLimitSeconds,
    blockedReason: change.BlockedReason === undefined ? (device.blockedReason ?? null) : change.BlockedReason,
  };
}

function checkZone(zone: string | undefined): Violation[] {
  if (zone === undefined || isZone(zone)) return [];
  return [{ Field: 'Zone', Code: 'Malformed', Message: `${zone} is no IANA time zone, such as Africa/Harare` }];
}

function clockText(minuteOfDay: number): string {
  return `${String(Math.floor(minuteOfDay / 60)).padStart(2, '0')}:${String(minuteOfDay % 60).padStart(2, '0')}`;
}

/** Of a local `HH:mm`. */
export function minuteOfDay(clockText: string): number {
  return Number(clockText.slice(0, 2)) * 60 + Number(clockText.slice(3));
}

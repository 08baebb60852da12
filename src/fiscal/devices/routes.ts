import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { formatDecimal } from '../../kernel/decimal.ts';
import { formatWall, wallOfInstant } from '../../kernel/zone.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import { taxesOn } from '../core/device.ts';
import { maintenanceWindow } from '../core/fiscal-day.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, requireScope } from '../taxpayers/require-scope.ts';
import { findDevice, type StoredDevice } from './store.ts';

export interface DeviceRoutesContext {
  readonly pool: Pool;
  readonly authenticate: Authenticate;
  readonly clock: Clock;
}

export function deviceRoutes(app: FastifyInstance, context: DeviceRoutesContext): void {
  app.get<{ Params: { authorityDeviceId: string } }>('/api/device/:authorityDeviceId', {
    onRequest: requireScope(context.authenticate, 'read'),
    handler: async (request, reply) => {
      const { authorityDeviceId } = request.params;
      // What cannot be a device id is answered as what is not there.
      const deviceId = /^[1-9]\d{0,9}$/.test(authorityDeviceId) ? Number(authorityDeviceId) : 0;
      const stored =
        deviceId > 0 && deviceId <= 2_147_483_647
          ? await findDevice(context.pool, callerOf(request).taxpayerId, deviceId)
          : undefined;
      if (stored) return presentDevice(stored, seconds(context.clock()));
      return sendProblem(reply, { code: 'NotFound', detail: 'There is no device with this id.' });
    },
  });
}

function presentDevice({ device, head }: StoredDevice, nowSeconds: number) {
  const window = maintenanceWindow(device, nowSeconds);
  const isOpen = head.dayState !== 'Closed' && head.dayOpenedAtSeconds !== undefined;
  return {
    AuthorityDeviceId: device.deviceId,
    SerialNumber: device.serialNumber,
    State: device.blockedReason === undefined ? 'Active' : 'Blocked',
    BlockedReason: device.blockedReason ?? null,
    Zone: device.zone,
    DatePolicy: device.datePolicy,
    AdvanceLimitSeconds: device.advanceLimitSeconds,
    FutureLimitSeconds: device.futureLimitSeconds,
    FiscalDay: {
      State: head.dayState,
      Number: head.fiscalDayNumber,
      OpenedAt: isOpen ? instantText(head.dayOpenedAtSeconds ?? 0) : null,
      EndsAt: isOpen ? instantText((head.dayOpenedAtSeconds ?? 0) + device.dayMaximumHours * 3600) : null,
      ReceiptCount: head.fiscalDayCounter,
    },
    GlobalCounter: head.globalCounter,
    LastReceiptDate: head.lastWallSeconds === undefined ? null : formatWall(head.lastWallSeconds),
    NextMaintenanceWindow: { Start: instantText(window.startSeconds), End: instantText(window.endSeconds) },
    ApplicableTaxes: taxesOn(device, wallOfInstant(device.zone, nowSeconds)).map((tax) => ({
      TaxId: tax.taxId,
      Name: tax.taxName,
      // Two decimals at most: a float holds them exactly enough to print them back unchanged.
      TaxPercent: tax.taxPercent === null ? null : Number(formatDecimal(tax.taxPercent)),
      ValidFrom: tax.validFrom,
      ValidTill: tax.validTill ?? null,
    })),
    CertificateValidTill: device.certificateValidTill?.toISOString() ?? null,
  };
}

function instantText(instantSeconds: number): string {
  return new Date(instantSeconds * 1000).toISOString();
}

import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { DeviceId } from '../contract/device.ts';
import {
  attachRenderer,
  type DayRow,
  dayReportText,
  dayStateOf,
  findDevice,
  findDeviceOwner,
  listDays,
  NO_DEVICE,
  printDayReport,
  type ReportFormat,
  ReportQuerySchema,
  readDayReport,
  reportName,
  type StoredDevice,
  sendPrinted,
} from '../fiscal/index.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import type { ConsoleContext } from './context.ts';
import { getManagedDayReportDocumentation, listDaysDocumentation } from './day-documentation.ts';
import { closed, DEFAULT_PAGE, nextCursor, page } from './schemas.ts';

interface DeviceParams {
  authorityDeviceId: number;
}

/** Fiscal days of any device, and their X and Z reports. */
export function dayAdminRoutes(app: FastifyInstance, { pool, allow }: ConsoleContext): void {
  app.get<{ Params: DeviceParams; Querystring: { Limit?: number; Cursor?: number } }>(
    '/api/admin/devices/:authorityDeviceId/days',
    {
      onRequest: allow('viewer'),
      schema: {
        documentation: listDaysDocumentation,
        params: Type.Object({ authorityDeviceId: DeviceId }),
        querystring: Type.Object({ ...page, Cursor: Type.Optional(DeviceId) }, closed),
      },
      handler: async (request, reply) => {
        const { authorityDeviceId: deviceId } = request.params;
        const { Cursor, Limit: limit = DEFAULT_PAGE } = request.query;
        const owner = await findDeviceOwner(pool, deviceId);
        const stored = owner && (await findDevice(pool, owner, deviceId));
        if (!owner || !stored) return sendProblem(reply, NO_DEVICE);
        const days = await readPage(limit, (most) => listDays(pool, owner, deviceId, Cursor, most));
        return {
          Days: days.rows.map((day) => presentDay(day, stored)),
          NextCursor: nextCursor(days, (last) => String(last.fiscalDayNumber)),
        };
      },
    },
  );

  const printing = { pool, renderer: attachRenderer(app) };
  app.get<{ Params: DeviceParams & { fiscalDayNumber: number }; Querystring: { format?: ReportFormat } }>(
    '/api/admin/devices/:authorityDeviceId/days/:fiscalDayNumber/report',
    {
      onRequest: allow('viewer'),
      schema: {
        documentation: getManagedDayReportDocumentation,
        params: Type.Object({ authorityDeviceId: DeviceId, fiscalDayNumber: DeviceId }),
        querystring: ReportQuerySchema,
      },
      handler: async (request, reply) => {
        const { authorityDeviceId: deviceId, fiscalDayNumber } = request.params;
        const taxpayerId = await findDeviceOwner(pool, deviceId);
        if (taxpayerId === undefined) return sendProblem(reply, NO_DEVICE);
        const report = await readDayReport(pool, { taxpayerId, deviceId, fiscalDayNumber });
        if (report === undefined) {
          return sendProblem(reply, {
            code: 'NotFound',
            detail: `Device ${deviceId} has no fiscal day ${fiscalDayNumber}.`,
          });
        }
        const { format = 'json' } = request.query;
        if (format === 'json') return reply.type('application/json; charset=utf-8').send(dayReportText(report));
        return sendPrinted(reply, await printDayReport(printing, report, format), reportName(report));
      },
    },
  );
}

function presentDay(day: DayRow, stored: StoredDevice) {
  const { head } = stored;
  const isNewest = head.fiscalDayNumber === day.fiscalDayNumber;
  return {
    FiscalDayNumber: day.fiscalDayNumber,
    State: dayStateOf(day, stored),
    Opened: day.openedWall.replace(' ', 'T'),
    OpenedAt: day.openedAt.toISOString(),
    IsOpenConfirmed: day.openConfirmedAt !== null,
    Closed: day.closedWall?.replace(' ', 'T') ?? null,
    ClosedAt: day.closedAt?.toISOString() ?? null,
    CloseReason: day.closeReason,
    CloseError: day.closeError,
    Reconciliation: day.reconciliation,
    ReceiptCount: isNewest ? head.fiscalDayCounter : day.receiptCount,
  };
}

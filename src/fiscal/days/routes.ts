import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Pool } from 'pg';
import * as contract from '../../contract/fiscal/day.ts';
import { refused } from '../../kernel/refusal.ts';
import { confirmRead, epochOf } from '../../platform/database/barrier.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { openNumber } from '../../platform/json/open-number.ts';
import { NO_DEVICE } from '../devices/present-device.ts';
import { findDeviceOwner, findDevices } from '../devices/store.ts';
import { printReport } from '../printing/print-report.ts';
import { attachRenderer } from '../printing/renderer.ts';
import { sendPrinted } from '../printing/send-printed.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, guardOf } from '../taxpayers/require-scope.ts';
import { type DayReport, printedReport, readDayReport } from './day-report.ts';
import { presentDay, presentReport } from './present-day.ts';
import { listDays } from './store.ts';

export function dayRoutes(
  app: FastifyInstance,
  { pool, authenticate }: { readonly pool: Pool; readonly authenticate: Authenticate },
): void {
  const answer = reportAnswer(app, pool);
  route(app, guardOf(authenticate), contract.getDayReport, async ({ request, params, query, reply }) => {
    const { taxpayerId } = callerOf(request);
    const deviceId = openNumber(params.authorityDeviceId);
    const fiscalDayNumber = openNumber(params.fiscalDayNumber);
    const epoch = epochOf(pool);
    const report = await readDayReport(pool, { taxpayerId, deviceId, fiscalDayNumber });
    if (report === undefined) return refused({ code: 'NotFound', detail: 'There is no such day.' });
    await confirmRead(pool, epoch);
    return answer(report, query.format, reply);
  });
}

export function dayAdminRoutes(app: FastifyInstance, { pool, guard }: Administration): void {
  route(app, guard, contract.listDays, async ({ params: { authorityDeviceId: deviceId }, query }) => {
    const [stored] = await findDevices(pool, [deviceId]);
    if (stored === undefined) return refused(NO_DEVICE);
    const { taxpayerId } = stored.device;
    const days = await readPage(query.Limit ?? DEFAULT_PAGE, (most) =>
      listDays(pool, taxpayerId, deviceId, query.Cursor, most),
    );
    return {
      Days: days.rows.map((day) => presentDay(day, stored)),
      NextCursor: nextCursor(days, (last) => String(last.fiscalDayNumber)),
    };
  });

  const answer = reportAnswer(app, pool);
  route(app, guard, contract.getManagedDayReport, async ({ params, query, reply }) => {
    const { authorityDeviceId: deviceId, fiscalDayNumber } = params;
    const taxpayerId = await findDeviceOwner(pool, deviceId);
    if (taxpayerId === undefined) return refused(NO_DEVICE);
    const report = await readDayReport(pool, { taxpayerId, deviceId, fiscalDayNumber });
    if (report === undefined) {
      return refused({ code: 'NotFound', detail: `Device ${deviceId} has no fiscal day ${fiscalDayNumber}.` });
    }
    return answer(report, query.format, reply);
  });
}

function reportAnswer(app: FastifyInstance, pool: Pool) {
  const context = { pool, renderer: attachRenderer(app) };
  return async (
    report: DayReport,
    format: (typeof contract.REPORT_FORMATS)[number] = 'json',
    reply: FastifyReply,
  ): Promise<contract.DayReport | FastifyReply> => {
    if (format === 'json') return presentReport(report);
    const { kind, device, day } = report;
    const printed = await printReport(context, device.taxpayerId, printedReport(report), format);
    return sendPrinted(reply, printed, `${kind}-report-${device.deviceId}-${day.fiscalDayNumber}`);
  };
}

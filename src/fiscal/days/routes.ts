import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { sendProblem } from '../../platform/http/problem.ts';
import { attachRenderer } from '../printing/attach-renderer.ts';
import { printDayReport, reportName } from '../printing/print-day-report.ts';
import { type ReportFormat, ReportQuerySchema } from '../printing/print-format.ts';
import { sendPrinted } from '../printing/send-printed.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, requireScope } from '../taxpayers/require-scope.ts';
import { readDayReport } from './day-report.ts';
import { getDayReportDocumentation } from './day-report-documentation.ts';
import { dayReportText } from './present-day-report.ts';

const LARGEST_INTEGER = 2_147_483_647;

export function dayRoutes(app: FastifyInstance, context: { pool: Pool; authenticate: Authenticate }): void {
  const printing = { pool: context.pool, renderer: attachRenderer(app) };
  app.get<{ Params: { authorityDeviceId: string; fiscalDayNumber: string }; Querystring: { format?: ReportFormat } }>(
    '/api/device/:authorityDeviceId/day/:fiscalDayNumber/report',
    {
      schema: { querystring: ReportQuerySchema, documentation: getDayReportDocumentation },
      onRequest: requireScope(context.authenticate, 'read'),
      handler: async (request, reply) => {
        const { taxpayerId } = callerOf(request);
        const deviceId = numberOf(request.params.authorityDeviceId);
        const fiscalDayNumber = numberOf(request.params.fiscalDayNumber);
        const report = await readDayReport(context.pool, { taxpayerId, deviceId, fiscalDayNumber });
        if (report === undefined) return sendProblem(reply, { code: 'NotFound', detail: 'There is no such day.' });
        const { format = 'json' } = request.query;
        if (format === 'json') return reply.type('application/json; charset=utf-8').send(dayReportText(report));
        return sendPrinted(reply, await printDayReport(printing, report, format), reportName(report));
      },
    },
  );
}

/** What cannot be a number of a device or day is answered as what is not there. */
function numberOf(text: string): number {
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return number <= LARGEST_INTEGER ? number : 0;
}

import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/month.ts';
import { refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { route } from '../../platform/http/route.ts';
import { reportDocuments } from '../core/day-report.ts';
import { sumMonth } from '../core/month-report.ts';
import { printReport } from '../printing/print-report.ts';
import { attachRenderer } from '../printing/renderer.ts';
import { sendPrinted } from '../printing/send-printed.ts';
import { NO_TAXPAYER } from '../taxpayers/change-taxpayer.ts';
import { findTaxpayer } from '../taxpayers/store.ts';
import { type MonthReport, monthCsv, presentMonth, printedMonth } from './month-report.ts';
import { findMonth, findTaxes } from './month-store.ts';

export function monthRoutes(app: FastifyInstance, { pool, guard }: Administration): void {
  const context = { pool, renderer: attachRenderer(app) };
  route(app, guard, contract.getMonth, async ({ params: { taxpayerId, month }, query: { format }, reply }) => {
    const taxpayer = await findTaxpayer(pool, taxpayerId);
    if (taxpayer === undefined) return refused(NO_TAXPAYER);
    const { devices, cashiers, openDays } = await findMonth(pool, taxpayerId, `${month}-01`);
    const report: MonthReport = {
      taxpayer,
      month,
      ...sumMonth(devices, cashiers, await findTaxes(pool, taxpayerId)),
      openDays: openDays.map((day) => ({
        ...day,
        sales: [...Map.groupBy(day.documents, ({ currency }) => currency)].map(([currency, own]) => ({
          currency,
          ...reportDocuments(own),
        })),
      })),
    };
    if (format === 'csv') {
      return reply
        .type('text/csv; charset=utf-8; header=present')
        .header('content-disposition', `attachment; filename="sales-${month}.csv"`)
        .send(monthCsv(report));
    }
    if (format !== 'pdf') return presentMonth(report);
    return sendPrinted(reply, await printReport(context, taxpayerId, printedMonth(report), format), `sales-${month}`);
  });
}

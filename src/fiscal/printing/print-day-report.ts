import type { DayReport } from '../days/day-report.ts';
import { type PrintedReport, reportRows } from './core/report-rows.ts';
import { sellerFacts } from './core/seller-facts.ts';
import { draw, type PrintContext, type PrintOutcome } from './print-receipt.ts';
import { rowsText } from './render-text.ts';
import { findPrintSettings } from './store.ts';

/** An X or Z report as it comes out of a till. */
export async function printDayReport(
  { pool, renderer }: PrintContext,
  report: DayReport,
  format: 'text' | 'pdf',
): Promise<PrintOutcome> {
  const printed = printedReport(report);
  if (format === 'text') return { kind: 'printed', format, content: rowsText(reportRows(printed)) };
  const { logo } = await findPrintSettings(pool, report.device.taxpayerId);
  const title = `${report.kind} report of fiscal day ${report.day.fiscalDayNumber}, device ${report.device.deviceId}`;
  const content = { kind: 'report', report: printed, title } as const;
  const job = { format, content, logo, date: report.day.closedAt ?? report.day.openedAt };
  return draw(renderer, job, { taxpayerId: report.device.taxpayerId, isLong: false, isWanted: () => true });
}

function printedReport({ kind, seller, device, day, currencies }: DayReport): PrintedReport {
  return {
    kind,
    seller: sellerFacts(seller),
    deviceId: device.deviceId,
    serialNumber: device.serialNumber,
    fiscalDayNumber: day.fiscalDayNumber,
    opened: day.openedWall,
    closed: day.closedWall ?? undefined,
    currencies,
  };
}

export function reportName({ kind, device, day }: DayReport): string {
  return `${kind}-report-${device.deviceId}-${day.fiscalDayNumber}`;
}

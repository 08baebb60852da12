import { type PrintedReport, reportRows } from './core/report-rows.ts';
import { draw, type PrintContext, type PrintOutcome } from './print-receipt.ts';
import { rowsText } from './render-text.ts';
import { findPrintSettings } from './store.ts';

/** An X or Z report as it comes out of a till. */
export async function printReport(
  { pool, renderer }: PrintContext,
  taxpayerId: string,
  { date, ...report }: PrintedReport & { readonly date: Date },
  format: 'text' | 'pdf',
): Promise<PrintOutcome> {
  if (format === 'text') return { kind: 'printed', format, content: rowsText(reportRows(report)) };
  const { logo } = await findPrintSettings(pool, taxpayerId);
  const title = `${report.kind} report of fiscal day ${report.fiscalDayNumber}, device ${report.deviceId}`;
  const job = { format, content: { kind: 'report', report, title }, logo, date } as const;
  return draw(renderer, job, { taxpayerId, isLong: false, isWanted: () => true });
}

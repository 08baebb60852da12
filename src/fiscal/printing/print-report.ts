import { type PrintedReport, reportRows } from './core/report-rows.ts';
import { draw, type PrintContext, type PrintOutcome } from './print-receipt.ts';
import { rowsText } from './render-text.ts';
import { findPrintSettings } from './store.ts';

/** Named and dated so that the same report is the same file every time. */
export interface DatedReport extends PrintedReport {
  readonly name: string;
  readonly date: Date;
  readonly isLong?: boolean;
}

/** As a till prints it. */
export async function printReport(
  { pool, renderer }: PrintContext,
  taxpayerId: string,
  { name: title, date, isLong = false, ...report }: DatedReport,
  format: 'text' | 'pdf',
): Promise<PrintOutcome> {
  if (format === 'text') return { kind: 'printed', format, content: rowsText(reportRows(report)) };
  const { logo } = await findPrintSettings(pool, taxpayerId);
  const job = { format, content: { kind: 'report', report, title }, logo, date } as const;
  return draw(renderer, job, { taxpayerId, isLong, isWanted: () => true });
}

import type { ReceiptType } from '../../fdms/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { type CurrencyReport, type DocumentSum, reportCurrencies } from '../core/day-report.ts';
import type { DayState } from '../core/head.ts';
import { parseCounters } from '../core/kept-counters.ts';
import type { StoredDevice } from '../devices/device-row.ts';
import { findDevice } from '../devices/store.ts';
import { dayReport } from '../printing/core/report-rows.ts';
import { type StoredSeller, sellerFacts } from '../printing/core/seller.ts';
import type { DatedReport } from '../printing/print-report.ts';
import { findSeller } from '../printing/store.ts';
import { countDay } from './count-day.ts';
import { type DayKey, type DayRow, findDay, findFirstAndLast, type ReceiptOfDay } from './store.ts';

/** A day's X report (as it stands now) or Z report (as it was closed). */
export interface DayReport {
  readonly kind: 'X' | 'Z';
  readonly state: DayState;
  readonly day: DayRow;
  readonly device: StoredDevice['device'];
  readonly seller: StoredSeller;
  /** What became of its closing; undefined while it is not being closed. */
  readonly closing: 'Accepted' | 'Manual' | 'Pending' | 'Failed' | undefined;
  readonly receiptCount: number;
  readonly first: ReceiptOfDay | undefined;
  readonly last: ReceiptOfDay | undefined;
  readonly currencies: readonly CurrencyReport[];
}

export async function readDayReport(db: Queryable, key: DayKey): Promise<DayReport | undefined> {
  const day = await findDay(db, key);
  const stored = day && (await findDevice(db, key.taxpayerId, key.deviceId));
  if (day === undefined || stored === undefined) return undefined;
  const [seller, documents, [first, last]] = await Promise.all([
    findSeller(db, key),
    sumDocuments(db, key),
    findFirstAndLast(db, key),
  ]);
  const counters =
    day.closedAt === null || day.counters === null
      ? { counted: await countDay(db, key), others: [] }
      : parseCounters(day.counters);
  const state = dayStateOf(day, stored);
  return {
    kind: day.closedAt === null ? 'X' : 'Z',
    state,
    closing: closingOf(day, state),
    first,
    last,
    day,
    device: stored.device,
    seller,
    receiptCount: documents.reduce((count, one) => count + one.quantity, 0),
    currencies: reportCurrencies(
      counters,
      documents,
      stored.device.taxTables.flatMap(({ taxes }) => taxes),
    ),
  };
}

/** The head knows only the newest day; every other one is closed. */
export function dayStateOf(day: DayRow, { head }: StoredDevice): DayState {
  if (day.closedAt !== null || head.fiscalDayNumber !== day.fiscalDayNumber) return 'Closed';
  return head.dayState;
}

function closingOf({ closedAt, reconciliation }: DayRow, state: DayState): DayReport['closing'] {
  if (closedAt !== null) return reconciliation === 'Manual' ? 'Manual' : 'Accepted';
  if (state === 'CloseFailed') return 'Failed';
  return state === 'Closing' || state === 'CloseInitiated' ? 'Pending' : undefined;
}

async function sumDocuments(db: Queryable, key: DayKey): Promise<DocumentSum[]> {
  const { rows } = await db.query<{ type: ReceiptType; currency: string; quantity: number; amount: string }>(
    `select type, currency, count(*)::integer as quantity, sum(total) as amount from receipts
      where taxpayer_id = $1 and device_id = $2 and fiscal_day_number = $3 group by type, currency`,
    [key.taxpayerId, key.deviceId, key.fiscalDayNumber],
  );
  return rows.map((row) => ({ ...row, amount: decimal(row.amount) }));
}

/** As it comes out of a till. */
export function printedReport(report: DayReport): DatedReport {
  const { kind, seller, device, day } = report;
  return {
    ...dayReport({
      ...report,
      seller: sellerFacts(seller),
      deviceId: device.deviceId,
      serialNumber: device.serialNumber,
      fiscalDayNumber: day.fiscalDayNumber,
      opened: day.openedWall,
      closed: day.closedWall ?? undefined,
    }),
    name: `${kind} report of fiscal day ${day.fiscalDayNumber}, device ${device.deviceId}`,
    date: day.closedAt ?? day.openedAt,
  };
}

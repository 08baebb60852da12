import { decimal } from '../../kernel/decimal.ts';
import type { Queryable } from '../../platform/database.ts';
import { type CurrencyReport, type DocumentSum, reportCurrencies } from '../core/day-report.ts';
import type { DayState } from '../core/head.ts';
import { parseCounters } from '../core/kept-counters.ts';
import type { ReceiptType } from '../core/signing-string.ts';
import { findDevice, type StoredDevice } from '../devices/store.ts';
import { countDay } from './count-day.ts';
import { type DayKey, type DayRow, findDay } from './store.ts';

/** A day's X report (as it stands now) or Z report (as it was closed). */
export interface DayReport {
  readonly kind: 'X' | 'Z';
  readonly state: DayState;
  readonly day: DayRow;
  readonly device: StoredDevice['device'];
  readonly seller: Seller;
  readonly receiptCount: number;
  readonly currencies: readonly CurrencyReport[];
}

export interface Seller {
  readonly taxpayerName: string;
  readonly tin: string;
  readonly vatNumber: string | null;
  readonly branchName: string | null;
  /** As the authority sent them, JSON text. */
  readonly branchAddress: string | null;
  readonly branchContacts: string | null;
}

export async function readDayReport(db: Queryable, key: DayKey): Promise<DayReport | undefined> {
  const day = await findDay(db, key);
  const stored = day && (await findDevice(db, key.taxpayerId, key.deviceId));
  if (day === undefined || stored === undefined) return undefined;
  const [seller, documents] = await Promise.all([readSeller(db, key), sumDocuments(db, key)]);
  const counters =
    day.closedAt === null || day.counters === null
      ? { counted: await countDay(db, key), others: [] }
      : parseCounters(day.counters);
  return {
    kind: day.closedAt === null ? 'X' : 'Z',
    state: dayStateOf(day, stored),
    day,
    device: stored.device,
    seller,
    receiptCount: documents.reduce((count, one) => count + one.quantity, 0),
    currencies: reportCurrencies(counters, documents, stored.device.taxes),
  };
}

/** The head knows only the newest day; every other one is closed. */
export function dayStateOf(day: DayRow, { head }: StoredDevice): DayState {
  if (day.closedAt !== null || head.fiscalDayNumber !== day.fiscalDayNumber) return 'Closed';
  return head.dayState;
}

async function sumDocuments(db: Queryable, key: DayKey): Promise<DocumentSum[]> {
  const { rows } = await db.query<{ type: ReceiptType; currency: string; quantity: number; amount: string }>(
    `select type, currency, count(*)::integer as quantity, sum(total) as amount from receipts
      where taxpayer_id = $1 and device_id = $2 and fiscal_day_number = $3 group by type, currency`,
    [key.taxpayerId, key.deviceId, key.fiscalDayNumber],
  );
  return rows.map((row) => ({ ...row, amount: decimal(row.amount) }));
}

/** What the authority has on file goes before what was entered here. */
async function readSeller(db: Queryable, key: DayKey): Promise<Seller> {
  const { rows } = await db.query<Seller>(
    `select coalesce(c.taxpayer_name, t.name) as "taxpayerName", coalesce(c.taxpayer_tin, t.tin) as tin,
            case when c.taxpayer_tin is null then t.vat_number else c.vat_number end as "vatNumber",
            c.branch_name as "branchName", c.branch_address as "branchAddress", c.branch_contacts as "branchContacts"
       from device_heads h
       join device_configurations c using (taxpayer_id, device_id, configuration_version)
       join taxpayers t using (taxpayer_id)
      where h.taxpayer_id = $1 and h.device_id = $2`,
    [key.taxpayerId, key.deviceId],
  );
  if (rows[0] === undefined) throw new Error(`device ${key.deviceId} has no configuration`);
  return rows[0];
}

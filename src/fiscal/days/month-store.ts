import type { DeviceTax, ReceiptType } from '../../fdms/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { DocumentSum } from '../core/day-report.ts';
import { type CounterText, readCounters } from '../core/kept-counters.ts';
import { addCounters, type CashierSum, type DeviceSum } from '../core/month-report.ts';
import { taxesOfText } from '../devices/device-row.ts';
import { countDay } from './count-day.ts';

/** A day of the month that is not closed yet, as far as it has come. */
export interface OpenDay {
  readonly deviceId: number;
  readonly fiscalDayNumber: number;
  /** Device local. */
  readonly opened: string;
  readonly documents: readonly DocumentSum[];
}

export interface StoredMonth {
  readonly devices: readonly DeviceSum[];
  readonly cashiers: readonly CashierSum[];
  readonly openDays: readonly OpenDay[];
}

type DocumentText = { type: ReceiptType; currency: string; quantity: number; amount: string };
type Keyed<Row> = Row & { deviceId: number };
interface Parts {
  devices: Keyed<{ serialNumber: string; days: number }>[];
  counters: Keyed<CounterText>[];
  cashiers: Keyed<DocumentText & { cashier: string | null }>[];
  uncounted: Keyed<{ fiscalDayNumber: number }>[];
  openDays: Keyed<{ fiscalDayNumber: number; opened: string; documents: DocumentText[] | null }>[];
}

/** As one list, whatever it is a list of. */
const list = (select: string) => `(select coalesce(json_agg(x), '[]') from (${select}) x)`;

/**
 * What was counted when each day was closed, added up for each device; only of days that are still open are receipts read. One statement:
 * a day that is closed meanwhile is either open or counted. `first` is the first of the month.
 */
export async function findMonth(db: Queryable, taxpayerId: string, first: string): Promise<StoredMonth> {
  const { rows } = await db.query<{ parts: string }>(
    `with days as materialized (
       select * from fiscal_days
        where taxpayer_id = $1 and opened_wall >= $2::timestamp and opened_wall < $2::timestamp + interval '1 month'),
     closed as materialized (select * from days where closed_at is not null)
     select json_build_object(
       'devices', ${list(`select device_id as "deviceId", coalesce(d.serial_number, '') as "serialNumber", count(*)::integer as days
                            from closed join devices d using (taxpayer_id, device_id) group by 1, 2 order by 1`)},
       'counters', ${list(`select d.device_id as "deviceId", c.type, c.currency, c."taxId", c."taxPercent"::numeric::text as "taxPercent",
                                  c."moneyType", sum(c.value::numeric)::text as value
                             from closed d cross join jsonb_to_recordset(d.counters) as c
                                  (type text, currency text, "taxId" integer, "taxPercent" text, "moneyType" text, value text)
                            group by d.device_id, c.type, c.currency, c."taxId", c."taxPercent"::numeric, c."moneyType"`)},
       'cashiers', ${list(`select d.device_id as "deviceId", c.cashier, c.type, c.currency, sum(c.quantity)::integer as quantity,
                                  sum(c.amount)::text as amount
                             from closed d cross join jsonb_to_recordset(d.cashiers) as c
                                  (cashier text, type text, currency text, quantity integer, amount numeric)
                            group by 1, 2, 3, 4`)},
       'uncounted', ${list('select device_id as "deviceId", fiscal_day_number as "fiscalDayNumber" from closed where counters is null')},
       'openDays', ${list(`select device_id as "deviceId", fiscal_day_number as "fiscalDayNumber", opened_wall as opened,
                                  (select json_agg(s) from (
                                     select r.type, r.currency, count(*) as quantity, sum(r.total)::text as amount from receipts r
                                      where r.taxpayer_id = d.taxpayer_id and r.device_id = d.device_id
                                        and r.fiscal_day_number = d.fiscal_day_number
                                      group by 1, 2) s) as documents
                             from days d where closed_at is null order by opened_wall, device_id`)})::text as parts`,
    [taxpayerId, first],
  );
  const parts = JSON.parse(rows[0]?.parts ?? '{}') as Parts;
  const counters = Map.groupBy(parts.counters, ({ deviceId }) => deviceId);
  const counted = await Promise.all(
    parts.uncounted.map(async (key) => ({ ...key, counted: await countDay(db, { taxpayerId, ...key }), others: [] })),
  );
  return {
    devices: parts.devices.map((device) => ({
      ...device,
      counters: addCounters([
        readCounters(counters.get(device.deviceId) ?? []),
        ...counted.filter(({ deviceId }) => deviceId === device.deviceId),
      ]),
    })),
    cashiers: parts.cashiers.map((sum) => ({ ...sum, amount: decimal(sum.amount) })),
    openDays: parts.openDays.map(({ documents, ...day }) => ({
      ...day,
      documents: (documents ?? []).map((sum) => ({ ...sum, amount: decimal(sum.amount) })),
    })),
  };
}

/** All that its devices ever had, newest first. */
export async function findTaxes(db: Queryable, taxpayerId: string): Promise<DeviceTax[]> {
  const { rows } = await db.query<{ taxes: string }>(
    'select taxes::text from device_configurations where taxpayer_id = $1 group by 1 order by max(received_at) desc',
    [taxpayerId],
  );
  return rows.flatMap(({ taxes }) => taxesOfText(taxes));
}

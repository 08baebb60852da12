import type * as contract from '../../contract/fiscal/outage.ts';
import { HOLD_KINDS } from '../../contract/shared/kinds.ts';
import { lasts } from '../../platform/alerts/store.ts';
import { seconds } from '../../platform/clock.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';
import type { DeviceKey } from '../core/keys.ts';
import { type Outage, REPORT_AFTER_SECONDS, type Standing } from '../core/outage.ts';
import { HOLDS, holdsOfText } from '../devices/device-row.ts';

/** Under which name instances look one at a time, and operators wait for a look before they write to an outage. */
export const LOOK = 'outages';

export type Suspect = DeviceKey &
  Omit<Standing, 'outlook'> & {
    readonly isSuspended: boolean;
    readonly outage: (Outage & { readonly outageId: number }) | undefined;
  };

type SuspectRow = Omit<Suspect, 'holds' | 'dayOpenedAtSeconds' | 'certificateValidTill' | 'outage'> & {
  readonly holds: string | null;
  readonly openedAt: Date | null;
  readonly validTill: Date | null;
  readonly outage: string | null;
};

/** Registered devices whose row looks as if they could not seal, all while commits wait, and those that could not; whether it is so is decided with the clock. */
export async function findSuspects(tx: Transaction, now: Date, after: number, limit: number): Promise<Suspect[]> {
  const { rows } = await tx.query<SuspectRow>(
    `select h.taxpayer_id as "taxpayerId", h.device_id as "deviceId", h.day_state as "dayState", h.day_opened_at as "openedAt",
            h.fiscal_day_number as "fiscalDayNumber", d.zone, d.maintenance_start_minute as "maintenanceStartMinute",
            t.suspended_at is not null as "isSuspended", c.day_maximum_hours as "dayMaximumHours", k.certificate_valid_till as "validTill", ${HOLDS},
            floor(extract(epoch from w.since))::float8 as "commitsWaitSince",
            case when u.outage_id is not null then json_build_object('outageId', u.outage_id, 'code', u.code, 'problem', u.problem,
              'beganAtSeconds', extract(epoch from u.began_at), 'isTold', u.told_at is not null,
              'isReminded', u.reminded_at is not null, 'isReported', u.reference_number is not null) end as outage
       from device_heads h
       join devices d using (taxpayer_id, device_id)
       join device_lanes l using (taxpayer_id, device_id)
       join device_keys k using (taxpayer_id, device_id, key_version)
       join device_configurations c using (taxpayer_id, device_id, configuration_version)
       join taxpayers t using (taxpayer_id)
       left join outages u on u.device_id = h.device_id and u.ended_at is null
      left join alerts w on w.kind = 'CommitsWait' and w.cleared_at is null
      where d.device_id > $2
        and (u.outage_id is not null
             or (t.suspended_at is null
                 and (w.alert_id is not null or h.day_state not in ('Opened', 'CloseFailed') or k.certificate_valid_till <= $1
                      or h.day_opened_at + make_interval(hours => c.day_maximum_hours) < $1
                      or ${lasts('h', HOLD_KINDS)})))
      order by d.device_id limit $3`,
    [now, after, limit],
  );
  return rows.map(({ holds, openedAt, validTill, outage, ...row }) => ({
    ...row,
    holds: holdsOfText(holds),
    dayOpenedAtSeconds: openedAt === null ? undefined : seconds(openedAt),
    certificateValidTill: validTill ?? undefined,
    outage: outage === null ? undefined : (JSON.parse(outage) as Suspect['outage']),
  }));
}

/** Begun or gone on. */
export async function saveOutages(tx: Transaction, outages: readonly (DeviceKey & Outage)[], now: Date): Promise<void> {
  await tx.query(
    `insert into outages as o (taxpayer_id, device_id, code, problem, began_at, told_at, reminded_at)
     select s.taxpayer_id, s.device_id, s.code, s.problem, to_timestamp(s.began_at), case when s.is_told then $8::timestamptz end,
            case when s.is_reminded then $8 end
       from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::float8[], $6::boolean[], $7::boolean[])
            as s (taxpayer_id, device_id, code, problem, began_at, is_told, is_reminded)
     on conflict (device_id) where ended_at is null do update
        set code = excluded.code, problem = excluded.problem, told_at = coalesce(o.told_at, excluded.told_at),
            reminded_at = coalesce(o.reminded_at, excluded.reminded_at)`,
    [...columnsOf(outages, 'taxpayerId', 'deviceId', 'code', 'problem', 'beganAtSeconds', 'isTold', 'isReminded'), now],
  );
}

/** Over. What nobody was told of was a moment only. */
export async function endOutages(tx: Transaction, outageIds: readonly number[], now: Date): Promise<void> {
  await tx.query('delete from outages where outage_id = any ($1) and told_at is null', [outageIds]);
  await tx.query('update outages set ended_at = $2 where outage_id = any ($1)', [outageIds, now]);
}

/** As operators see it; on the clock of its shop in the report. */
export type StoredOutage = contract.Outage & { readonly zone: string };

const OUTAGES = `select o.outage_id::text as "Number", o.taxpayer_id as "TaxpayerId", o.device_id as "AuthorityDeviceId",
    c.serial_number as "SerialNumber", o.code as "Code", o.problem as "Problem", ${instantText('o.began_at')} as "BeganAt",
    ${instantText(`o.began_at + interval '${REPORT_AFTER_SECONDS} seconds'`)} as "ReportDueAt",
    ${instantText('o.ended_at')} as "EndedAt", o.is_open as "IsOpen", o.sales_recording as "SalesRecording",
    o.reference_number as "ReferenceNumber", ${instantText('o.reported_at')} as "ReportedAt",
    ${instantText('o.acquitted_at')} as "AcquittedAt", d.zone
  from outages o
  join devices d using (taxpayer_id, device_id)
  join device_heads h using (taxpayer_id, device_id)
  join device_configurations c using (taxpayer_id, device_id, configuration_version)`;

export interface OutageFilter {
  readonly taxpayerId: string | undefined;
  readonly deviceId: number | undefined;
  /** The last one of the page before. */
  readonly after: { readonly isOpen: boolean; readonly number: string } | undefined;
}

/** Open work first, then the newest. */
export async function listOutages(db: Queryable, filter: OutageFilter, limit: number): Promise<StoredOutage[]> {
  const { rows } = await db.query<StoredOutage>(
    `${OUTAGES}
      where o.told_at is not null and ($1::uuid is null or o.taxpayer_id = $1) and ($2::integer is null or o.device_id = $2)
        and ($3::boolean is null or (o.is_open, o.outage_id) < ($3, $4::bigint))
      order by o.is_open desc, o.outage_id desc limit $5`,
    [filter.taxpayerId, filter.deviceId, filter.after?.isOpen, filter.after?.number, limit],
  );
  return rows;
}

export async function findOutage(db: Queryable, number: string): Promise<StoredOutage | undefined> {
  const { rows } = await db.query<StoredOutage>(`${OUTAGES} where o.outage_id = $1 and o.told_at is not null`, [
    number,
  ]);
  return rows[0];
}

/** The one that the device is in. */
export async function findLasting(db: Queryable, deviceId: number): Promise<StoredOutage | undefined> {
  const { rows } = await db.query<StoredOutage>(`${OUTAGES} where o.device_id = $1 and o.ended_at is null`, [deviceId]);
  return rows[0];
}

export async function lockOutage(tx: Transaction, number: string): Promise<StoredOutage | undefined> {
  // The look's lock and the row's in this order, as the look takes them.
  await tx.query('lock table outages in row exclusive mode');
  await tx.query('select from outages where outage_id = $1 for update', [number]);
  return findOutage(tx, number);
}

/** What operators say of it. While it is not reported, the next look reminds again, with the newest words. */
export async function updateOutage(tx: Transaction, outage: contract.Outage): Promise<void> {
  await tx.query(
    `update outages set sales_recording = $2, reference_number = $3, reported_at = $4, acquitted_at = $5,
            reminded_at = case when $3::text is not null then reminded_at end
      where outage_id = $1`,
    [outage.Number, outage.SalesRecording, outage.ReferenceNumber, outage.ReportedAt, outage.AcquittedAt],
  );
}

import { seconds } from '../../platform/clock.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { DayState } from '../core/head.ts';
import type { DeviceKey } from '../core/keys.ts';
import type { Outage, Standing } from '../core/outage.ts';
import { HOLDS, holdsOfText } from '../devices/device-row.ts';

/** Instances look one after the other, so that none writes what another has seen to be over. */
export async function lockOutages(tx: Transaction): Promise<void> {
  await tx.query('lock table outages in share row exclusive mode');
}

export interface Suspect extends DeviceKey, Omit<Standing, 'outlook'> {
  readonly outage: (Outage & { readonly outageId: bigint }) | undefined;
}

interface SuspectRow {
  taxpayer_id: string;
  device_id: number;
  day_state: DayState;
  fiscal_day_number: number;
  day_opened_at: Date | null;
  zone: string;
  maintenance_start_minute: number;
  day_maximum_hours: number;
  certificate_valid_till: Date | null;
  holds: string | null;
  outage_id: bigint | null;
  code: string;
  problem: string;
  began_at: Date;
  is_told: boolean;
  is_reminded: boolean;
  is_reported: boolean;
}

/** Registered devices whose row looks as if they could not seal, and those that could not; whether it is so is decided with the clock. */
export async function findSuspects(
  tx: Transaction,
  now: Date,
  afterDeviceId: number,
  limit: number,
): Promise<Suspect[]> {
  const { rows } = await tx.query<SuspectRow>(
    `select h.taxpayer_id, h.device_id, h.day_state, h.fiscal_day_number, h.day_opened_at, d.zone, d.maintenance_start_minute,
            c.day_maximum_hours, k.certificate_valid_till, ${HOLDS}, u.outage_id, u.code, u.problem, u.began_at,
            u.told_at is not null as is_told, u.reminded_at is not null as is_reminded,
            u.reference_number is not null as is_reported
       from device_heads h
       join devices d using (taxpayer_id, device_id)
       join device_lanes l using (taxpayer_id, device_id)
       join device_keys k using (taxpayer_id, device_id, key_version)
       join device_configurations c using (taxpayer_id, device_id, configuration_version)
       join taxpayers t using (taxpayer_id)
       left join outages u on u.device_id = h.device_id and u.ended_at is null
      where h.device_id > $2
        and (u.outage_id is not null
             or (t.suspended_at is null
                 and (h.day_state not in ('Opened', 'CloseFailed') or k.certificate_valid_till <= $1
                      or h.day_opened_at + make_interval(hours => c.day_maximum_hours) < $1
                      or exists (select from device_holds o where o.taxpayer_id = h.taxpayer_id and o.device_id = h.device_id))))
      order by h.device_id limit $3`,
    [now, afterDeviceId, limit],
  );
  return rows.map(suspectOfRow);
}

function suspectOfRow(row: SuspectRow): Suspect {
  return {
    taxpayerId: row.taxpayer_id,
    deviceId: row.device_id,
    device: {
      deviceId: row.device_id,
      zone: row.zone,
      maintenanceStartMinute: row.maintenance_start_minute,
      dayMaximumHours: row.day_maximum_hours,
      holds: holdsOfText(row.holds),
      certificateValidTill: row.certificate_valid_till ?? undefined,
    },
    head: {
      dayState: row.day_state,
      fiscalDayNumber: row.fiscal_day_number,
      dayOpenedAtSeconds: row.day_opened_at === null ? undefined : seconds(row.day_opened_at),
    },
    outage:
      row.outage_id === null
        ? undefined
        : {
            outageId: row.outage_id,
            code: row.code,
            problem: row.problem,
            beganAtSeconds: seconds(row.began_at),
            isTold: row.is_told,
            isReminded: row.is_reminded,
            isReported: row.is_reported,
          },
  };
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
export async function endOutages(tx: Transaction, outageIds: readonly bigint[], now: Date): Promise<void> {
  await tx.query('delete from outages where outage_id = any ($1) and told_at is null', [outageIds]);
  await tx.query('update outages set ended_at = $2 where outage_id = any ($1)', [outageIds, now]);
}

export interface OutageRecord extends DeviceKey {
  readonly outageId: bigint;
  readonly serialNumber: string;
  readonly zone: string;
  readonly code: string;
  readonly problem: string;
  readonly beganAt: Date;
  readonly endedAt: Date | null;
  readonly isOpen: boolean;
  readonly salesRecording: string | null;
  readonly referenceNumber: string | null;
  readonly reportedAt: Date | null;
  readonly acquittedAt: Date | null;
}

const OUTAGES = `select o.outage_id as "outageId", o.taxpayer_id as "taxpayerId", o.device_id as "deviceId", c.serial_number as "serialNumber",
    d.zone, o.code, o.problem, o.began_at as "beganAt", o.ended_at as "endedAt", o.is_open as "isOpen",
    o.sales_recording as "salesRecording", o.reference_number as "referenceNumber", o.reported_at as "reportedAt",
    o.acquitted_at as "acquittedAt"
  from outages o
  join devices d using (taxpayer_id, device_id)
  join device_heads h using (taxpayer_id, device_id)
  join device_configurations c using (taxpayer_id, device_id, configuration_version)`;

export interface OutageFilter {
  readonly taxpayerId: string | undefined;
  readonly deviceId: number | undefined;
  /** The last one of the page before. */
  readonly after: { readonly isOpen: boolean; readonly outageId: bigint } | undefined;
}

/** Open work first, then the newest. */
export async function listOutages(db: Queryable, filter: OutageFilter, limit: number): Promise<OutageRecord[]> {
  const { rows } = await db.query<OutageRecord>(
    `${OUTAGES}
      where o.told_at is not null and ($1::uuid is null or o.taxpayer_id = $1) and ($2::integer is null or o.device_id = $2)
        and ($3::boolean is null or (o.is_open, o.outage_id) < ($3, $4::bigint))
      order by o.is_open desc, o.outage_id desc limit $5`,
    [filter.taxpayerId, filter.deviceId, filter.after?.isOpen, filter.after?.outageId, limit],
  );
  return rows;
}

export async function findOutage(db: Queryable, outageId: bigint): Promise<OutageRecord | undefined> {
  const { rows } = await db.query<OutageRecord>(`${OUTAGES} where o.outage_id = $1 and o.told_at is not null`, [
    outageId,
  ]);
  return rows[0];
}

export async function lockOutage(tx: Transaction, outageId: bigint): Promise<void> {
  await tx.query('select from outages where outage_id = $1 for update', [outageId]);
}

/** What operators say of it. */
export async function updateOutage(tx: Transaction, outage: OutageRecord): Promise<void> {
  await tx.query(
    `update outages set sales_recording = $2, reference_number = $3, reported_at = $4, acquitted_at = $5 where outage_id = $1`,
    [outage.outageId, outage.salesRecording, outage.referenceNumber, outage.reportedAt, outage.acquittedAt],
  );
}

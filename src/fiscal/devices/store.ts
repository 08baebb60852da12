import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { DayState, Head } from '../core/head.ts';
import type { LeasedTransaction } from '../lanes/lease.ts';
import { type DeviceRow, type StoredDevice, storedOfRow } from './device-row.ts';
import { HEAD_COLUMNS, type HeadRow, headOfRow } from './head-row.ts';

interface DeviceKey {
  readonly taxpayerId: string;
  readonly deviceId: number;
}

const DEVICES = `select ${HEAD_COLUMNS}, h.key_version, h.configuration_version, d.zone, d.maintenance_start_minute,
         d.date_policy, d.advance_limit_seconds, d.future_limit_seconds, d.blocked_reason, c.serial_number,
         c.qr_url, c.day_maximum_hours, c.day_end_notification_hours, k.private_key_encrypted, k.certificate_pem,
         k.certificate_valid_till,
         (select jsonb_agg(v.taxes order by v.configuration_version desc) from device_configurations v
           where v.taxpayer_id = h.taxpayer_id and v.device_id = h.device_id) as all_taxes
    from device_heads h
    join devices d using (taxpayer_id, device_id)
    join device_keys k using (taxpayer_id, device_id, key_version)
    join device_configurations c using (taxpayer_id, device_id, configuration_version)`;

export async function findDevice(
  db: Queryable,
  taxpayerId: string,
  deviceId: number,
): Promise<StoredDevice | undefined> {
  const { rows } = await db.query<DeviceRow>({
    name: 'find-device',
    text: `${DEVICES} where h.taxpayer_id = $1 and h.device_id = $2`,
    values: [taxpayerId, deviceId],
  });
  return rows[0] && storedOfRow(rows[0]);
}

/** A page of devices at once, by id. */
export async function findDevices(db: Queryable, deviceIds: readonly number[]): Promise<StoredDevice[]> {
  const { rows } = await db.query<DeviceRow>(
    `${DEVICES} where d.device_id = any ($1::integer[]) order by d.device_id`,
    [deviceIds],
  );
  return rows.map(storedOfRow);
}

export interface DeviceFilter {
  readonly taxpayerId: string | undefined;
  /** Only those that are stopped, or only the others. */
  readonly isStopped: boolean | undefined;
  readonly after: number | undefined;
}

/** The ids of devices, in order; what they look like is read with `findDevices`. */
export async function listDevices(
  db: Queryable,
  { taxpayerId, isStopped, after }: DeviceFilter,
  limit: number,
): Promise<number[]> {
  const { rows } = await db.query<{ device_id: number }>(
    `select d.device_id from devices d left join device_lanes l using (taxpayer_id, device_id)
      where ($1::uuid is null or d.taxpayer_id = $1) and ($2::integer is null or d.device_id > $2)
        and ($3::boolean is null or (l.stopped_reason is not null) = $3)
      order by d.device_id limit $4`,
    [taxpayerId, after, isStopped, limit],
  );
  return rows.map((row) => row.device_id);
}

export async function findDeviceOwner(db: Queryable, deviceId: number): Promise<string | undefined> {
  const { rows } = await db.query<{ taxpayer_id: string }>('select taxpayer_id from devices where device_id = $1', [
    deviceId,
  ]);
  return rows[0]?.taxpayer_id;
}

export async function lockHead(tx: Transaction, taxpayerId: string, deviceId: number): Promise<Head | undefined> {
  const { rows } = await tx.query<HeadRow>(
    `select ${HEAD_COLUMNS} from device_heads h where h.taxpayer_id = $1 and h.device_id = $2 for update`,
    [taxpayerId, deviceId],
  );
  return rows[0] && headOfRow(rows[0]);
}

export async function startDay(tx: Transaction, head: Head, fiscalDayNumber: number, openedAt: Date): Promise<void> {
  await tx.query(
    `update device_heads
        set day_state = 'Opening', fiscal_day_number = $3, day_opened_at = $4, fiscal_day_counter = 0, last_hash = null,
            day_volume = 0
      where taxpayer_id = $1 and device_id = $2`,
    [head.taxpayerId, head.deviceId, fiscalDayNumber, openedAt],
  );
}

export async function setDayState(
  tx: Transaction,
  taxpayerId: string,
  deviceId: number,
  state: DayState,
): Promise<void> {
  await tx.query('update device_heads set day_state = $3 where taxpayer_id = $1 and device_id = $2', [
    taxpayerId,
    deviceId,
    state,
  ]);
}

/** Every instance that locks the head sees that what it has cached is old. */
export async function bumpRevision(tx: Transaction, key: DeviceKey): Promise<void> {
  await tx.query('update device_heads set revision = revision + 1 where taxpayer_id = $1 and device_id = $2', [
    key.taxpayerId,
    key.deviceId,
  ]);
}

export interface DeviceOptions {
  readonly zone: string;
  readonly maintenanceStartMinute: number;
  readonly datePolicy: 'advance' | 'strict';
  readonly advanceLimitSeconds: number;
  readonly futureLimitSeconds: number;
}

export interface DeviceSettings extends DeviceOptions {
  readonly blockedReason: string | null;
}

/** The caller holds the head's lock; the new revision tells every instance that what it has cached is old. */
export async function updateDeviceSettings(
  tx: Transaction,
  device: DeviceKey,
  settings: DeviceSettings,
): Promise<void> {
  await tx.query(
    `update devices
        set zone = $3, maintenance_start_minute = $4, date_policy = $5, advance_limit_seconds = $6,
            future_limit_seconds = $7, blocked_reason = $8
      where taxpayer_id = $1 and device_id = $2`,
    [
      device.taxpayerId,
      device.deviceId,
      settings.zone,
      settings.maintenanceStartMinute,
      settings.datePolicy,
      settings.advanceLimitSeconds,
      settings.futureLimitSeconds,
      settings.blockedReason,
    ],
  );
  await bumpRevision(tx, device);
}

/**
 * A held device seals nothing and sends nothing: its chain here may be older than what the authority has. Held means an open alert
 * RestoredFromBackup or AuthorityAhead; the device is blocked as well, with our own reason, so that tills learn of it.
 */
const RESTORED = "restored from a backup: waiting for the authority's word on its last receipt";
const AHEAD = 'its chain here is old: ';

/** After a restore: no device seals before the authority has said that it knows nothing newer. Returns their number. */
export async function holdRestoredDevices(tx: Transaction, message: string): Promise<number> {
  // A device without a lane is not registered yet, and has nothing to wait for.
  await tx.query(
    `update devices d set blocked_reason = $1
       from device_lanes l
      where l.taxpayer_id = d.taxpayer_id and l.device_id = d.device_id and d.blocked_reason is null`,
    [RESTORED],
  );
  // Whatever process held a lane when the backup was made, it is none of this installation.
  await tx.query(
    `update device_lanes
        set next_step_at = '-infinity', paused_until = null, is_outage = false, locked_until = null, fencing_token = 0`,
  );
  await tx.query('update device_heads set revision = revision + 1');
  const { rowCount } = await tx.query(
    `insert into alerts (taxpayer_id, device_id, kind, subject, message)
     select taxpayer_id, device_id, 'RestoredFromBackup', 'device ' || device_id, replace($1, '{device}', device_id::text)
       from device_lanes
     on conflict (taxpayer_id, kind, subject) where cleared_at is null do update set message = excluded.message`,
    [message],
  );
  return rowCount ?? 0;
}

/** The caller holds the head's lock. True when that is new: it was not blocked before for another reason. */
export async function holdDevice(tx: LeasedTransaction, key: DeviceKey, words: string): Promise<boolean> {
  const { rows } = await tx.query<{ is_new: boolean }>(
    `update devices d set blocked_reason = $3
       from (select blocked_reason from devices where taxpayer_id = $1 and device_id = $2) before
      where d.taxpayer_id = $1 and d.device_id = $2 and d.blocked_reason is distinct from $3
        and (d.blocked_reason is null or d.blocked_reason = $4 or starts_with(d.blocked_reason, $5))
     returning coalesce(not starts_with(before.blocked_reason, $5), true) as is_new`,
    [key.taxpayerId, key.deviceId, AHEAD + words, RESTORED, AHEAD],
  );
  if (rows.length > 0) await bumpRevision(tx, key);
  return rows[0]?.is_new ?? false;
}

/** The caller holds the head's lock. A block for another reason stays. */
export async function freeHeldDevice(tx: LeasedTransaction, key: DeviceKey): Promise<void> {
  const { rowCount } = await tx.query(
    `update devices set blocked_reason = null
      where taxpayer_id = $1 and device_id = $2 and (blocked_reason = $3 or starts_with(blocked_reason, $4))`,
    [key.taxpayerId, key.deviceId, RESTORED, AHEAD],
  );
  if (rowCount === 1) await bumpRevision(tx, key);
}

/** What an operator sees at one glance. Each statement reads as much as there are devices, or a bounded piece of an index. */
export interface DeviceCounts {
  readonly dayStates: Readonly<Record<string, number>>;
  readonly blocked: number;
  readonly stopped: number;
  /** The stopped ones by the state of their day. */
  readonly stoppedDayStates: Readonly<Record<string, number>>;
}

export async function countDevices(db: Queryable): Promise<DeviceCounts> {
  const { rows } = await db.query<{ state: string; devices: number; blocked: number; stopped: number }>({
    name: 'count-devices',
    text: `select h.day_state as state, count(*)::integer as devices,
                  count(*) filter (where d.blocked_reason is not null or d.is_blocked_by_authority)::integer as blocked,
                  count(*) filter (where l.stopped_reason is not null)::integer as stopped
             from device_heads h
             join devices d using (taxpayer_id, device_id)
             left join device_lanes l using (taxpayer_id, device_id)
            group by 1`,
  });
  return {
    dayStates: Object.fromEntries(rows.map((row) => [row.state, row.devices])),
    blocked: rows.reduce((sum, row) => sum + row.blocked, 0),
    stopped: rows.reduce((sum, row) => sum + row.stopped, 0),
    stoppedDayStates: Object.fromEntries(rows.flatMap((row) => (row.stopped > 0 ? [[row.state, row.stopped]] : []))),
  };
}

export interface DeviceDeadline {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly zone: string;
  readonly at: Date;
}

/** Certificates in use that end before then, the first first. */
export async function findExpiringCertificates(db: Queryable, before: Date, limit: number): Promise<DeviceDeadline[]> {
  const { rows } = await db.query<DeviceDeadline>(
    `select h.taxpayer_id as "taxpayerId", h.device_id as "deviceId", d.zone, k.certificate_valid_till as at
       from device_heads h
       join devices d using (taxpayer_id, device_id)
       join device_keys k using (taxpayer_id, device_id, key_version)
      where k.certificate_valid_till < $1 order by k.certificate_valid_till limit $2`,
    [before, limit],
  );
  return rows;
}

/** Open days that reach the authority's maximum before then, the first first. */
export async function findEndingDays(db: Queryable, before: Date, limit: number): Promise<DeviceDeadline[]> {
  const { rows } = await db.query<DeviceDeadline>(
    `select h.taxpayer_id as "taxpayerId", h.device_id as "deviceId", d.zone,
            h.day_opened_at + make_interval(hours => c.day_maximum_hours) as at
       from device_heads h
       join devices d using (taxpayer_id, device_id)
       join device_configurations c using (taxpayer_id, device_id, configuration_version)
      where h.day_state <> 'Closed' and h.day_opened_at + make_interval(hours => c.day_maximum_hours) < $1
      order by 4 limit $2`,
    [before, limit],
  );
  return rows;
}

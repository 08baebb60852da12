import type { Deadline, Overview } from '../../contract/console/overview.ts';
import { HOLD_KINDS } from '../../contract/shared/kinds.ts';
import { lasts } from '../../platform/alerts/store.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';
import { update } from '../../platform/database/rows.ts';
import type { DayState, Head } from '../core/head.ts';
import type { DeviceIdentity } from '../core/identity-difference.ts';
import type { DeviceKey } from '../core/keys.ts';
import { type DeviceRow, HOLDS, type StoredDevice, storedOfRow } from './device-row.ts';
import { HEAD_COLUMNS, type HeadRow, headOfRow } from './head-row.ts';

const DEVICES = `select ${HEAD_COLUMNS}, h.key_version as "keyVersion", h.configuration_version as "configurationVersion", d.zone,
         d.maintenance_start_minute as "maintenanceStartMinute", d.date_policy as "datePolicy",
         d.advance_limit_seconds as "advanceLimitSeconds", d.future_limit_seconds as "futureLimitSeconds",
         c.serial_number as "serialNumber", c.qr_url as "qrUrl", c.day_maximum_hours as "dayMaximumHours",
         c.day_end_notification_hours as "dayEndNoticeHours", k.private_key_encrypted as "privateKeyEncrypted",
         k.certificate_pem as "certificatePem", k.certificate_valid_till as "certificateValidTill", t."taxTexts", t."taxesReceived",
         q.percents as "doubtedPercents", q.answer::text as "doubtedAnswer", q.since as "doubtedSince",
         q.is_remarked as "isRemarked", ${HOLDS}
    from device_heads h
    join devices d using (taxpayer_id, device_id)
    join device_keys k using (taxpayer_id, device_id, key_version)
    join device_configurations c using (taxpayer_id, device_id, configuration_version)
    left join tax_doubts q using (taxpayer_id, device_id)
   cross join lateral (
     select array_agg(v.taxes::text order by v.configuration_version desc) as "taxTexts",
            array_agg(v.received_at order by v.configuration_version desc) as "taxesReceived"
       from device_configurations v
      where v.taxpayer_id = h.taxpayer_id and v.device_id = h.device_id and v.taxes <> '[]') t`;

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
  const { rows } = await db.query<{ deviceId: number }>(
    `select d.device_id as "deviceId" from devices d left join device_lanes l using (taxpayer_id, device_id)
      where ($1::uuid is null or d.taxpayer_id = $1) and ($2::integer is null or d.device_id > $2)
        and ($3::boolean is null or (l.stopped_reason is not null) = $3)
      order by d.device_id limit $4`,
    [taxpayerId, after, isStopped, limit],
  );
  return rows.map(({ deviceId }) => deviceId);
}

/** As it was registered here. */
export async function findIdentity(db: Queryable, { taxpayerId, deviceId }: DeviceKey): Promise<DeviceIdentity> {
  const { rows } = await db.query<DeviceIdentity>(
    `select t.tin, d.serial_number as "serialNumber" from devices d join taxpayers t using (taxpayer_id)
      where d.taxpayer_id = $1 and d.device_id = $2`,
    [taxpayerId, deviceId],
  );
  if (rows[0] === undefined) throw new Error(`there is no device ${deviceId}`);
  return rows[0];
}

export async function findDeviceOwner(db: Queryable, deviceId: number): Promise<string | undefined> {
  const text = 'select taxpayer_id as "taxpayerId" from devices where device_id = $1';
  return (await db.query<{ taxpayerId: string }>(text, [deviceId])).rows[0]?.taxpayerId;
}

export async function lockHead(tx: Transaction, taxpayerId: string, deviceId: number): Promise<Head | undefined> {
  const { rows } = await tx.query<HeadRow>(
    `select ${HEAD_COLUMNS} from device_heads h where h.taxpayer_id = $1 and h.device_id = $2 for update`,
    [taxpayerId, deviceId],
  );
  return rows[0] && headOfRow(rows[0]);
}

export function startDay(tx: Transaction, key: DeviceKey, fiscalDayNumber: number, dayOpenedAt: Date): Promise<void> {
  const day = { dayState: 'Opening', fiscalDayNumber, dayOpenedAt, fiscalDayCounter: 0, lastHash: null, dayVolume: 0 };
  return changeHead(tx, key, day);
}

export function setDayState(tx: Transaction, taxpayerId: string, deviceId: number, dayState: DayState): Promise<void> {
  return changeHead(tx, { taxpayerId, deviceId }, { dayState });
}

/** Every instance that locks the head sees that what it has cached is old. */
export function bumpRevision(tx: Transaction, key: DeviceKey): Promise<void> {
  return changeHead(tx, key, {}, NEW_REVISION);
}

export const NEW_REVISION = 'revision = revision + 1';

/** The caller holds its lock. */
export function changeHead(
  tx: Transaction,
  { taxpayerId, deviceId }: DeviceKey,
  change: object,
  ...more: readonly string[]
): Promise<void> {
  return update(tx, 'device_heads', { taxpayerId, deviceId }, change, ...more);
}

export interface DeviceOptions {
  readonly zone: string;
  readonly maintenanceStartMinute: number;
  readonly datePolicy: 'advance' | 'strict';
  readonly advanceLimitSeconds: number;
  readonly futureLimitSeconds: number;
}

/** The caller holds the head's lock; the new revision tells every instance that what it has cached is old. */
export async function updateDeviceSettings(tx: Transaction, device: DeviceKey, settings: DeviceOptions): Promise<void> {
  const { taxpayerId, deviceId } = device;
  await update(tx, 'devices', { taxpayerId, deviceId }, optionsOf(settings));
  await bumpRevision(tx, device);
}

/** No more than these, whatever else there is. */
export function optionsOf(options: DeviceOptions): DeviceOptions {
  const { zone, maintenanceStartMinute, datePolicy, advanceLimitSeconds, futureLimitSeconds } = options;
  return { zone, maintenanceStartMinute, datePolicy, advanceLimitSeconds, futureLimitSeconds };
}

/** Of a device, by the row of its head (aliased h). */
export const GIVEN_UP = lasts('h', ['GivenUp']);

/** What is seen at one glance, of all devices or of those of a taxpayer. Each statement reads as much as there are devices, or a bounded piece of an index. */
export async function countDevices(db: Queryable, taxpayerId?: string): Promise<Overview['Devices']> {
  const { rows } = await db.query<{ state: string; devices: number; blocked: number; stopped: number; red: number }>({
    name: 'count-devices',
    text: `select h.day_state as state, count(*)::integer as devices,
                  count(*) filter (where ${lasts('h', HOLD_KINDS)})::integer as blocked,
                  count(*) filter (where l.stopped_reason is not null)::integer as stopped,
                  count(*) filter (where h.day_state <> 'Closed' and exists (
                    select from submissions s
                     where s.taxpayer_id = h.taxpayer_id and s.device_id = h.device_id and s.worst_colour = 'Red'
                       and s.global_counter > h.global_counter - h.fiscal_day_counter))::integer as red
             from device_heads h
             left join device_lanes l using (taxpayer_id, device_id)
            where not ${GIVEN_UP} and ($1::uuid is null or h.taxpayer_id = $1)
            group by 1`,
    values: [taxpayerId],
  });
  const sum = (of: 'blocked' | 'stopped' | 'red') => rows.reduce((total, row) => total + row[of], 0);
  return {
    DayStates: Object.fromEntries(rows.map((row) => [row.state, row.devices])),
    Blocked: sum('blocked'),
    Stopped: sum('stopped'),
    Red: sum('red'),
    StoppedDayStates: Object.fromEntries(rows.flatMap((row) => (row.stopped > 0 ? [[row.state, row.stopped]] : []))),
  };
}

const DEADLINE = 'h.taxpayer_id as "TaxpayerId", h.device_id as "AuthorityDeviceId", d.zone as "Zone"';

type Ending = readonly [before: Date, limit: number, taxpayerId?: string];

/** Certificates in use that end before then, the first first. */
export function findExpiringCertificates(db: Queryable, ...ending: Ending): Promise<Deadline[]> {
  const keys = 'device_keys k using (taxpayer_id, device_id, key_version)';
  return findDeadlines(db, ending, 'k.certificate_valid_till', keys, GIVEN_UP);
}

/** Open days that reach the authority's maximum before then, the first first. */
export function findEndingDays(db: Queryable, ...ending: Ending): Promise<Deadline[]> {
  const end = 'h.day_opened_at + make_interval(hours => c.day_maximum_hours)';
  const configurations = 'device_configurations c using (taxpayer_id, device_id, configuration_version)';
  return findDeadlines(db, ending, end, configurations, "h.day_state = 'Closed'");
}

async function findDeadlines(
  db: Queryable,
  [before, limit, taxpayerId]: Ending,
  end: string,
  joined: string,
  unless: string,
): Promise<Deadline[]> {
  const { rows } = await db.query<Deadline>(
    `select ${DEADLINE}, ${instantText(end)} as "At"
       from device_heads h join devices d using (taxpayer_id, device_id) join ${joined}
      where ${end} < $1 and not (${unless}) and ($3::uuid is null or h.taxpayer_id = $3)
      order by ${end} limit $2`,
    [before, limit, taxpayerId],
  );
  return rows;
}

import { formatWall } from '../../kernel/zone.ts';
import { lasts } from '../../platform/alerts/store.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { DeviceOptions } from '../devices/store.ts';
import type { KeyAlgorithm } from '../signing/device-key.ts';

/** A device on its way to being registered: it has a key, perhaps a certificate, and no head yet. */
export interface PendingDevice {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly privateKeyEncrypted: Buffer;
  readonly certificatePem: string | null;
  readonly certificateValidTill: Date | null;
  readonly isRegistered: boolean;
  /** The authority refused the device when it was last asked. */
  readonly isRefused: boolean;
}

export async function findTin(db: Queryable, taxpayerId: string): Promise<string> {
  const { rows } = await db.query<{ tin: string }>('select tin from taxpayers where taxpayer_id = $1', [taxpayerId]);
  const tin = rows[0]?.tin;
  if (tin === undefined) throw new Error(`there is no taxpayer ${taxpayerId}`);
  return tin;
}

export interface NoteAbove {
  readonly reference: string;
  readonly originalGlobalCounter: number;
}

/** Notes that were sealed here for numbers of this device above the given one, as receipts of another system: the highest first. */
export async function findNotesAbove(
  db: Queryable,
  taxpayerId: string,
  deviceId: number,
  globalCounter: number,
): Promise<NoteAbove[]> {
  const { rows } = await db.query<NoteAbove>(
    `select reference, original_global_counter as "originalGlobalCounter" from receipts
      where original_device_id = $2 and original_global_counter > $3 and taxpayer_id is not distinct from $1
      order by original_global_counter desc, reference limit 5`,
    [taxpayerId, deviceId, globalCounter],
  );
  return rows;
}

export async function findPending(db: Queryable, deviceId: number): Promise<PendingDevice | undefined> {
  const { rows } = await db.query<PendingDevice>(
    `select d.taxpayer_id as "taxpayerId", d.device_id as "deviceId", k.private_key_encrypted as "privateKeyEncrypted",
            k.certificate_pem as "certificatePem", k.certificate_valid_till as "certificateValidTill",
            h.device_id is not null as "isRegistered", ${lasts('d', ['DeviceRefused', 'Refused'])} as "isRefused"
       from devices d
       join device_keys k on k.taxpayer_id = d.taxpayer_id and k.device_id = d.device_id and k.key_version = 1
       left join device_heads h on h.taxpayer_id = d.taxpayer_id and h.device_id = d.device_id
      where d.device_id = $1`,
    [deviceId],
  );
  return rows[0];
}

const REGISTRATION_LOCK = 7_411_002;

/** The same, when no other transaction is registering this device; none is until the end of this one. */
export async function lockPending(tx: Transaction, deviceId: number): Promise<PendingDevice | undefined> {
  await tx.query('select pg_advisory_xact_lock($1::integer, $2::integer)', [REGISTRATION_LOCK, deviceId]);
  return findPending(tx, deviceId);
}

export interface NewDevice extends DeviceOptions {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly serialNumber: string;
}

interface NewKey {
  readonly algorithm: KeyAlgorithm;
  readonly publicKeyPem: string;
  readonly privateKeyEncrypted: Buffer;
}

export async function insertPending(tx: Transaction, device: NewDevice, key: NewKey): Promise<void> {
  await tx.query(
    `insert into devices (taxpayer_id, device_id, serial_number, zone, maintenance_start_minute, date_policy,
                          advance_limit_seconds, future_limit_seconds)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    pendingValues(device),
  );
  await tx.query(
    `insert into device_keys (taxpayer_id, device_id, key_version, algorithm, public_key_pem, private_key_encrypted)
     values ($1, $2, 1, $3, $4, $5)`,
    [device.taxpayerId, device.deviceId, key.algorithm, key.publicKeyPem, key.privateKeyEncrypted],
  );
}

/** Sent again, perhaps corrected: what was asked for last is what counts. */
export async function updatePending(tx: Transaction, device: NewDevice): Promise<void> {
  await tx.query(
    `update devices
        set serial_number = $3, zone = $4, maintenance_start_minute = $5, date_policy = $6, advance_limit_seconds = $7,
            future_limit_seconds = $8
      where taxpayer_id = $1 and device_id = $2`,
    pendingValues(device),
  );
}

/** A device that is registered, and so has a head, stays: the database refuses. */
export async function deletePending(tx: Transaction, taxpayerId: string, deviceId: number): Promise<void> {
  await tx.query('delete from device_keys where taxpayer_id = $1 and device_id = $2', [taxpayerId, deviceId]);
  await tx.query('delete from devices where taxpayer_id = $1 and device_id = $2', [taxpayerId, deviceId]);
}

function pendingValues(device: NewDevice) {
  return [
    device.taxpayerId,
    device.deviceId,
    device.serialNumber,
    device.zone,
    device.maintenanceStartMinute,
    device.datePolicy,
    device.advanceLimitSeconds,
    device.futureLimitSeconds,
  ];
}

interface NewHead {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly configurationVersion: number;
  readonly fiscalDayNumber: number;
  readonly globalCounter: number;
  readonly lastWall: number | undefined;
}

/** From here on the device can seal: its head continues where the authority says it stands. */
export async function insertRegisteredHead(tx: Transaction, head: NewHead): Promise<void> {
  await tx.query(
    `insert into device_heads (taxpayer_id, device_id, revision, key_version, configuration_version, day_state,
                               fiscal_day_number, fiscal_day_counter, global_counter, last_date)
     values ($1, $2, 1, 1, $3, 'Closed', $4, 0, $5, $6)`,
    [
      head.taxpayerId,
      head.deviceId,
      head.configurationVersion,
      head.fiscalDayNumber,
      head.globalCounter,
      head.lastWall === undefined ? null : formatWall(head.lastWall),
    ],
  );
  await tx.query(
    'update devices set registered_counter = $3, registered_at = now() where taxpayer_id = $1 and device_id = $2',
    [head.taxpayerId, head.deviceId, head.globalCounter],
  );
}

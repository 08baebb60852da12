import { formatWall } from '../../kernel/zone.ts';
import { lasts } from '../../platform/alerts/store.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { insert, update } from '../../platform/database/rows.ts';
import { type DeviceOptions, optionsOf } from '../devices/store.ts';
import type { KeyAlgorithm } from '../signing/device-key.ts';

/** A device on its way to being registered: it has a key, perhaps a certificate, and no head yet. */
export interface PendingDevice {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly privateKeyEncrypted: Buffer;
  readonly certificatePem: string | null;
  readonly certificateValidTill: Date | null;
  readonly isRegistered: boolean;
  /** The authority refused the device when it was last asked, or its owner had given it up. */
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
            h.device_id is not null as "isRegistered", ${lasts('d', ['DeviceRefused', 'Refused', 'GivenUp'])} as "isRefused"
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
  const { taxpayerId, deviceId, serialNumber } = device;
  await insert(tx, 'devices', { taxpayerId, deviceId, serialNumber, ...optionsOf(device) });
  await insert(tx, 'device_keys', { taxpayerId, deviceId, keyVersion: 1, ...key });
}

/** Sent again, perhaps corrected: what was asked for last is what counts. */
export function updatePending(tx: Transaction, device: NewDevice): Promise<void> {
  const { taxpayerId, deviceId, serialNumber } = device;
  return update(tx, 'devices', { taxpayerId, deviceId }, { serialNumber, ...optionsOf(device) });
}

/** A device that is registered, and so has a head, stays: the database refuses. */
export async function deletePending(tx: Transaction, taxpayerId: string, deviceId: number): Promise<void> {
  await tx.query('delete from device_keys where taxpayer_id = $1 and device_id = $2', [taxpayerId, deviceId]);
  await tx.query('delete from devices where taxpayer_id = $1 and device_id = $2', [taxpayerId, deviceId]);
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
export async function insertRegisteredHead(tx: Transaction, { lastWall, ...head }: NewHead): Promise<void> {
  const lastDate = lastWall === undefined ? null : formatWall(lastWall);
  const closed = { revision: 1, keyVersion: 1, dayState: 'Closed', fiscalDayCounter: 0 };
  await insert(tx, 'device_heads', { ...head, ...closed, lastDate });
  const { taxpayerId, deviceId, globalCounter: registeredCounter } = head;
  await update(tx, 'devices', { taxpayerId, deviceId }, { registeredCounter }, 'registered_at = now()');
}

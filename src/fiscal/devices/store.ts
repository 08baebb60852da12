import { LRUCache } from 'lru-cache';
import { type Decimal, decimal } from '../../kernel/decimal.ts';
import type { Queryable, Transaction } from '../../platform/database.ts';
import type { Device, DeviceTax } from '../core/device.ts';
import type { DayState, Head } from '../core/head.ts';
import type { KeyAlgorithm } from '../device-key.ts';
import { HEAD_COLUMNS, type HeadRow, headOfRow } from './head-row.ts';

/** A device with its head as it stands now: for reads, and to notice what changed. */
export interface StoredDevice {
  readonly device: Device;
  readonly privateKeyEncrypted: Buffer;
  readonly certificatePem: string | undefined;
  readonly head: Head;
}

interface DeviceRow extends HeadRow {
  key_version: number;
  configuration_version: number;
  zone: string;
  maintenance_start_minute: number;
  date_policy: 'advance' | 'strict';
  advance_limit_seconds: number;
  future_limit_seconds: number;
  blocked_reason: string | null;
  serial_number: string;
  qr_url: string;
  day_maximum_hours: number;
  private_key_encrypted: Buffer;
  certificate_pem: string | null;
  certificate_valid_till: Date | null;
  all_taxes: string;
}

const DEVICES = `select ${HEAD_COLUMNS}, h.key_version, h.configuration_version, d.zone, d.maintenance_start_minute,
         d.date_policy, d.advance_limit_seconds, d.future_limit_seconds, d.blocked_reason, c.serial_number,
         c.qr_url, c.day_maximum_hours, k.private_key_encrypted, k.certificate_pem, k.certificate_valid_till,
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

function storedOfRow(row: DeviceRow): StoredDevice {
  return {
    device: deviceOfRow(row),
    privateKeyEncrypted: row.private_key_encrypted,
    certificatePem: row.certificate_pem ?? undefined,
    head: headOfRow(row),
  };
}

function deviceOfRow(row: DeviceRow): Device {
  return {
    taxpayerId: row.taxpayer_id,
    deviceId: row.device_id,
    revision: row.revision,
    keyVersion: row.key_version,
    configurationVersion: row.configuration_version,
    zone: row.zone,
    maintenanceStartMinute: row.maintenance_start_minute,
    datePolicy: row.date_policy,
    advanceLimitSeconds: row.advance_limit_seconds,
    futureLimitSeconds: row.future_limit_seconds,
    blockedReason: row.blocked_reason ?? undefined,
    serialNumber: row.serial_number,
    qrUrl: row.qr_url,
    dayMaximumHours: row.day_maximum_hours,
    certificateValidTill: row.certificate_valid_till ?? undefined,
    taxes: mergeTaxes(row.all_taxes),
  };
}

/** How a tax is kept in `device_configurations.taxes`; the percent is text, because jsonb numbers would become floats here. */
interface TaxRow {
  readonly taxId: number;
  readonly taxPercent: string | null;
  readonly taxName: string;
  readonly validFrom: string;
  readonly validTill: string | null;
}

/** The taxes of every configuration, newest first: the newest word on a tax id and percentage counts. */
function mergeTaxes(versions: string): readonly DeviceTax[] {
  const known = mergedTaxes.get(versions);
  if (known !== undefined) return known;
  const merged = new Map<string, DeviceTax>();
  for (const tax of (JSON.parse(versions) as TaxRow[][]).flat()) {
    const key = `${tax.taxId}:${tax.taxPercent}:${tax.validFrom}`;
    if (!merged.has(key)) {
      const taxPercent: Decimal | null = tax.taxPercent === null ? null : decimal(tax.taxPercent);
      merged.set(key, { ...tax, taxPercent, validTill: tax.validTill ?? undefined });
    }
  }
  const taxes = [...merged.values()];
  mergedTaxes.set(versions, taxes);
  return taxes;
}

/** Thousands of devices share a handful of tax tables. */
const mergedTaxes = new LRUCache<string, readonly DeviceTax[]>({ max: 100 });

export interface NewDevice {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly zone: string;
  readonly maintenanceStartMinute: number;
  readonly datePolicy: 'advance' | 'strict';
  readonly advanceLimitSeconds: number;
  readonly futureLimitSeconds: number;
  readonly key: {
    readonly algorithm: KeyAlgorithm;
    readonly publicKeyPem: string;
    readonly privateKeyEncrypted: Buffer;
  };
  readonly serialNumber: string;
  readonly qrUrl: string;
  readonly dayMaximumHours: number;
  readonly taxes: readonly TaxRow[];
}

export async function insertDevice(tx: Transaction, device: NewDevice): Promise<void> {
  const { taxpayerId, deviceId } = device;
  await tx.query(
    `insert into devices (taxpayer_id, device_id, zone, maintenance_start_minute, date_policy, advance_limit_seconds,
                          future_limit_seconds, registered_counter)
     values ($1, $2, $3, $4, $5, $6, $7, 0)`,
    [
      taxpayerId,
      deviceId,
      device.zone,
      device.maintenanceStartMinute,
      device.datePolicy,
      device.advanceLimitSeconds,
      device.futureLimitSeconds,
    ],
  );
  await tx.query(
    `insert into device_keys (taxpayer_id, device_id, key_version, algorithm, public_key_pem, private_key_encrypted)
     values ($1, $2, 1, $3, $4, $5)`,
    [taxpayerId, deviceId, device.key.algorithm, device.key.publicKeyPem, device.key.privateKeyEncrypted],
  );
  await tx.query(
    `insert into device_configurations (taxpayer_id, device_id, configuration_version, serial_number, qr_url,
                                        day_maximum_hours, taxes)
     values ($1, $2, 1, $3, $4, $5, $6)`,
    [taxpayerId, deviceId, device.serialNumber, device.qrUrl, device.dayMaximumHours, JSON.stringify(device.taxes)],
  );
  await tx.query(
    `insert into device_heads (taxpayer_id, device_id, revision, key_version, configuration_version, day_state,
                               fiscal_day_number, fiscal_day_counter, global_counter)
     values ($1, $2, 1, 1, 1, 'Closed', 0, 0, 0)`,
    [taxpayerId, deviceId],
  );
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

export async function setMaintenanceStart(
  tx: Transaction,
  taxpayerId: string,
  deviceId: number,
  minute: number,
): Promise<void> {
  await tx.query('update devices set maintenance_start_minute = $3 where taxpayer_id = $1 and device_id = $2', [
    taxpayerId,
    deviceId,
    minute,
  ]);
  await tx.query('update device_heads set revision = revision + 1 where taxpayer_id = $1 and device_id = $2', [
    taxpayerId,
    deviceId,
  ]);
}

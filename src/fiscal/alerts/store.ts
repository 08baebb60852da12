import {
  ALERT_KINDS,
  type AlertKind,
  type DEVICE_ALERTS,
  type INSTALLATION_ALERTS,
} from '../../contract/shared/values.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { DeviceKey } from '../core/keys.ts';

/** What an operator has to look at. */
type DeviceAlert = (typeof DEVICE_ALERTS)[number];

export interface Alert {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly kind: DeviceAlert;
  readonly subject: string;
  readonly message: string;
}

/** Raised once per matter; said again, it only brings the newest words. */
export function raiseAlert(tx: Transaction, alert: Alert): Promise<void> {
  return raiseAlerts(tx, [alert]);
}

export async function raiseAlerts(tx: Transaction, alerts: readonly Alert[]): Promise<void> {
  await tx.query(
    `insert into alerts (taxpayer_id, device_id, kind, subject, message)
     select * from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::text[])
     on conflict (taxpayer_id, kind, subject) where cleared_at is null do update set message = excluded.message`,
    columnsOf(alerts, 'taxpayerId', 'deviceId', 'kind', 'subject', 'message'),
  );
}

/** About a receipt: one for its device and day, which says how many there are and names the first and the newest. */
export async function raiseReceiptAlert(
  tx: Transaction,
  alert: Omit<Alert, 'subject'>,
  fiscalDayNumber: number,
  reference: string,
): Promise<void> {
  const { taxpayerId, deviceId, kind, message } = alert;
  await tx.query(
    `insert into alerts as a (taxpayer_id, device_id, kind, subject, message, first_reference) values ($1, $2, $3, $4, $5, $6)
     on conflict (taxpayer_id, kind, subject) where cleared_at is null do update set receipt_count = a.receipt_count + 1,
       message = format('%s receipts, the first is %s. The newest: %s', a.receipt_count + 1, a.first_reference, excluded.message)`,
    [taxpayerId, deviceId, kind, `receipts of day ${fiscalDayNumber} of device ${deviceId}`, message, reference],
  );
}

/** The matter is settled. */
export async function clearAlert(
  tx: Transaction,
  taxpayerId: string,
  kind: DeviceAlert,
  subject: string,
): Promise<void> {
  await tx.query(
    'update alerts set cleared_at = now() where taxpayer_id = $1 and kind = $2 and subject = $3 and cleared_at is null',
    [taxpayerId, kind, subject],
  );
}

/** Matters of this kind that may have been raised are settled, for one taxpayer or for all. */
export async function clearSubjects(
  tx: Queryable,
  kind: DeviceAlert,
  subjects: readonly string[],
  taxpayerId?: string,
): Promise<void> {
  await tx.query(
    `update alerts set cleared_at = now()
      where kind = $1 and subject = any ($2) and ($3::uuid is null or taxpayer_id = $3) and cleared_at is null`,
    [kind, subjects, taxpayerId ?? null],
  );
}

/** All matters of this kind are settled for the device, whichever receipts they were about. */
export async function clearDeviceAlerts(tx: Transaction, key: DeviceKey, kind: DeviceAlert): Promise<void> {
  await tx.query(
    'update alerts set cleared_at = now() where taxpayer_id = $1 and device_id = $2 and kind = $3 and cleared_at is null',
    [key.taxpayerId, key.deviceId, kind],
  );
}

/** Of all tenants: one for a kind. */
const INSTALLATION = 'installation';
type InstallationAlert = (typeof INSTALLATION_ALERTS)[number];

export async function raiseInstallationAlert(tx: Queryable, kind: InstallationAlert, message: string): Promise<void> {
  await tx.query(
    `insert into alerts (kind, subject, message) values ($1, $2, $3)
     on conflict (kind, subject) where cleared_at is null and taxpayer_id is null and vendor_id is null
     do update set message = excluded.message`,
    [kind, INSTALLATION, message],
  );
}

export async function isInstallationAlertOpen(db: Queryable, kind: InstallationAlert): Promise<boolean> {
  const { rows } = await db.query(
    `select from alerts where kind = $1 and taxpayer_id is null and vendor_id is null and cleared_at is null`,
    [kind],
  );
  return rows.length > 0;
}

export async function clearInstallationAlert(tx: Queryable, kind: InstallationAlert): Promise<void> {
  await tx.query(
    `update alerts set cleared_at = now()
      where kind = $1 and subject = $2 and taxpayer_id is null and vendor_id is null and cleared_at is null`,
    [kind, INSTALLATION],
  );
}

export interface AlertRecord {
  readonly alertId: bigint;
  /** Null: a matter of a vendor, or of the whole installation. */
  readonly taxpayerId: string | null;
  readonly vendorId: string | null;
  readonly deviceId: number | null;
  readonly kind: AlertKind;
  readonly subject: string;
  readonly message: string;
  readonly raisedAt: Date;
  readonly acknowledgedAt: Date | null;
  readonly acknowledgedBy: string | null;
  readonly clearedAt: Date | null;
}

const ALERT = `alert_id as "alertId", taxpayer_id as "taxpayerId", vendor_id as "vendorId", device_id as "deviceId", kind, subject, message,
  raised_at as "raisedAt", acknowledged_at as "acknowledgedAt", acknowledged_by as "acknowledgedBy", cleared_at as "clearedAt"`;

export async function listAlerts(
  db: Queryable,
  filter: {
    readonly isOpenOnly: boolean;
    readonly taxpayerId: string | undefined;
    readonly before: bigint | undefined;
  },
  limit: number,
): Promise<AlertRecord[]> {
  const { rows } = await db.query<AlertRecord>(
    `select ${ALERT} from alerts
      where (not $1 or cleared_at is null) and ($2::uuid is null or taxpayer_id = $2)
        and ($3::bigint is null or alert_id < $3)
      order by alert_id desc limit $4`,
    [filter.isOpenOnly, filter.taxpayerId, filter.before, limit],
  );
  return rows;
}

export async function acknowledgeAlert(tx: Transaction, alertId: bigint, by: string): Promise<AlertRecord | undefined> {
  const { rows } = await tx.query<AlertRecord>(
    `update alerts set acknowledged_at = coalesce(acknowledged_at, now()), acknowledged_by = coalesce(acknowledged_by, $2)
      where alert_id = $1 returning ${ALERT}`,
    [alertId, by],
  );
  return rows[0];
}

/** How many are not settled, of each kind, and how many of all nobody has acknowledged. */
export async function countOpenAlerts(
  db: Queryable,
): Promise<{ readonly unacknowledged: number; readonly byKind: Readonly<Record<AlertKind, number>> }> {
  const { rows } = await db.query<{ kind: AlertKind; open: number; unacknowledged: number }>(
    `select kind, count(*)::integer as open, count(*) filter (where acknowledged_at is null)::integer as unacknowledged
       from alerts where cleared_at is null group by kind`,
  );
  const none = Object.fromEntries(ALERT_KINDS.map((kind) => [kind, 0])) as Record<AlertKind, number>;
  return {
    unacknowledged: rows.reduce((sum, row) => sum + row.unacknowledged, 0),
    byKind: { ...none, ...Object.fromEntries(rows.map(({ kind, open }) => [kind, open])) },
  };
}

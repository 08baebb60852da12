import {
  ALERT_KINDS,
  type AlertKind,
  alertKindOf,
  KINDS,
  type Kind,
  SILENT_KINDS,
} from '../../contract/shared/kinds.ts';
import { textsOf } from '../../platform/alerts/store.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { DeviceKey } from '../core/keys.ts';

/** What is one for all receipts of a device's day, and says how many there are and which was the first. */
export async function raiseForReceipt(
  tx: Transaction,
  kind: 'ReceiptRed' | 'SignatureInvalid',
  { taxpayerId, deviceId, fiscalDayNumber }: DeviceKey & { readonly fiscalDayNumber: number },
  reference: string,
  message: string,
): Promise<void> {
  await tx.query(
    `insert into alerts as a (taxpayer_id, device_id, kind, what, message, data)
     values ($1, $2, $3, $4, $5, jsonb_build_object('first', $6::text, 'count', 1))
     on conflict (tenant_id, device_id, kind, what) where cleared_at is null do update
       set data = jsonb_set(a.data, '{count}', to_jsonb((a.data ->> 'count')::integer + 1)),
           message = format('%s receipts, the first is %s. The newest: %s', (a.data ->> 'count')::integer + 1, a.data ->> 'first', excluded.message)`,
    [taxpayerId, deviceId, kind, `receipts of day ${fiscalDayNumber}`, message, reference],
  );
}

export interface AlertRecord {
  readonly alertId: bigint;
  /** Null: a matter of a vendor, or of the whole installation. */
  readonly taxpayerId: string | null;
  readonly vendorId: string | null;
  readonly deviceId: number | null;
  readonly kind: Kind;
  readonly what: string | null;
  readonly message: string;
  readonly raisedAt: Date;
  readonly acknowledgedAt: Date | null;
  readonly acknowledgedBy: string | null;
  readonly clearedAt: Date | null;
}

const ALERT = `alert_id as "alertId", taxpayer_id as "taxpayerId", vendor_id as "vendorId", device_id as "deviceId", kind,
  coalesce(what, data ->> 'endpointId') as what, message, raised_at as "raisedAt", acknowledged_at as "acknowledgedAt",
  acknowledged_by as "acknowledgedBy", cleared_at as "clearedAt"`;
const IS_ALERT = `kind not in (${textsOf(SILENT_KINDS)})`;

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
      where ${IS_ALERT} and (not $1 or cleared_at is null) and ($2::uuid is null or taxpayer_id = $2)
        and ($3::bigint is null or alert_id < $3)
      order by alert_id desc limit $4`,
    [filter.isOpenOnly, filter.taxpayerId, filter.before, limit],
  );
  return rows;
}

export async function acknowledgeAlert(tx: Transaction, alertId: bigint, by: string): Promise<AlertRecord | undefined> {
  const { rows } = await tx.query<AlertRecord>(
    `update alerts set acknowledged_at = coalesce(acknowledged_at, now()), acknowledged_by = coalesce(acknowledged_by, $2)
      where alert_id = $1 and ${IS_ALERT} returning ${ALERT}`,
    [alertId, by],
  );
  return rows[0];
}

/** What it is about, in a few words. */
export function subjectOf({ kind, deviceId, what }: Pick<AlertRecord, 'kind' | 'deviceId' | 'what'>): string {
  const { one } = KINDS[kind];
  const words = what === null ? one.replace(/^\{what\} o[fn] /, '') : one.replace('{what}', () => what);
  return words.replace('{device}', `device ${deviceId}`);
}

/** How many are not settled, of each kind, and how many of all nobody has acknowledged. */
export async function countOpenAlerts(
  db: Queryable,
): Promise<{ readonly unacknowledged: number; readonly byKind: Readonly<Record<AlertKind, number>> }> {
  const { rows } = await db.query<{ kind: Kind; open: number; unacknowledged: number }>(
    `select kind, count(*)::integer as open, count(*) filter (where acknowledged_at is null)::integer as unacknowledged
       from alerts where cleared_at is null and ${IS_ALERT} group by kind`,
  );
  const byKind = Object.fromEntries(ALERT_KINDS.map((kind) => [kind, 0])) as Record<AlertKind, number>;
  for (const { kind, open } of rows) byKind[alertKindOf(kind)] += open;
  return { unacknowledged: rows.reduce((sum, row) => sum + row.unacknowledged, 0), byKind };
}

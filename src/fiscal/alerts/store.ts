import type { Outage } from '../../contract/fiscal/alert.ts';
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
import { OUTAGE_OF_ALERT, TO_ACQUIT } from './outage-store.ts';

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
  readonly outage: Outage | null;
}

const IS_ALERT = `a.kind not in (${textsOf(SILENT_KINDS)})`;
const ALERTS = `select a.alert_id as "alertId", a.taxpayer_id as "taxpayerId", a.vendor_id as "vendorId", a.device_id as "deviceId", a.kind,
    coalesce(a.what, a.data ->> 'endpointId') as what, a.message, a.raised_at as "raisedAt", a.acknowledged_at as "acknowledgedAt",
    a.acknowledged_by as "acknowledgedBy", a.cleared_at as "clearedAt", ${OUTAGE_OF_ALERT} as outage
  from alerts a where ${IS_ALERT}`;

export interface AlertFilter {
  /** Not settled, or with something that is still to be told to the authority. */
  readonly isOpenOnly: boolean;
  readonly taxpayerId?: string | undefined;
  readonly deviceId?: number | undefined;
  readonly before?: bigint | undefined;
}

/** The newest first. */
export async function listAlerts(db: Queryable, filter: AlertFilter, limit: number): Promise<AlertRecord[]> {
  const open = `a.alert_id in (select alert_id from alerts where cleared_at is null union all ${TO_ACQUIT})`;
  const { rows } = await db.query<StoredAlert>(
    `${ALERTS} ${filter.isOpenOnly ? `and ${open}` : ''} and ($1::uuid is null or a.taxpayer_id = $1)
       and ($2::integer is null or a.device_id = $2) and ($3::bigint is null or a.alert_id < $3)
     order by a.alert_id desc limit $4`,
    [filter.taxpayerId, filter.deviceId, filter.before, limit],
  );
  return rows.map(alertOf);
}

export async function findAlert(db: Queryable, alertId: bigint): Promise<AlertRecord | undefined> {
  const { rows } = await db.query<StoredAlert>(`${ALERTS} and a.alert_id = $1`, [alertId]);
  return rows.map(alertOf)[0];
}

type StoredAlert = Omit<AlertRecord, 'outage'> & { readonly outage: string | null };

function alertOf({ outage, ...alert }: StoredAlert): AlertRecord {
  return { ...alert, outage: outage === null ? null : (JSON.parse(outage) as Outage) };
}

export async function acknowledgeAlert(tx: Transaction, alertId: bigint, by: string): Promise<void> {
  await tx.query(
    `update alerts a set acknowledged_at = coalesce(acknowledged_at, now()), acknowledged_by = coalesce(acknowledged_by, $2)
      where alert_id = $1 and ${IS_ALERT}`,
    [alertId, by],
  );
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
       from alerts a where cleared_at is null and ${IS_ALERT} group by kind`,
  );
  const byKind = Object.fromEntries(ALERT_KINDS.map((kind) => [kind, 0])) as Record<AlertKind, number>;
  for (const { kind, open } of rows) byKind[alertKindOf(kind)] += open;
  return { unacknowledged: rows.reduce((sum, row) => sum + row.unacknowledged, 0), byKind };
}

import type { Alert } from '../../contract/fiscal/alert.ts';
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
import { instantText } from '../../platform/database/instant-text.ts';
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

type AlertRow = Omit<Alert, 'Kind' | 'Subject' | 'Outage'> & {
  readonly kind: Kind;
  readonly what: string | null;
  readonly outage: string | null;
};

const IS_ALERT = `a.kind not in (${textsOf(SILENT_KINDS)})`;
const ALERTS = `select a.alert_id::text as "Number", a.taxpayer_id as "TaxpayerId", a.vendor_id as "VendorId",
    a.device_id as "AuthorityDeviceId", a.message as "Message", ${instantText('a.raised_at')} as "RaisedAt",
    ${instantText('a.acknowledged_at')} as "AcknowledgedAt", a.acknowledged_by as "AcknowledgedBy",
    ${instantText('a.cleared_at')} as "ClearedAt", a.kind, coalesce(a.what, a.data ->> 'endpointId') as what, ${OUTAGE_OF_ALERT} as outage
  from alerts a where ${IS_ALERT}`;

export interface AlertFilter {
  /** Not settled, or with something that is still to be told to the authority. */
  readonly isOpenOnly: boolean;
  readonly taxpayerId?: string | undefined;
  readonly deviceId?: number | undefined;
  readonly before?: bigint | undefined;
}

/** The newest first. */
export async function listAlerts(db: Queryable, filter: AlertFilter, limit: number): Promise<Alert[]> {
  const open = `a.alert_id in (select alert_id from alerts where cleared_at is null union all ${TO_ACQUIT})`;
  const { rows } = await db.query<AlertRow>(
    `${ALERTS} ${filter.isOpenOnly ? `and ${open}` : ''} and ($1::uuid is null or a.taxpayer_id = $1)
       and ($2::integer is null or a.device_id = $2) and ($3::bigint is null or a.alert_id < $3)
     order by a.alert_id desc limit $4`,
    [filter.taxpayerId, filter.deviceId, filter.before, limit],
  );
  return rows.map(alertOf);
}

export async function findAlert(db: Queryable, alertId: bigint): Promise<Alert | undefined> {
  const { rows } = await db.query<AlertRow>(`${ALERTS} and a.alert_id = $1`, [alertId]);
  return rows.map(alertOf)[0];
}

function alertOf({ kind, what, outage, ...alert }: AlertRow): Alert {
  const Outage = outage === null ? null : (JSON.parse(outage) as Alert['Outage']);
  return { ...alert, Kind: alertKindOf(kind), Subject: subjectOf(kind, alert.AuthorityDeviceId, what), Outage };
}

export async function acknowledgeAlert(tx: Transaction, alertId: bigint, by: string): Promise<void> {
  await tx.query(
    `update alerts a set acknowledged_at = coalesce(acknowledged_at, now()), acknowledged_by = coalesce(acknowledged_by, $2)
      where alert_id = $1 and ${IS_ALERT}`,
    [alertId, by],
  );
}

/** What it is about, in a few words. */
function subjectOf(kind: Kind, deviceId: number | null, what: string | null): string {
  const { one } = KINDS[kind];
  const words = what === null ? one.replace(/^\{what\} o[fn] /, '') : one.replace(/\{(?:what|endpoint)\}/, () => what);
  return words.replace('{device}', `device ${deviceId}`);
}

/** How many are not settled, of each kind, and how many of all nobody has acknowledged. */
export async function countOpenAlerts(
  db: Queryable,
  taxpayerId?: string,
): Promise<{ readonly unacknowledged: number; readonly byKind: Readonly<Record<AlertKind, number>> }> {
  const { rows } = await db.query<{ kind: Kind; open: number; unacknowledged: number }>(
    `select kind, count(*)::integer as open, count(*) filter (where acknowledged_at is null)::integer as unacknowledged
       from alerts a where cleared_at is null and ${IS_ALERT} and ($1::uuid is null or taxpayer_id = $1) group by kind`,
    [taxpayerId],
  );
  const byKind = Object.fromEntries(ALERT_KINDS.map((kind) => [kind, 0])) as Record<AlertKind, number>;
  for (const { kind, open } of rows) byKind[alertKindOf(kind)] += open;
  return { unacknowledged: rows.reduce((sum, row) => sum + row.unacknowledged, 0), byKind };
}

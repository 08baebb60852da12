import type { Kind } from '../contract/shared/kinds.ts';
import { columnsOf } from '../platform/database/column-arrays.ts';
import { type Queryable, type Transaction, UNHURRIED } from '../platform/database/database.ts';
import { INSTALLATION_ID } from '../platform/events/feed.ts';

export interface Unannounced {
  readonly alertId: bigint;
  readonly taxpayerId: string | null;
  readonly vendorId: string | null;
}

/** Whether it lasts, or was over so soon, is known after five seconds. What was just over is told of later. */
const TELL_AT = `coalesce(tell_at, raised_at + interval '5 seconds')`;
const UNANNOUNCED = `kind <> 'Operator' and (announced_at is null and (${TELL_AT} <= now() or cleared_at is not null)
        or cleared_at is not null and solved_announced_at is null)`;
/** No event can be made then. Who tried would hold the alerts, also against whoever tells people of it. */
const COMMITS_WAIT = `select from alerts where tenant_id = '${INSTALLATION_ID}' and kind = 'CommitsWait' and cleared_at is null`;

export async function findUnannounced(db: Queryable, limit: number): Promise<Unannounced[]> {
  const { rows } = await db.query<Unannounced>({
    name: 'find-unannounced-alerts',
    text: `select alert_id as "alertId", taxpayer_id as "taxpayerId", vendor_id as "vendorId" from alerts
            where ${UNANNOUNCED} and not exists (${COMMITS_WAIT}) order by alert_id limit $1`,
    values: [limit],
  });
  return rows;
}

export interface NewsOfAlert extends Unannounced {
  readonly deviceId: number | null;
  readonly tenantName: string | null;
  readonly kind: Kind;
  readonly endpointId: string | null;
  readonly message: string;
  readonly raisedAt: Date;
  readonly clearedAt: Date | null;
  readonly isAnnounced: boolean;
  /** It was over before anybody was to be told, and had not lasted for hours before it could be raised. */
  readonly isBrief: boolean;
}

const NEWS = `a.alert_id as "alertId", a.taxpayer_id as "taxpayerId", a.vendor_id as "vendorId", a.device_id as "deviceId",
  coalesce((select t.name from taxpayers t where t.taxpayer_id = a.taxpayer_id),
           (select v.name from vendors v where v.vendor_id = a.vendor_id)) as "tenantName",
  a.kind, case when a.kind in ('EndpointFailing', 'EndpointPaused') then coalesce(a.what, a.data ->> 'endpointId') end as "endpointId", a.message, a.raised_at as "raisedAt", a.cleared_at as "clearedAt"`;

/** Those of them that nobody else is at: whoever holds one is not waited for. */
export async function lockUnannounced(tx: Transaction, alerts: readonly Unannounced[]): Promise<NewsOfAlert[]> {
  const { rows } = await tx.query<NewsOfAlert>(
    `select ${NEWS}, announced_at is not null as "isAnnounced",
            announced_at is null and kind not in ('CommitsWait', 'ReportDue') and coalesce(cleared_at < ${TELL_AT}, false) as "isBrief"
       from alerts a where alert_id = any ($1) and ${UNANNOUNCED}
      order by alert_id for update of a skip locked`,
    columnsOf(alerts, 'alertId'),
  );
  return rows;
}

export async function markAnnounced(tx: Transaction, alerts: readonly Unannounced[]): Promise<void> {
  await tx.query(
    `update alerts set announced_at = coalesce(announced_at, now()), solved_announced_at = case when cleared_at is not null then now() end
      where alert_id = any ($1)`,
    columnsOf(alerts, 'alertId'),
  );
}

/** CommitsWait, begun or over, for one instance, when it is to be told: after a minute. Should that die, or nobody take it, again after two. */
export async function claimTelling(db: Queryable, now: Date): Promise<NewsOfAlert | undefined> {
  const { rows } = await db.query<NewsOfAlert>(
    `with due as (
       select alert_id from alerts
        where kind = 'CommitsWait'
          and case when cleared_at is null then coalesce(tell_at, raised_at + interval '1 minute') <= $1 else tell_at is not null end
          for update skip locked)
     update alerts a set tell_at = case when cleared_at is null then $1::timestamptz + interval '2 minutes' end from due, ${UNHURRIED}
      where a.alert_id = due.alert_id returning ${NEWS}, a.cleared_at is not null as "isAnnounced", false as "isBrief"`,
    [now],
  );
  return rows[0];
}

/** Again in an hour. */
export async function noteTold(db: Queryable, { alertId }: Unannounced, now: Date): Promise<void> {
  await db.query(
    `update alerts set tell_at = $2::timestamptz + interval '1 hour' from ${UNHURRIED} where alert_id = $1 and cleared_at is null`,
    [alertId, now],
  );
}

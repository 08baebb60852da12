import type * as contract from '../../contract/fiscal/alert.ts';
import { HOLD_KINDS, REPORTED_KINDS } from '../../contract/shared/kinds.ts';
import { lasts, textsOf } from '../../platform/alerts/store.ts';
import { seconds } from '../../platform/clock.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';
import type { DeviceKey } from '../core/keys.ts';
import { type Outage, REPORT_AFTER_SECONDS, type Standing } from '../core/outage.ts';
import { HOLDS, holdsOfText } from '../devices/device-row.ts';
import { GIVEN_UP } from '../devices/store.ts';

/** Of an alert (a): whether the law wants a report when it lasts. */
const IS_REPORTED = `a.kind in (${textsOf(REPORTED_KINDS)})`;

/** Under which name instances look one at a time, and operators wait for a look before they write to an outage. */
export const LOOK = 'outages';

export type Suspect = DeviceKey &
  Omit<Standing, 'outlook'> & {
    /** Given up, or of a taxpayer that is suspended: it is not meant to sell. */
    readonly isAtRest: boolean;
    readonly outage: (Outage & { readonly outageId: number }) | undefined;
  };

type SuspectRow = Omit<Suspect, 'holds' | 'dayOpenedAtSeconds' | 'certificateValidTill' | 'outage'> & {
  readonly holds: string | null;
  readonly openedAt: Date | null;
  readonly validTill: Date | null;
  readonly outage: string | null;
};

/** Registered devices whose row looks as if they could not seal, all while commits wait, and those that could not; whether it is so is decided with the clock. */
export async function findSuspects(tx: Transaction, now: Date, after: number, limit: number): Promise<Suspect[]> {
  const { rows } = await tx.query<SuspectRow>(
    `select h.taxpayer_id as "taxpayerId", h.device_id as "deviceId", h.day_state as "dayState", h.day_opened_at as "openedAt",
            h.fiscal_day_number as "fiscalDayNumber", d.zone, d.maintenance_start_minute as "maintenanceStartMinute",
            t.suspended_at is not null or ${GIVEN_UP} as "isAtRest", c.day_maximum_hours as "dayMaximumHours", k.certificate_valid_till as "validTill", ${HOLDS},
            floor(extract(epoch from w.since))::float8 as "commitsWaitSince",
            case when u.outage_id is not null then json_build_object('outageId', u.outage_id, 'code', u.code, 'problem', u.problem,
              'beganAtSeconds', extract(epoch from u.began_at), 'isTold', u.alert_id is not null,
              'isReminded', u.reminded_at is not null, 'isReported', u.reference_number is not null) end as outage
       from device_heads h
       join devices d using (taxpayer_id, device_id)
       join device_lanes l using (taxpayer_id, device_id)
       join device_keys k using (taxpayer_id, device_id, key_version)
       join device_configurations c using (taxpayer_id, device_id, configuration_version)
       join taxpayers t using (taxpayer_id)
       left join outages u on u.device_id = h.device_id and u.ended_at is null
      left join alerts w on w.kind = 'CommitsWait' and w.cleared_at is null
      where d.device_id > $2
        and (u.outage_id is not null
             or (t.suspended_at is null
                 and (w.alert_id is not null or h.day_state not in ('Opened', 'CloseFailed') or k.certificate_valid_till <= $1
                      or h.day_opened_at + make_interval(hours => c.day_maximum_hours) < $1
                      or ${lasts('h', HOLD_KINDS)})))
      order by d.device_id limit $3`,
    [now, after, limit],
  );
  return rows.map(({ holds, openedAt, validTill, outage, ...row }) => ({
    ...row,
    holds: holdsOfText(holds),
    dayOpenedAtSeconds: openedAt === null ? undefined : seconds(openedAt),
    certificateValidTill: validTill ?? undefined,
    outage: outage === null ? undefined : (JSON.parse(outage) as Suspect['outage']),
  }));
}

/** Those that have begun, or whose words have changed. */
export async function saveOutages(tx: Transaction, outages: readonly (DeviceKey & Outage)[], now: Date): Promise<void> {
  await tx.query(
    `insert into outages as o (taxpayer_id, device_id, code, problem, began_at, reminded_at)
     select s.taxpayer_id, s.device_id, s.code, s.problem, to_timestamp(s.began_at), case when s.is_reminded then $7::timestamptz end
       from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::float8[], $6::boolean[])
            as s (taxpayer_id, device_id, code, problem, began_at, is_reminded)
     on conflict (device_id) where ended_at is null do update
        set code = excluded.code, problem = excluded.problem, reminded_at = coalesce(o.reminded_at, excluded.reminded_at)`,
    [...columnsOf(outages, 'taxpayerId', 'deviceId', 'code', 'problem', 'beganAtSeconds', 'isReminded'), now],
  );
}

/** Links them to their alerts, from which they are found afterwards. */
export async function noteTold(tx: Transaction, outages: readonly DeviceKey[]): Promise<void> {
  await tx.query(
    `update outages o set alert_id = a.alert_id from alerts a
      where o.device_id = any ($1) and o.ended_at is null and o.alert_id is null
        and a.tenant_id = o.taxpayer_id and a.device_id = o.device_id and ${IS_REPORTED} and a.cleared_at is null`,
    columnsOf(outages, 'deviceId'),
  );
}

/** Over. What nobody was told of was a moment only. */
export async function endOutages(tx: Transaction, outageIds: readonly number[], now: Date): Promise<void> {
  await tx.query('delete from outages where outage_id = any ($1) and alert_id is null', [outageIds]);
  await tx.query('update outages set ended_at = $2 where outage_id = any ($1)', [outageIds, now]);
}

/** The one that an alert (a) is about. */
const OF_ALERT = `case when ${IS_REPORTED} then (select u.outage_id from outages u where u.alert_id = a.alert_id)
  when a.kind = 'ReportDue' then (select u.outage_id from outages u where u.device_id = a.device_id and u.ended_at is null and a.cleared_at is null) end`;
const FIELDS = `c.serial_number as "SerialNumber", o.code as "Code", o.problem as "Problem", ${instantText('o.began_at')} as "BeganAt",
  ${instantText(`o.began_at + interval '${REPORT_AFTER_SECONDS} seconds'`)} as "ReportDueAt", ${instantText('o.ended_at')} as "EndedAt",
  o.sales_recording as "SalesRecording", o.reference_number as "ReferenceNumber", ${instantText('o.reported_at')} as "ReportedAt",
  ${instantText('o.acquitted_at')} as "AcquittedAt"`;
const OUTAGES = `outages o
  join devices d using (taxpayer_id, device_id)
  join device_heads h using (taxpayer_id, device_id)
  join device_configurations c using (taxpayer_id, device_id, configuration_version)`;

/** As JSON. */
export const OUTAGE_OF_ALERT = `(select row_to_json(x)::text from (select ${FIELDS} from ${OUTAGES} where o.outage_id = ${OF_ALERT}) x)`;
/** Open work still, although the device works again. */
export const TO_ACQUIT =
  'select alert_id from outages where ended_at is not null and reference_number is not null and acquitted_at is null';

/** As it is reported: on the clock of its shop. */
export type ReportedOutage = DeviceKey & contract.Outage & { readonly zone: string };
const REPORTED = `select o.taxpayer_id as "taxpayerId", o.device_id as "deviceId", d.zone, ${FIELDS} from ${OUTAGES}`;
/** More devices of one taxpayer than a report would name. */
const MOST_REPORTED = 200;

/** The one of an alert, and the others that its taxpayer's devices are in now. */
export async function listReported(db: Queryable, alertId: bigint): Promise<ReportedOutage[]> {
  const { rows } = await db.query<ReportedOutage>(
    `with one as (select ${OF_ALERT} as outage_id, taxpayer_id from alerts a where alert_id = $1)
     ${REPORTED} cross join one
      where o.outage_id = one.outage_id or (o.taxpayer_id = one.taxpayer_id and o.ended_at is null and o.alert_id is not null)
      order by o.outage_id = one.outage_id desc, o.outage_id desc limit ${MOST_REPORTED}`,
    [alertId],
  );
  return rows;
}

/** The one that the device is in. */
export async function findLasting(db: Queryable, deviceId: number): Promise<ReportedOutage[]> {
  return (await db.query<ReportedOutage>(`${REPORTED} where o.device_id = $1 and o.ended_at is null`, [deviceId])).rows;
}

/** What operators say of it. While it is not reported, the next look reminds again, with the newest words. */
export async function updateOutage(tx: Transaction, alertId: bigint, outage: contract.Outage): Promise<void> {
  await tx.query(
    `update outages o set sales_recording = $2, reference_number = $3, reported_at = $4, acquitted_at = $5,
            reminded_at = case when $3::text is not null then reminded_at end
       from alerts a where a.alert_id = $1 and o.outage_id = ${OF_ALERT}`,
    [alertId, outage.SalesRecording, outage.ReferenceNumber, outage.ReportedAt, outage.AcquittedAt],
  );
}

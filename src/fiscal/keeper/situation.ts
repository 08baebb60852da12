import { seconds } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { DayRecord, LaneRecord, Situation } from '../core/next-step.ts';
import { findDevice } from '../devices/store.ts';
import type { Lease } from '../lanes/lease.ts';
import type { CarePauses } from './care-pauses.ts';

interface LaneRow {
  submitted_through: number;
  requested: 'open' | 'close' | null;
  reopen_after: Date | null;
  configuration_checked_at: Date | null;
  status_checked_at: Date | null;
  pinged_at: Date | null;
  ping_minutes: number;
  certificate_tried_at: Date | null;
  stopped_reason: string | null;
  attempts: number;
  is_refused: boolean;
  is_held: boolean;
  open_confirmed_at: Date | null;
  close_attempts: number | null;
  close_sent_at: Date | null;
  close_error: string | null;
}

export interface LaneSituation extends Situation {
  /** How often in a row the lane had to rest. */
  readonly failures: number;
}

/** Everything the next step depends on, read afresh before each: other instances and operators change it too. */
export async function readSituation(
  db: Queryable,
  lease: Lease,
  now: Date,
  carePauses: CarePauses,
): Promise<LaneSituation> {
  const { taxpayerId, deviceId } = lease;
  const [stored, { rows }] = await Promise.all([
    findDevice(db, taxpayerId, deviceId),
    db.query<LaneRow>({
      name: 'read-lane',
      text: `select l.submitted_through, l.requested, l.reopen_after, l.configuration_checked_at, l.status_checked_at,
                    l.pinged_at, l.ping_minutes, l.certificate_tried_at, l.stopped_reason, l.attempts,
                    d.open_confirmed_at, d.close_attempts, d.close_sent_at, d.close_error,
                    exists (select from alerts a
                             where a.taxpayer_id = l.taxpayer_id and a.kind = 'DeviceRefused'
                               and a.subject = 'device ' || l.device_id and a.cleared_at is null) as is_refused,
                    exists (select from alerts a
                             where a.taxpayer_id = l.taxpayer_id and a.kind in ('RestoredFromBackup', 'AuthorityAhead')
                               and a.subject = 'device ' || l.device_id and a.cleared_at is null) as is_held
               from device_lanes l
               join device_heads h using (taxpayer_id, device_id)
               left join fiscal_days d using (taxpayer_id, device_id, fiscal_day_number)
              where l.taxpayer_id = $1 and l.device_id = $2`,
      values: [taxpayerId, deviceId],
    }),
  ]);
  const row = rows[0];
  if (stored === undefined || row === undefined) throw new Error(`device ${deviceId} has a lane but no head`);
  return {
    device: stored.device,
    head: stored.head,
    day: dayOfRow(row),
    lane: laneOfRow(row),
    nowSeconds: seconds(now),
    careAfterSeconds: carePauses.of(deviceId, seconds(now)),
    failures: row.attempts,
  };
}

function dayOfRow(row: LaneRow): DayRecord | undefined {
  if (row.close_attempts === null) return undefined;
  return {
    isOpenConfirmed: row.open_confirmed_at !== null,
    closeAttempts: row.close_attempts,
    closeSentAtSeconds: secondsOf(row.close_sent_at),
    closeError: row.close_error ?? undefined,
  };
}

function laneOfRow(row: LaneRow): LaneRecord {
  return {
    submittedThrough: row.submitted_through,
    requested: row.requested ?? undefined,
    reopenAfterSeconds: secondsOf(row.reopen_after),
    configurationCheckedAtSeconds: secondsOf(row.configuration_checked_at),
    statusCheckedAtSeconds: secondsOf(row.status_checked_at),
    pingedAtSeconds: secondsOf(row.pinged_at),
    pingMinutes: row.ping_minutes,
    certificateTriedAtSeconds: secondsOf(row.certificate_tried_at),
    isStopped: row.stopped_reason !== null,
    isRefused: row.is_refused,
    isHeld: row.is_held,
  };
}

function secondsOf(date: Date | null): number | undefined {
  return date === null ? undefined : seconds(date);
}

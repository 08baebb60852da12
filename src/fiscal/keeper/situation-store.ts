import type { Pool } from 'pg';
import { type Clock, seconds } from '../../platform/clock.ts';
import { arraysOf, unnested } from '../../platform/database/column-arrays.ts';
import type { DeviceKey } from '../core/keys.ts';
import type { DayRecord, LaneRecord, Situation } from '../core/next-step.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';
import { HEAD_COLUMNS, type HeadRow, headOfRow } from '../devices/head-row.ts';
import { LANE_KEYS } from '../lanes/lease-store.ts';
import type { DevicePauses } from './device-pauses.ts';

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
  unclear: string[];
  is_to_compare: boolean;
  open_confirmed_at: Date | null;
  close_attempts: number | null;
  close_sent_at: Date | null;
  close_error: string | null;
}

export interface LaneSituation extends Situation {
  /** How often in a row the lane had to rest. */
  readonly failures: number;
}

interface SituationSource {
  readonly pool: Pool;
  readonly devices: DeviceRegistry;
  readonly clock: Clock;
  readonly carePauses: DevicePauses;
}

/** Everything the next step depends on, for many lanes with one statement. The device itself is known by its revision. */
export async function readSituations(
  { pool, devices, clock, carePauses }: SituationSource,
  lanes: readonly DeviceKey[],
): Promise<LaneSituation[]> {
  const { rows } = await pool.query<LaneRow & HeadRow>({
    name: 'read-lanes',
    text: `select ${HEAD_COLUMNS}, l.submitted_through, l.requested, l.reopen_after, l.configuration_checked_at,
                  l.status_checked_at, l.pinged_at, l.ping_minutes, l.certificate_tried_at, l.stopped_reason, l.attempts,
                  d.open_confirmed_at, d.close_attempts, d.close_sent_at, d.close_error,
                  exists (select from alerts a
                           where a.taxpayer_id = l.taxpayer_id and a.kind = 'DeviceRefused'
                             and a.subject = 'device ' || l.device_id and a.cleared_at is null) as is_refused,
                  array(select a.subject from alerts a
                         where a.taxpayer_id = l.taxpayer_id and a.kind = 'AnswerUnclear' and a.device_id = l.device_id
                           and a.cleared_at is null) as unclear,
                  l.compare_wanted_at is not null and l.status_checked_at is null as is_to_compare
             from ${unnested(LANE_KEYS, 1, 'k')}
             join device_lanes l using (taxpayer_id, device_id)
             join device_heads h using (taxpayer_id, device_id)
             left join fiscal_days d using (taxpayer_id, device_id, fiscal_day_number)`,
    values: arraysOf(LANE_KEYS, lanes),
  });
  const found = new Map(rows.map((row) => [row.device_id, row]));
  const now = seconds(clock());
  return Promise.all(
    lanes.map(async ({ taxpayerId, deviceId }) => {
      const row = found.get(deviceId);
      if (row === undefined) throw new Error(`device ${deviceId} has a lane but no head`);
      const { device } = await devices.at(pool, taxpayerId, deviceId, row.revision);
      return {
        device,
        head: headOfRow(row),
        day: dayOfRow(row),
        lane: laneOfRow(row),
        nowSeconds: now,
        careAfterSeconds: carePauses.of(deviceId, now),
        failures: row.attempts,
      };
    }),
  );
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
    unclear: row.unclear,
    isToCompare: row.is_to_compare,
  };
}

function secondsOf(date: Date | null): number | undefined {
  return date === null ? undefined : seconds(date);
}

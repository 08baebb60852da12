import type { Pool } from 'pg';
import { lasts } from '../../platform/alerts/store.ts';
import { seconds } from '../../platform/clock.ts';
import { arraysOf, unnested } from '../../platform/database/column-arrays.ts';
import type { Seen } from '../core/held-lane.ts';
import type { Lease } from '../core/lease.ts';
import type { DayRecord, LaneRecord } from '../core/next-step.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';
import { HEAD_COLUMNS, type HeadRow, headOfRow } from '../devices/head-row.ts';
import { LANE_KEYS, noticeWoken, WOKEN } from '../lanes/lease-store.ts';

interface LaneRow {
  submitted_through: number;
  requested: 'open' | 'close' | null;
  reopen_after: Date | null;
  configuration_checked_at: Date | null;
  status_checked_at: Date | null;
  pinged_at: Date | null;
  ping_minutes: number;
  certificate_tried_at: Date | null;
  tax_remark_at: Date | null;
  stopped_reason: string | null;
  attempts: number;
  is_refused: boolean;
  unclear: string[];
  is_to_compare: boolean;
  is_woken: boolean;
  open_confirmed_at: Date | null;
  close_attempts: number | null;
  close_sent_at: Date | null;
  close_error: string | null;
}

interface SituationSource {
  readonly pool: Pool;
  readonly devices: DeviceRegistry;
}

/** Everything the next step depends on, for many lanes with one statement. The device itself is known by its revision. */
export async function readSituations({ pool, devices }: SituationSource, leases: readonly Lease[]): Promise<Seen[]> {
  const found = await readRows(pool, leases);
  const woken = leases.filter(({ deviceId }) => found.get(deviceId)?.is_woken);
  if (woken.length > 0) {
    // Once more without the mark: whatever is not seen now will set it again.
    await noticeWoken(pool, woken);
    for (const [deviceId, row] of await readRows(pool, woken)) found.set(deviceId, row);
  }
  return Promise.all(
    leases.map(async ({ taxpayerId, deviceId }) => {
      const row = found.get(deviceId);
      if (row === undefined) throw new Error(`device ${deviceId} has a lane but no head`);
      const { device } = await devices.at(pool, taxpayerId, deviceId, row.revision);
      return { device, head: headOfRow(row), day: dayOfRow(row), lane: laneOfRow(row), failures: row.attempts };
    }),
  );
}

async function readRows(pool: Pool, leases: readonly Lease[]): Promise<Map<number, LaneRow & HeadRow>> {
  const { rows } = await pool.query<LaneRow & HeadRow>({
    name: 'read-lanes',
    text: `select ${HEAD_COLUMNS}, l.submitted_through, l.requested, l.reopen_after, l.configuration_checked_at,
                  l.status_checked_at, l.pinged_at, l.ping_minutes, l.certificate_tried_at, l.tax_remark_at, l.stopped_reason,
                  l.attempts,
                  d.open_confirmed_at, d.close_attempts, d.close_sent_at, d.close_error,
                  ${lasts('l', ['DeviceRefused', 'Refused'])} as is_refused,
                  array(select a.what from alerts a
                         where a.tenant_id = l.taxpayer_id and a.device_id = l.device_id and a.kind = 'AnswerUnclear'
                           and a.cleared_at is null) as unclear,
                  l.compare_wanted_at is not null and l.status_checked_at is null as is_to_compare,
                  l.next_step_at = ${WOKEN} as is_woken
             from ${unnested(LANE_KEYS, 1, 'k')}
             join device_lanes l using (taxpayer_id, device_id)
             join device_heads h using (taxpayer_id, device_id)
             left join fiscal_days d using (taxpayer_id, device_id, fiscal_day_number)`,
    values: arraysOf(LANE_KEYS, leases),
  });
  return new Map(rows.map((row) => [row.device_id, row]));
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
    taxRemarkAtSeconds: secondsOf(row.tax_remark_at),
    isStopped: row.stopped_reason !== null,
    isRefused: row.is_refused,
    unclear: row.unclear,
    isToCompare: row.is_to_compare,
  };
}

function secondsOf(date: Date | null): number | undefined {
  return date === null ? undefined : seconds(date);
}

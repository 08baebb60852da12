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

type LaneRow = Pick<
  LaneRecord,
  'submittedThrough' | 'pingMinutes' | 'isStopped' | 'isRefused' | 'unclear' | 'isToCompare'
> & {
  readonly requested: 'open' | 'close' | null;
  readonly reopenAfter: Date | null;
  readonly configurationCheckedAt: Date | null;
  readonly statusCheckedAt: Date | null;
  readonly pingedAt: Date | null;
  readonly certificateTriedAt: Date | null;
  readonly taxRemarkAt: Date | null;
  readonly attempts: number;
  readonly isWoken: boolean;
  readonly openConfirmedAt: Date | null;
  readonly closeAttempts: number | null;
  readonly closeSentAt: Date | null;
  readonly closeError: string | null;
};

interface SituationSource {
  readonly pool: Pool;
  readonly devices: DeviceRegistry;
}

/** Everything the next step depends on, for many lanes with one statement. The device itself is known by its revision. */
export async function readSituations({ pool, devices }: SituationSource, leases: readonly Lease[]): Promise<Seen[]> {
  const found = await readRows(pool, leases);
  const woken = leases.filter(({ deviceId }) => found.get(deviceId)?.isWoken);
  if (woken.length > 0) {
    // The mark is taken off before they are read again: what is written after that sets it again.
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
    text: `select ${HEAD_COLUMNS}, l.submitted_through as "submittedThrough", l.requested, l.reopen_after as "reopenAfter",
                  l.configuration_checked_at as "configurationCheckedAt", l.status_checked_at as "statusCheckedAt",
                  l.pinged_at as "pingedAt", l.ping_minutes as "pingMinutes", l.certificate_tried_at as "certificateTriedAt",
                  l.tax_remark_at as "taxRemarkAt", l.stopped_reason is not null as "isStopped", l.attempts,
                  d.open_confirmed_at as "openConfirmedAt", d.close_attempts as "closeAttempts", d.close_sent_at as "closeSentAt",
                  d.close_error as "closeError", ${lasts('l', ['DeviceRefused', 'Refused'])} as "isRefused",
                  array(select a.what from alerts a
                         where a.tenant_id = l.taxpayer_id and a.device_id = l.device_id and a.kind = 'AnswerUnclear'
                           and a.cleared_at is null) as unclear,
                  l.compare_wanted_at is not null and l.status_checked_at is null as "isToCompare",
                  l.next_step_at = ${WOKEN} as "isWoken"
             from ${unnested(LANE_KEYS, 1, 'k')}
             join device_lanes l using (taxpayer_id, device_id)
             join device_heads h using (taxpayer_id, device_id)
             left join fiscal_days d using (taxpayer_id, device_id, fiscal_day_number)`,
    values: arraysOf(LANE_KEYS, leases),
  });
  return new Map(rows.map((row) => [row.deviceId, row]));
}

function dayOfRow(row: LaneRow): DayRecord | undefined {
  if (row.closeAttempts === null) return undefined;
  return {
    isOpenConfirmed: row.openConfirmedAt !== null,
    closeAttempts: row.closeAttempts,
    closeSentAtSeconds: secondsOf(row.closeSentAt),
    closeError: row.closeError ?? undefined,
  };
}

function laneOfRow(row: LaneRow): LaneRecord {
  return {
    submittedThrough: row.submittedThrough,
    requested: row.requested ?? undefined,
    reopenAfterSeconds: secondsOf(row.reopenAfter),
    configurationCheckedAtSeconds: secondsOf(row.configurationCheckedAt),
    statusCheckedAtSeconds: secondsOf(row.statusCheckedAt),
    pingedAtSeconds: secondsOf(row.pingedAt),
    pingMinutes: row.pingMinutes,
    certificateTriedAtSeconds: secondsOf(row.certificateTriedAt),
    taxRemarkAtSeconds: secondsOf(row.taxRemarkAt),
    isStopped: row.isStopped,
    isRefused: row.isRefused,
    unclear: row.unclear,
    isToCompare: row.isToCompare,
  };
}

function secondsOf(date: Date | null): number | undefined {
  return date === null ? undefined : seconds(date);
}

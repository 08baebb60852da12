import { decimal } from '../../kernel/decimal.ts';
import { parseWall } from '../../kernel/zone.ts';
import { seconds } from '../../platform/clock.ts';
import type { Head } from '../core/head.ts';

/** The one mapping between a row of device_heads (aliased h) and a Head. */
export const HEAD_COLUMNS = `h.taxpayer_id as "taxpayerId", h.device_id as "deviceId", h.revision, h.day_state as "dayState",
  h.fiscal_day_number as "fiscalDayNumber", h.day_opened_at as "dayOpenedAt", h.fiscal_day_counter as "fiscalDayCounter",
  h.global_counter as "globalCounter", h.last_hash as "lastHash", h.last_date as "lastDate", h.day_volume as "dayVolume"`;

export type HeadRow = Omit<Head, 'dayOpenedAtSeconds' | 'lastHash' | 'lastWallSeconds' | 'dayVolume'> & {
  readonly dayOpenedAt: Date | null;
  readonly lastHash: Buffer | null;
  readonly lastDate: string | null;
  readonly dayVolume: string;
};

export function headOfRow(row: HeadRow): Head {
  return {
    taxpayerId: row.taxpayerId,
    deviceId: row.deviceId,
    revision: row.revision,
    dayState: row.dayState,
    fiscalDayNumber: row.fiscalDayNumber,
    dayOpenedAtSeconds: row.dayOpenedAt === null ? undefined : seconds(row.dayOpenedAt),
    fiscalDayCounter: row.fiscalDayCounter,
    globalCounter: row.globalCounter,
    lastHash: row.lastHash ?? undefined,
    lastWallSeconds: row.lastDate === null ? undefined : parseWall(row.lastDate),
    dayVolume: decimal(row.dayVolume),
  };
}

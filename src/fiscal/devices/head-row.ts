import { decimal } from '../../kernel/decimal.ts';
import { parseWall } from '../../kernel/zone.ts';
import { seconds } from '../../platform/clock.ts';
import type { DayState, Head } from '../core/head.ts';

/** The one mapping between a row of device_heads (aliased h) and a Head. */
export const HEAD_COLUMNS = `h.taxpayer_id, h.device_id, h.revision, h.day_state, h.fiscal_day_number, h.day_opened_at,
  h.fiscal_day_counter, h.global_counter, h.last_hash, h.last_date, h.day_volume`;

export interface HeadRow {
  taxpayer_id: string;
  device_id: number;
  revision: number;
  day_state: DayState;
  fiscal_day_number: number;
  day_opened_at: Date | null;
  fiscal_day_counter: number;
  global_counter: number;
  last_hash: Buffer | null;
  last_date: string | null;
  day_volume: string;
}

export function headOfRow(row: HeadRow): Head {
  return {
    taxpayerId: row.taxpayer_id,
    deviceId: row.device_id,
    revision: row.revision,
    dayState: row.day_state,
    fiscalDayNumber: row.fiscal_day_number,
    dayOpenedAtSeconds: row.day_opened_at === null ? undefined : seconds(row.day_opened_at),
    fiscalDayCounter: row.fiscal_day_counter,
    globalCounter: row.global_counter,
    lastHash: row.last_hash ?? undefined,
    lastWallSeconds: row.last_date === null ? undefined : parseWall(row.last_date),
    dayVolume: decimal(row.day_volume),
  };
}

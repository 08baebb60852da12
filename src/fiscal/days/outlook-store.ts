import { seconds } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database.ts';
import type { DayOutlook } from '../core/fiscal-day.ts';
import type { DayState } from '../core/head.ts';

/** How a device's day stands, and what keeps it from being opened or closed. */
export interface StoredOutlook extends DayOutlook {
  /** References of the day's receipts that the authority marked red, the first few: with one of them no closing succeeds. */
  readonly redReferences: readonly string[];
}

interface OutlookRow {
  day_state: DayState;
  requested: 'open' | 'close' | null;
  reopen_after: Date | null;
  is_held_up: boolean;
  red_references: string[];
}

/** Undefined when there is no such device. */
export async function readOutlook(
  db: Queryable,
  taxpayerId: string,
  deviceId: number,
): Promise<StoredOutlook | undefined> {
  const { rows } = await db.query<OutlookRow>({
    name: 'read-outlook',
    text: `select h.day_state, l.requested, l.reopen_after,
                  l.device_id is null or l.stopped_reason is not null
                    or (l.is_outage and h.day_state in ('Closing', 'CloseInitiated'))
                    or exists (select from alerts a
                                where a.taxpayer_id = h.taxpayer_id and a.subject = 'device ' || h.device_id
                                  and a.kind in ('DeviceRefused', 'RestoredFromBackup', 'AuthorityAhead', 'DayOpenElsewhere')
                                  and a.cleared_at is null) as is_held_up,
                  array(select r.reference
                          from submissions s join receipts r using (taxpayer_id, device_id, global_counter)
                         where s.taxpayer_id = h.taxpayer_id and s.device_id = h.device_id and s.worst_colour = 'Red'
                           and r.fiscal_day_number = h.fiscal_day_number
                         order by s.global_counter limit 5) as red_references
             from device_heads h left join device_lanes l using (taxpayer_id, device_id)
            where h.taxpayer_id = $1 and h.device_id = $2`,
    values: [taxpayerId, deviceId],
  });
  const row = rows[0];
  return row && outlookOfRow(row);
}

function outlookOfRow(row: OutlookRow): StoredOutlook {
  return {
    dayState: row.day_state,
    requested: row.requested ?? undefined,
    reopenAfterSeconds: row.reopen_after === null ? undefined : seconds(row.reopen_after),
    isHeldUp: row.is_held_up,
    redReferences: row.day_state === 'Closed' ? [] : row.red_references,
  };
}

import { formatWall } from '../../kernel/zone.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { DayState } from '../core/head.ts';
import type { AuthorityEnd, ChainEnd } from '../core/head-to-set.ts';
import type { HoldKind } from '../core/hold.ts';
import type { DeviceKey } from '../core/keys.ts';

export interface StoredEvidence {
  readonly holds: ReadonlySet<HoldKind>;
  readonly known: ChainEnd | undefined;
  readonly authority: (AuthorityEnd & { readonly at: Date }) | undefined;
  readonly submittedThrough: number;
}

/** What is known of the end of a held chain, besides its head. */
export async function readEvidence(db: Queryable, key: DeviceKey): Promise<StoredEvidence> {
  const { rows } = await db.query<{
    kinds: HoldKind[];
    known: string | null;
    submitted_through: number;
    authority_counter: number | null;
    authority_day: number | null;
    authority_day_status: string | null;
    status_checked_at: Date | null;
  }>(
    `select array(select o.kind from device_holds o where o.taxpayer_id = l.taxpayer_id and o.device_id = l.device_id) as kinds,
            (select o.known from device_holds o
              where o.taxpayer_id = l.taxpayer_id and o.device_id = l.device_id and o.kind = 'RowsLost') as known,
            l.submitted_through, l.authority_counter, l.authority_day, l.authority_day_status,
            -- An answer from before the hold may know less than the authority does by now.
            case when l.status_checked_at >= coalesce((select min(o.since) from device_holds o
                                               where o.taxpayer_id = l.taxpayer_id and o.device_id = l.device_id
                                                 and o.kind in ('RowsLost', 'AuthorityAhead')), '-infinity')
                 then l.status_checked_at end as status_checked_at
       from device_lanes l where l.taxpayer_id = $1 and l.device_id = $2`,
    [key.taxpayerId, key.deviceId],
  );
  const row = rows[0];
  const at = row?.status_checked_at ?? undefined;
  return {
    holds: new Set(row?.kinds),
    known: row?.known ? chainEndOf(row.known) : undefined,
    authority:
      row === undefined || at === undefined
        ? undefined
        : {
            globalCounter: row.authority_counter ?? 0,
            fiscalDayNumber: row.authority_day ?? 0,
            dayStatus: row.authority_day_status ?? '',
            at,
          },
    submittedThrough: row?.submitted_through ?? 0,
  };
}

/** As `putHold` keeps it. */
function chainEndOf(text: string): ChainEnd {
  const known = JSON.parse(text) as Omit<ChainEnd, 'hash'> & { readonly hash: string };
  return { ...known, hash: Buffer.from(known.hash, 'base64') };
}

export interface PlacedHead extends ChainEnd {
  readonly dayState: DayState;
}

/** The caller holds the lane's and the head's lock. */
export async function placeHead(tx: Transaction, key: DeviceKey, head: PlacedHead, at: Date): Promise<void> {
  await tx.query(
    `update device_heads
        set global_counter = $3, fiscal_day_number = $4, fiscal_day_counter = $5, last_hash = $6, last_date = $7,
            day_state = $8, day_opened_at = coalesce(day_opened_at, $9), revision = revision + 1
      where taxpayer_id = $1 and device_id = $2`,
    [
      key.taxpayerId,
      key.deviceId,
      head.globalCounter,
      head.fiscalDayNumber,
      head.fiscalDayCounter,
      head.hash ?? null,
      head.wallSeconds === undefined ? null : formatWall(head.wallSeconds),
      head.dayState,
      at,
    ],
  );
}

/** For good: what lies between is lost, and the last of it was this. */
export async function recordLost(
  tx: Transaction,
  key: DeviceKey,
  firstCounter: number,
  last: ChainEnd,
  at: Date,
): Promise<void> {
  await tx.query(
    `insert into lost_receipts (taxpayer_id, device_id, first_counter, last_counter, fiscal_day_number, fiscal_day_counter,
       hash, signed_date, set_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict do nothing`,
    [
      key.taxpayerId,
      key.deviceId,
      Math.min(firstCounter, last.globalCounter),
      last.globalCounter,
      last.fiscalDayNumber,
      last.fiscalDayCounter,
      last.hash ?? null,
      last.wallSeconds === undefined ? null : formatWall(last.wallSeconds),
      at,
    ],
  );
}

/** The last number of the lost receipts that this one is among. */
export async function findLostThrough(
  db: Queryable,
  key: DeviceKey,
  globalCounter: number,
): Promise<number | undefined> {
  const { rows } = await db.query<{ through: number | null }>(
    `select max(last_counter) as through from lost_receipts
      where taxpayer_id = $1 and device_id = $2 and $3 between first_counter and last_counter`,
    [key.taxpayerId, key.deviceId, globalCounter],
  );
  return rows[0]?.through ?? undefined;
}

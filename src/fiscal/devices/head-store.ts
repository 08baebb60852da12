import { formatWall } from '../../kernel/zone.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { insert } from '../../platform/database/rows.ts';
import type { ChainEnd, NewHead } from '../core/go-on.ts';
import type { DeviceKey } from '../core/keys.ts';
import { changeHead, NEW_REVISION } from './store.ts';

/** What is known of the end of a chain besides its head, and whether it is on hold for receipts that are missing here. */
export async function readEvidence(db: Queryable, key: DeviceKey) {
  const { rows } = await db.query<{
    isHeld: boolean;
    known: string | null;
    globalCounter: number;
    fiscalDayNumber: number;
    dayStatus: string;
    at: Date | null;
  }>(
    `select o.since is not null as "isHeld", o.known, coalesce(l.authority_counter, 0) as "globalCounter",
            coalesce(l.authority_day, 0) as "fiscalDayNumber", coalesce(l.authority_day_status, '') as "dayStatus",
            -- An answer from before the hold may know less than the authority does by now.
            case when l.status_checked_at >= coalesce(o.since, '-infinity') then l.status_checked_at end as at
       from device_lanes l
       left join lateral (select min(since) as since, max(data ->> 'known') as known from alerts h
                           where h.tenant_id = l.taxpayer_id and h.device_id = l.device_id
                             and h.kind in ('RowsLost', 'AuthorityAhead') and h.cleared_at is null) o on true
      where l.taxpayer_id = $1 and l.device_id = $2`,
    [key.taxpayerId, key.deviceId],
  );
  if (rows[0] === undefined) throw new Error(`device ${key.deviceId} has no lane`);
  const { isHeld, known, at, ...authority } = rows[0];
  return {
    isHeld,
    known: known === null ? undefined : chainEndOf(known),
    authority: at === null ? undefined : { ...authority, at },
  };
}

/** As `holdDevice` keeps it. */
function chainEndOf(text: string): ChainEnd {
  const known = JSON.parse(text) as Omit<ChainEnd, 'hash'> & { readonly hash: string };
  return { ...known, hash: Buffer.from(known.hash, 'base64') };
}

/** The caller holds the lane's and the head's lock. */
export async function placeHead(
  tx: Transaction,
  key: DeviceKey,
  head: NewHead,
  openedAt: Date | undefined,
): Promise<void> {
  const { globalCounter, fiscalDayNumber, fiscalDayCounter, hash: lastHash, wallSeconds, dayState } = head;
  const place = {
    globalCounter,
    fiscalDayNumber,
    fiscalDayCounter,
    lastHash,
    lastDate: wallText(wallSeconds),
    dayState,
  };
  await changeHead(tx, key, { ...place, ...(openedAt && { dayOpenedAt: openedAt }) }, NEW_REVISION);
}

/** For good: what lies between is lost, and the last of it was this. */
export async function recordLost(
  tx: Transaction,
  { taxpayerId, deviceId }: DeviceKey,
  firstCounter: number,
  last: ChainEnd,
  setAt: Date,
): Promise<void> {
  const { globalCounter: lastCounter, fiscalDayNumber, fiscalDayCounter, hash, wallSeconds } = last;
  const lost = {
    firstCounter: Math.min(firstCounter, lastCounter),
    lastCounter,
    fiscalDayNumber,
    fiscalDayCounter,
    hash,
  };
  const row = { taxpayerId, deviceId, ...lost, signedDate: wallText(wallSeconds), setAt };
  await insert(tx, 'lost_receipts', row, 'on conflict do nothing');
}

const wallText = (wallSeconds: number | undefined) => (wallSeconds === undefined ? null : formatWall(wallSeconds));

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

import type { Pool } from 'pg';
import type { TillBehind } from '../../contract/fiscal/till.ts';
import { raise, settleOthers } from '../../platform/alerts/store.ts';
import { inUnhurriedTransaction, type Queryable, UNHURRIED } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';
import { isAlone } from '../../platform/work/regular-work.ts';
import type { DeviceKey } from '../core/keys.ts';
import type { OutboxBacklog } from '../core/outbox-backlog.ts';

/** What a till said; it is known by its token, on each device that it sells with. */
export interface HeardTill extends OutboxBacklog {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly tokenId: string;
  /** By this process's monotonic clock, in milliseconds. */
  readonly at: number;
}

/**
 * Writes who is behind and who has caught up in one statement, which waits neither for a disk nor for a standby; returns the keys (token:device) of
 * those who are or were behind. Instances agree on the database's clock, not on their own. Clocks and queues blur who spoke last: of
 * two within two seconds "caught up" counts, because a till that is behind speaks again.
 */
export async function writeTills(db: Queryable, tills: readonly HeardTill[], now: number): Promise<Set<string>> {
  const { rows } = await db.query<{ key: string }>(
    `with heard as (
       select h.*, now() - make_interval(secs => ($2 - h.at) / 1000) as heard_at
         from jsonb_to_recordset($1) as h ("taxpayerId" uuid, "deviceId" bigint, "tokenId" uuid, "waitingSales" integer,
                                           "waitingSeconds" integer, at float8), ${UNHURRIED}),
     caught_up as (
       delete from tills_behind b using heard h
        where b.taxpayer_id = h."taxpayerId" and b.device_id = h."deviceId" and b.token_id = h."tokenId"
          and h."waitingSales" = 0 and b.heard_at <= h.heard_at + interval '2 seconds'),
     behind as (
       insert into tills_behind as b (taxpayer_id, device_id, token_id, waiting_sales, waiting_since, heard_at)
       select d.taxpayer_id, d.device_id, h."tokenId", h."waitingSales",
              h.heard_at - make_interval(secs => h."waitingSeconds"), h.heard_at
         from heard h join devices d on d.taxpayer_id = h."taxpayerId" and d.device_id = h."deviceId"
        where h."waitingSales" > 0 order by 1, 2, 3
       on conflict (taxpayer_id, device_id, token_id) do update
          set waiting_sales = excluded.waiting_sales, waiting_since = excluded.waiting_since, heard_at = excluded.heard_at
        where b.heard_at < excluded.heard_at returning b.*)
     select token_id || ':' || device_id as key from (table tills_behind union all table behind) b`,
    [JSON.stringify(tills), now],
  );
  return new Set(rows.map(({ key }) => key));
}

/** Of these taxpayers, on any of their devices; who has waited longest first. */
export async function findTillsBehind(
  db: Queryable,
  owners: readonly { readonly taxpayerId: string }[],
): Promise<TillBehind[]> {
  const { rows } = await db.query<TillBehind>(
    `select b.token_id as "TokenId", t.name as "TokenName", b.device_id as "AuthorityDeviceId", b.waiting_sales as "WaitingSales",
            ${instantText('b.waiting_since')} as "WaitingSince", ${instantText('b.heard_at')} as "HeardAt"
       from tills_behind b join tokens t using (taxpayer_id, token_id)
      where b.taxpayer_id = any ($1::uuid[]) order by b.waiting_since, b.token_id`,
    [owners.map(({ taxpayerId }) => taxpayerId)],
  );
  return rows;
}

/**
 * Raises an alert for tills whose first sale has waited for an hour, and ends those of tills that have caught up. One that has said nothing for a day is
 * forgotten, and its alert ends: it is switched off, or has another token now.
 */
export async function warnOfTills(pool: Pool): Promise<void> {
  await inUnhurriedTransaction(pool, async (tx) => {
    if (!(await isAlone(tx, 'tills'))) return;
    await tx.query(`delete from tills_behind where heard_at < now() - interval '1 day'`);
    const { rows } = await tx.query<DeviceKey & { what: string; waitingSales: number; isLate: boolean }>(
      `select taxpayer_id as "taxpayerId", device_id as "deviceId", t.name || ' (' || t.display_prefix || '…)' as what,
              waiting_sales as "waitingSales", waiting_since < now() - interval '1 hour' as "isLate"
         from tills_behind b join tokens t using (taxpayer_id, token_id)`,
    );
    await settleOthers(tx, 'TillBehind', rows);
    const late = rows.filter(({ isLate }) => isLate);
    await raise(
      tx,
      ...late.map(({ taxpayerId, deviceId, what, waitingSales }) => ({
        kind: 'TillBehind' as const,
        taxpayerId,
        deviceId,
        what,
        message: `A till is behind: device ${deviceId}, ${what}. Sales in its outbox that are not sealed: ${waitingSales}; the first has waited for more than an hour.`,
      })),
    );
  });
}

import type { Pool } from 'pg';
import { inTransaction, type Queryable, type Transaction } from '../../platform/database/database.ts';

/** The right to talk to the authority for a device, for as long as the lease lasts and no other instance took it. */
export interface Lease {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly fencingToken: bigint;
}

/**
 * Short, so that another instance takes over soon after this one died; a call to the authority may take longer, and so
 * it is renewed all the while (RENEW_EVERY_MS). By the database's clock, which all instances share.
 */
const LEASE = "interval '10 seconds'";
export const RENEW_EVERY_MS = 3000;

/**
 * Taking a lane and giving it back need not be on disk before the next step: a lease that a crash of the database forgets
 * is only taken again. For that no token may ever come twice, also not after such a crash: so it is drawn, not counted.
 */
const UNHURRIED = "(select set_config('synchronous_commit', 'off', true)) as unhurried";
const NEW_TOKEN = "('x' || substr(md5(gen_random_uuid()::text), 1, 15))::bit(60)::bigint";

/** Another instance took over while this one slept: whatever it still wanted to write is void. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Takes the lanes that are due. What another instance holds is skipped. */
export async function claimDueLanes(db: Queryable, now: Date, most: number): Promise<Lease[]> {
  return claim(
    db,
    `select l.taxpayer_id, l.device_id
       from device_lanes l join device_heads h using (taxpayer_id, device_id)
      where ${IS_FREE} and (${isDue('l.next_step_at', '61 minutes')} or (h.global_counter > l.submitted_through and l.stopped_reason is null))
      order by l.next_step_at limit $2 for update of l skip locked`,
    [now, most],
  );
}

/** Takes one lane at once, because something new is known to wait in it. */
export async function claimLane(
  db: Queryable,
  taxpayerId: string,
  deviceId: number,
  now: Date,
): Promise<Lease | undefined> {
  const [lease] = await claim(
    db,
    `select l.taxpayer_id, l.device_id from device_lanes l
      where l.taxpayer_id = $2 and l.device_id = $3 and ${IS_FREE} for update skip locked`,
    [now, taxpayerId, deviceId],
  );
  return lease;
}

/**
 * Due at $1. A time further ahead than anything is ever put off was written by a clock that was wrong: by hours, perhaps,
 * and nothing should wait for that.
 */
const isDue = (time: string, furthest: string) => `(${time} <= $1 or ${time} > $1 + interval '${furthest}')`;

const IS_FREE = `(l.locked_until is null or l.locked_until < clock_timestamp())
  and (l.paused_until is null or ${isDue('l.paused_until', '2 minutes')})`;

async function claim(db: Queryable, due: string, values: unknown[]): Promise<Lease[]> {
  const { rows } = await db.query<{ taxpayer_id: string; device_id: number; fencing_token: bigint }>(
    `with due as (${due})
     update device_lanes l
        set locked_until = clock_timestamp() + ${LEASE}, fencing_token = ${NEW_TOKEN}, next_step_at = 'epoch'
       from due, ${UNHURRIED} where l.taxpayer_id = due.taxpayer_id and l.device_id = due.device_id
     returning l.taxpayer_id, l.device_id, l.fencing_token`,
    values,
  );
  return rows.map((row) => ({ taxpayerId: row.taxpayer_id, deviceId: row.device_id, fencingToken: row.fencing_token }));
}

declare const fenced: unique symbol;

/**
 * A transaction that has proved that the lease holds. What only a lane's holder may write asks for this type, so that a
 * write without the fence does not compile.
 */
export type LeasedTransaction = Transaction & { readonly [fenced]: true };

/** Proves that the lease still holds and renews it, before anything else; LeaseLost when another instance has taken over. */
export function withLease<Result>(
  { pool }: { readonly pool: Pool },
  lease: Lease,
  work: (tx: LeasedTransaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (tx) => {
    const isRenewed = await renewLease(tx, lease);
    if (!isFenced(tx, isRenewed)) throw new LeaseLost(`the lane of device ${lease.deviceId} was taken over`);
    return work(tx);
  });
}

function isFenced(_tx: Transaction, isRenewed: boolean): _tx is LeasedTransaction {
  return isRenewed;
}

/** False when another instance has it by now. */
export async function renewLease(db: Queryable, lease: Lease): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'hold-lease',
    text: `update device_lanes set locked_until = clock_timestamp() + ${LEASE}
            where taxpayer_id = $1 and device_id = $2 and fencing_token = $3`,
    values: [lease.taxpayerId, lease.deviceId, lease.fencingToken],
  });
  return rowCount === 1;
}

/**
 * Releases the lane with the time at which it is due again and resets its failures. If something was requested in between,
 * the lane was made due immediately: that stays.
 */
export async function releaseLease(db: Queryable, lease: Lease, nextStepAt: Date): Promise<void> {
  await db.query({
    name: 'release-lease',
    text: `update device_lanes
              set locked_until = null, attempts = 0, is_outage = false, error = stopped_reason,
                  failed_at = case when stopped_reason is not null then failed_at end,
                  next_step_at = case when next_step_at = '-infinity' then next_step_at else $4 end
             from ${UNHURRIED}
            where taxpayer_id = $1 and device_id = $2 and fencing_token = $3`,
    values: [lease.taxpayerId, lease.deviceId, lease.fencingToken, nextStepAt],
  });
}

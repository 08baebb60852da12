import type { Pool } from 'pg';
import { epochOf } from '../../platform/database/barrier.ts';
import { arraysOf, type Column, plain, unnested } from '../../platform/database/column-arrays.ts';
import { inTransaction, type Queryable, type Transaction, UNHURRIED } from '../../platform/database/database.ts';
import { isLeased } from '../../platform/work/due.ts';
import type { DeviceKey } from '../core/keys.ts';
import { type Fence, LEASE_MS, type Lease, LONGEST_REST_SECONDS } from '../core/lease.ts';

export const LEASE = `interval '${LEASE_MS} milliseconds'`;

/**
 * Taking a lane, renewing it and giving it back need not be on disk before the next step: a lease that a crash of the database
 * forgets is only taken again. For that no token may ever come twice, also not after such a crash: so it is drawn, not counted.
 */
const NEW_TOKEN = "('x' || substr(md5(gen_random_uuid()::text), 1, 15))::bit(60)::bigint";

/**
 * Two values of `next_step_at` that are not times. WOKEN: something may be due at once, so a free lane is taken and the holder of a
 * held one looks. HELD: its holder has seen everything that it was woken for.
 */
export const WOKEN = "'-infinity'";
export const HELD = "'epoch'";

/** Another instance took over while this one slept: whatever it still wanted to write is void. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor({ deviceId }: Lease) {
    super(`the lane of device ${deviceId} was taken over`);
  }
}

export const LANE_KEYS: readonly Column<DeviceKey>[] = [
  plain('taxpayer_id', 'uuid', ({ taxpayerId }) => taxpayerId),
  plain('device_id', 'integer', ({ deviceId }) => deviceId),
];
export const LEASES: readonly Column<Fence>[] = [
  ...LANE_KEYS,
  plain('fencing_token', 'bigint', ({ fencingToken }) => String(fencingToken)),
];

interface DueLane extends Lease {
  readonly hasReceipts: boolean;
}

/** How many due lanes to take at a time: opening, closing and care must not stand in the way of receipts, nor wait for them. */
export interface Portion {
  readonly withReceipts: number;
  readonly others: number;
}

/** Takes lanes that are due, one of each taxpayer before a second of any. What another instance holds is skipped. */
export async function claimDueLanes(db: Pool, now: Date, { withReceipts, others }: Portion): Promise<DueLane[]> {
  const first = (condition: string, limit: string) =>
    `(select taxpayer_id, device_id, has_receipts from due where ${condition} order by turn, random() limit ${limit})`;
  return claim(
    db,
    'claim-due-lanes',
    `with due as materialized (
       select l.taxpayer_id, l.device_id, ${HAS_RECEIPTS} as has_receipts,
              row_number() over (partition by l.taxpayer_id, ${HAS_RECEIPTS} order by l.next_step_at) as turn
         from device_lanes l join device_heads h using (taxpayer_id, device_id)
        where ${IS_FREE} and (${isDue('l.next_step_at', '61 minutes')} or ${HAS_RECEIPTS}))
     select l.taxpayer_id, l.device_id, taken.has_receipts
       from device_lanes l
       join (${first('has_receipts', '$2')} union all ${first('not has_receipts', '$3')}) taken using (taxpayer_id, device_id)
      where ${IS_FREE} for update of l skip locked`,
    [now, withReceipts, others],
    ', due.has_receipts as "hasReceipts"',
  );
}

/** Takes these lanes at once, because something new is known to wait in them. */
export async function claimLanes(db: Pool, keys: readonly DeviceKey[], now: Date): Promise<Lease[]> {
  return claim(
    db,
    'claim-lanes',
    `select l.taxpayer_id, l.device_id from ${unnested(LANE_KEYS, 2, 'k')} join device_lanes l using (taxpayer_id, device_id)
      where ${IS_FREE} for update of l skip locked`,
    [now, ...arraysOf(LANE_KEYS, keys)],
  );
}

/**
 * Due at $1. A time further ahead than anything is ever put off was written by a clock that was wrong: by hours, perhaps,
 * and nothing should wait for that.
 */
const isDue = (time: string, furthest: string) => `(${time} <= $1 or ${time} > $1 + interval '${furthest}')`;

const IS_HELD = isLeased('l.locked_until', 'clock_timestamp()', LEASE);
const IS_FREE = `not ${IS_HELD}
  and (l.paused_until is null or ${isDue('l.paused_until', `${LONGEST_REST_SECONDS} seconds`)})`;

const HAS_RECEIPTS = '(h.global_counter > l.submitted_through and l.stopped_reason is null)';

async function claim<Taken extends Lease>(
  db: Pool,
  name: string,
  due: string,
  values: unknown[],
  and = '',
): Promise<Taken[]> {
  const epoch = epochOf(db);
  const { rows } = await db.query<Taken>({
    name,
    text: `with due as (${due})
     update device_lanes l
        set locked_until = clock_timestamp() + ${LEASE}, fencing_token = ${NEW_TOKEN}, next_step_at = ${HELD}
       from due, ${UNHURRIED} where l.taxpayer_id = due.taxpayer_id and l.device_id = due.device_id
     returning l.taxpayer_id as "taxpayerId", l.device_id as "deviceId", l.fencing_token as "fencingToken"${and}`,
    values,
  });
  return rows.map((row) => ({ ...row, epoch }));
}

declare const locked: unique symbol;
declare const fenced: unique symbol;

/** A transaction that has locked a device's lane: before its head and its alerts, as the keeper does. */
export type LaneTransaction = Transaction & { readonly [locked]: true };

/**
 * A transaction that has proved that the lease holds. What only a lane's holder may write asks for this type, so that a
 * write without the fence does not compile.
 */
export type LeasedTransaction = LaneTransaction & { readonly [fenced]: true };

/** Proves that the lease still holds and renews it, before anything else; LeaseLost when another instance has taken over. */
export function withLease<Result>(
  { pool }: { readonly pool: Pool },
  lease: Lease,
  work: (tx: LeasedTransaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'hold-lease',
      text: `update device_lanes set locked_until = clock_timestamp() + ${LEASE}
              where taxpayer_id = $1 and device_id = $2 and fencing_token = $3`,
      values: [lease.taxpayerId, lease.deviceId, lease.fencingToken],
    });
    if (!isFenced(tx, rowCount === 1)) throw new LeaseLost(lease);
    return work(tx);
  });
}

/** To be called only after a write to the lane, which has locked it. */
export function afterLocking(tx: Transaction): LaneTransaction {
  return tx as LaneTransaction;
}

/** Only for what has just proved it. */
export function isFenced(_tx: Transaction, isHeld: boolean): _tx is LeasedTransaction {
  return isHeld;
}

/**
 * Of our own, those whose row nothing else writes to at this moment: a lock that is waited for while others are held could be a
 * deadlock, and what writes to a lane in the name of its lease renews it.
 */
const own = (columns: readonly Column<never>[]) =>
  `(select m.* from ${unnested(columns, 1, 'm')} join device_lanes l using (taxpayer_id, device_id)
     where l.fencing_token = m.fencing_token for update of l skip locked) m, ${UNHURRIED}
   where l.taxpayer_id = m.taxpayer_id and l.device_id = m.device_id`;

/** All leases of an instance with one statement. One that was given back meanwhile stays so: it would be held by nobody. */
export async function renewLeases(db: Queryable, leases: readonly Fence[]): Promise<void> {
  await db.query({
    name: 'renew-leases',
    text: `update device_lanes l set locked_until = clock_timestamp() + ${LEASE} from ${own(LEASES)} and l.locked_until is not null`,
    values: arraysOf(LEASES, leases),
  });
}

export interface Released extends Fence {
  readonly nextStepAt: Date;
}

const RELEASED: readonly Column<Released>[] = [
  ...LEASES,
  plain('due_at', 'timestamptz', ({ nextStepAt }) => nextStepAt.toISOString()),
];

/**
 * Releases lanes with the time at which each is due again and resets their failures. If something was requested in between, a lane
 * was made due immediately: that stays. Returns those that are free now.
 */
export async function releaseLeases(db: Queryable, released: readonly Released[]): Promise<DeviceKey[]> {
  const { rows } = await db.query<{ taxpayerId: string; deviceId: number }>({
    name: 'release-leases',
    text: `update device_lanes l
        set locked_until = null, attempts = 0, is_outage = false, error = l.stopped_reason,
            failed_at = case when l.stopped_reason is not null then l.failed_at end,
            next_step_at = case when l.next_step_at = ${WOKEN} then l.next_step_at else m.due_at end
       from ${own(RELEASED)}
     returning l.taxpayer_id as "taxpayerId", l.device_id as "deviceId"`,
    values: arraysOf(RELEASED, released),
  });
  return rows;
}

/** Another instance holds these: it is to look at them once more, which `findWoken` tells it. */
export async function wakeHeldLanes(db: Queryable, keys: readonly DeviceKey[]): Promise<void> {
  await db.query({
    name: 'wake-held-lanes',
    text: `update device_lanes l set next_step_at = ${WOKEN}
       from (select l.taxpayer_id, l.device_id from ${unnested(LANE_KEYS, 1, 'k')} join device_lanes l using (taxpayer_id, device_id)
              where ${IS_HELD} and l.next_step_at <> ${WOKEN}
              order by l.taxpayer_id, l.device_id for update of l) held, ${UNHURRIED}
      where l.taxpayer_id = held.taxpayer_id and l.device_id = held.device_id`,
    values: arraysOf(LANE_KEYS, keys),
  });
}

/** Lanes that were made due while an instance holds them. There are hardly ever any. */
export async function findWoken(db: Queryable): Promise<Fence[]> {
  const { rows } = await db.query<Fence>({
    name: 'find-woken-lanes',
    text: `select l.taxpayer_id as "taxpayerId", l.device_id as "deviceId", l.fencing_token as "fencingToken" from device_lanes l
            where l.next_step_at = ${WOKEN} and ${IS_HELD}`,
  });
  return rows;
}

/** Before the holder reads them, so that it sees what they were woken for. */
export async function noticeWoken(db: Queryable, leases: readonly Fence[]): Promise<void> {
  await db.query(
    `update device_lanes l set next_step_at = ${HELD} from ${own(LEASES)} and l.next_step_at = ${WOKEN}`,
    arraysOf(LEASES, leases),
  );
}

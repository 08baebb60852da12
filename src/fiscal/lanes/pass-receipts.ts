import type { Pool } from 'pg';
import { arraysOf, type Column, plain, unnested } from '../../platform/database/column-arrays.ts';
import { inTransaction, type Queryable, type Transaction } from '../../platform/database/database.ts';
import type { DeviceKey, ReceiptKey } from '../core/keys.ts';
import type { Lease } from '../core/lease.ts';
import { HELD, isFenced, LANE_KEYS, LEASE, LEASES, type LeasedTransaction, WOKEN } from './lease-store.ts';

/** What a lane had run into is over. */
const WELL = 'attempts = 0, failed_at = null, error = null, paused_until = null, is_outage = false';

/**
 * The notes of a receipt on other devices, in a way that only their own index can answer, whatever the tables hold. The receipt's
 * lane must be locked before the statement begins: it then sees every note that another lane came to and, after `settledLane`,
 * found its original not settled.
 */
const notesOf = (receipt: string) => `lateral (
  select n.device_id, n.global_counter from receipts n
   where n.original_device_id = ${receipt}.device_id and n.original_global_counter = ${receipt}.global_counter
     and n.taxpayer_id is not distinct from ${receipt}.taxpayer_id and n.device_id <> ${receipt}.device_id
  offset 0) n`;

const NOTES: readonly Column<ReceiptKey>[] = [
  ...LANE_KEYS,
  plain('global_counter', 'integer', ({ globalCounter }) => globalCounter),
];

/** Everything up to here has reached the authority, or never will. Returns the lanes that waited for some of it. */
export function advanceLane(tx: LeasedTransaction, lease: Lease, submittedThrough: number): Promise<DeviceKey[]> {
  return passReceipts(tx, lease, submittedThrough);
}

/** The lane is stopped at this receipt, which an operator gives up: what waited for it waits no longer. */
export async function passGivenUp(tx: Transaction, key: DeviceKey, globalCounter: number): Promise<void> {
  await lockLane(tx, key, 'for update');
  await passReceipts(tx, key, globalCounter);
}

async function passReceipts(
  tx: Transaction,
  { taxpayerId, deviceId }: DeviceKey,
  through: number,
): Promise<DeviceKey[]> {
  const { rows: notes } = await tx.query<ReceiptKey>({
    name: 'pass-receipts',
    text: `with passed as (
             update device_lanes l set submitted_through = $3, ${WELL}
               from (select submitted_through as before from device_lanes where taxpayer_id = $1 and device_id = $2) b
              where l.taxpayer_id = $1 and l.device_id = $2 and l.submitted_through < $3
             returning b.before)
           select $1 as "taxpayerId", n.device_id as "deviceId", n.global_counter as "globalCounter"
             from passed p
            cross join lateral (select $1::uuid as taxpayer_id, $2::integer as device_id, settled.number as global_counter
                                  from unnest(array(select generate_series(p.before + 1, $3))) as settled (number)) r
            cross join ${notesOf('r')}`,
    values: [taxpayerId, deviceId, through],
  });
  return wakeWaiting(tx, notes);
}

/**
 * A lane whose next receipt is a note of one that was passed is due at once, on whatever instance: what it waited for and that it
 * waits no longer are one transaction.
 */
async function wakeWaiting(tx: Transaction, notes: readonly ReceiptKey[]): Promise<DeviceKey[]> {
  if (notes.length === 0) return [];
  const { rows } = await tx.query<DeviceKey>(
    `update device_lanes l set paused_until = null, next_step_at = ${WOKEN}
       from ${unnested(NOTES, 1, 'n')}
      where l.taxpayer_id = n.taxpayer_id and l.device_id = n.device_id and l.submitted_through = n.global_counter - 1
     returning l.taxpayer_id as "taxpayerId", l.device_id as "deviceId"`,
    arraysOf(NOTES, notes),
  );
  return rows;
}

/** A receipt that its lane's holder has settled. */
export interface Passed extends Lease {
  readonly globalCounter: number;
}

const PASSED: readonly Column<Passed>[] = [
  ...LEASES,
  plain('global_counter', 'integer', ({ globalCounter }) => globalCounter),
];

export interface PassedLanes<Item> {
  /** Those whose lease holds: whether something else was asked of the lane meanwhile. The others write nothing. */
  readonly held: ReadonlyMap<Item, { readonly isWoken: boolean }>;
  /** Lanes that waited for some of them. */
  readonly waiting: readonly DeviceKey[];
}

/**
 * Settles receipts of many lanes in one transaction, one of each: proves which leases hold, renews them and advances their lanes
 * with one statement, in the order of their keys; then `write`s what else is to be known of them. `finish` comes last and is sent
 * with the commit: what it locks is held for no longer than that takes.
 */
export function passTogether<Item extends Passed>(
  pool: Pool,
  items: readonly Item[],
  write: (tx: LeasedTransaction, held: readonly Item[]) => Promise<void>,
  finish: (tx: LeasedTransaction, held: readonly Item[]) => Promise<void>,
): Promise<PassedLanes<Item>> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{ fencingToken: bigint; isWoken: boolean }>({
      name: 'pass-together',
      text: `with held as (
               select l.taxpayer_id, l.device_id, a.global_counter, l.next_step_at = ${WOKEN} as is_woken
                 from ${unnested(PASSED, 1, 'a')} join device_lanes l using (taxpayer_id, device_id)
                where l.fencing_token = a.fencing_token
                order by l.taxpayer_id, l.device_id for update of l)
             update device_lanes l
                set submitted_through = greatest(l.submitted_through, held.global_counter), next_step_at = ${HELD},
                    locked_until = clock_timestamp() + ${LEASE}, ${WELL}
               from held where l.taxpayer_id = held.taxpayer_id and l.device_id = held.device_id
             returning l.fencing_token as "fencingToken", held.is_woken as "isWoken"`,
      values: arraysOf(PASSED, items),
    });
    // By the token, which is drawn anew for every lease: beside its own a device may have an acceptance of a lease that it lost.
    const found = new Map(rows.map((row) => [row.fencingToken, row]));
    const held = new Map<Item, { readonly isWoken: boolean }>();
    for (const item of items) {
      const row = found.get(item.fencingToken);
      if (row) held.set(item, row);
    }
    const passed = [...held.keys()];
    if (!isFenced(tx, passed.length > 0)) return { held, waiting: [] };
    const [notes] = await Promise.all([findNotes(tx, passed), write(tx, passed)]);
    const waiting = await wakeWaiting(tx, notes);
    await Promise.all([finish(tx, passed), tx.commit()]);
    return { held, waiting };
  });
}

async function findNotes(tx: Transaction, passed: readonly Passed[]): Promise<ReceiptKey[]> {
  const { rows } = await tx.query<ReceiptKey>({
    name: 'find-notes-of-passed',
    text: `select r.taxpayer_id as "taxpayerId", n.device_id as "deviceId", n.global_counter as "globalCounter"
             from ${unnested(NOTES, 1, 'r')} cross join ${notesOf('r')}`,
    values: arraysOf(NOTES, passed),
  });
  return rows;
}

/** Waits until whatever is being written to this lane is written. What is written to it later sees all that is there now. */
export function settledLane(db: Queryable, key: DeviceKey): Promise<void> {
  return lockLane(db, key, 'for share');
}

async function lockLane(db: Queryable, key: DeviceKey, strength: 'for share' | 'for update'): Promise<void> {
  await db.query(`select 1 from device_lanes where taxpayer_id = $1 and device_id = $2 ${strength}`, [
    key.taxpayerId,
    key.deviceId,
  ]);
}

import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { Lease, LeasedTransaction } from './lease.ts';

interface LaneKey {
  readonly taxpayerId: string;
  readonly deviceId: number;
}

/** Everything up to here has reached the authority, or never will. Returns the devices whose lanes waited for some of it. */
export function advanceLane(tx: LeasedTransaction, lease: Lease, submittedThrough: number): Promise<number[]> {
  return passReceipts(tx, lease, submittedThrough);
}

/** The lane is stopped at this receipt, which an operator gives up: what waited for it waits no longer. */
export async function passGivenUp(tx: Transaction, key: LaneKey, globalCounter: number): Promise<void> {
  await lockLane(tx, key, 'for update');
  await passReceipts(tx, key, globalCounter);
}

/**
 * A lane whose next receipt is a note of one that was passed here is due at once, on whatever instance: what it waited for and
 * that it waits no longer are one transaction. The lane's row must be locked before the statement begins: it then sees every note
 * that another lane came to and, after `settledLane`, found its original not settled. Notes are looked up in
 * a way that only their own index can answer, whatever the tables hold; lanes only where there are any.
 */
async function passReceipts(tx: Transaction, { taxpayerId, deviceId }: LaneKey, through: number): Promise<number[]> {
  const { rows: notes } = await tx.query<{ device_id: number; global_counter: number }>({
    name: 'pass-receipts',
    text: `with passed as (
             update device_lanes l
                set submitted_through = $3, attempts = 0, failed_at = null, error = null, paused_until = null, is_outage = false
               from (select submitted_through as before from device_lanes where taxpayer_id = $1 and device_id = $2) b
              where l.taxpayer_id = $1 and l.device_id = $2 and l.submitted_through < $3
             returning b.before)
           select n.device_id, n.global_counter
             from passed p
            cross join lateral unnest(array(select generate_series(p.before + 1, $3))) as settled (number)
            cross join lateral (
                    select n.device_id, n.global_counter from receipts n
                     where n.original_device_id = $2 and n.original_global_counter = settled.number
                       and n.taxpayer_id is not distinct from $1 and n.device_id <> $2
                    offset 0) n`,
    values: [taxpayerId, deviceId, through],
  });
  if (notes.length === 0) return [];
  const { rows: lanes } = await tx.query<{ device_id: number }>(
    `update device_lanes l set paused_until = null, next_step_at = '-infinity'
       from unnest($2::integer[], $3::integer[]) as n (device_id, global_counter)
      where l.taxpayer_id = $1 and l.device_id = n.device_id and l.submitted_through = n.global_counter - 1
     returning l.device_id`,
    [taxpayerId, notes.map((note) => note.device_id), notes.map((note) => note.global_counter)],
  );
  return lanes.map((lane) => lane.device_id);
}

/** Waits until whatever is being written to this lane is written. What is written to it later sees all that is there now. */
export function settledLane(db: Queryable, key: LaneKey): Promise<void> {
  return lockLane(db, key, 'for share');
}

async function lockLane(db: Queryable, key: LaneKey, strength: 'for share' | 'for update'): Promise<void> {
  await db.query(`select 1 from device_lanes where taxpayer_id = $1 and device_id = $2 ${strength}`, [
    key.taxpayerId,
    key.deviceId,
  ]);
}

/** Nothing is sent any more until an operator decides. */
export async function stopLane(tx: LeasedTransaction, lease: Lease, reason: string, at: Date): Promise<void> {
  await tx.query(
    `update device_lanes set stopped_reason = $3, failed_at = $4, error = $3 where taxpayer_id = $1 and device_id = $2`,
    [lease.taxpayerId, lease.deviceId, reason, at],
  );
}

export async function resumeLane(tx: Transaction, taxpayerId: string, deviceId: number): Promise<void> {
  await tx.query(
    `update device_lanes
        set stopped_reason = null, paused_until = null, attempts = 0, failed_at = null, error = null, next_step_at = '-infinity'
      where taxpayer_id = $1 and device_id = $2`,
    [taxpayerId, deviceId],
  );
}

/**
 * The lane pauses for a while and is released. What it waits for may have arrived in between and made it due immediately: that is
 * kept, but for an outage, which `resumeAfterOutage` ends.
 */
export async function pauseLane(
  db: Queryable,
  lease: Lease,
  pause: { readonly seconds: number; readonly error: string; readonly isOutage: boolean },
  now: Date,
): Promise<void> {
  const until = new Date(now.getTime() + pause.seconds * 1000);
  await db.query({
    name: 'pause-lane',
    text: `update device_lanes
              set paused_until = case when next_step_at = '-infinity' and not $7 then null else $4::timestamptz end,
                  next_step_at = case when next_step_at = '-infinity' and not $7 then next_step_at else $4::timestamptz end,
                  failed_at = $5, error = $6, is_outage = $7, attempts = attempts + 1, locked_until = null
            where taxpayer_id = $1 and device_id = $2 and fencing_token = $3`,
    values: [lease.taxpayerId, lease.deviceId, lease.fencingToken, until, now, pause.error, pause.isOutage],
  });
}

/**
 * The authority is back: lanes that only waited for that need not wait any longer. One that is locked is being worked on or woken
 * already; waiting for it while other lanes are held could be a deadlock with an acceptance that wakes lanes.
 */
export async function resumeAfterOutage(db: Queryable): Promise<void> {
  await db.query(
    `update device_lanes l set paused_until = null, is_outage = false, next_step_at = '-infinity'
       from (select taxpayer_id, device_id from device_lanes where is_outage for update skip locked) free
      where l.taxpayer_id = free.taxpayer_id and l.device_id = free.device_id`,
  );
}

type LaneTime = 'configuration_checked_at' | 'status_checked_at' | 'pinged_at' | 'certificate_tried_at';

export async function noteTime(tx: LeasedTransaction, lease: Lease, column: LaneTime, at: Date): Promise<void> {
  await tx.query(`update device_lanes set ${column} = $3 where taxpayer_id = $1 and device_id = $2`, [
    lease.taxpayerId,
    lease.deviceId,
    at,
  ]);
}

export async function setPingMinutes(tx: LeasedTransaction, lease: Lease, minutes: number): Promise<void> {
  await tx.query('update device_lanes set ping_minutes = $3 where taxpayer_id = $1 and device_id = $2', [
    lease.taxpayerId,
    lease.deviceId,
    Math.min(Math.max(Math.trunc(minutes), 1), 1440),
  ]);
}

/** An operator asks for the day to be opened or closed. A day closed by hand stays closed until `reopenAfter`, past or not. */
export async function requestDay(
  tx: Transaction,
  taxpayerId: string,
  deviceId: number,
  requested: 'open' | 'close' | null,
  reopenAfter: Date | null,
): Promise<void> {
  await tx.query(
    `update device_lanes set requested = $3, reopen_after = $4, next_step_at = '-infinity', paused_until = null
      where taxpayer_id = $1 and device_id = $2`,
    [taxpayerId, deviceId, requested, reopenAfter],
  );
}

/**
 * What the device does next may be another thing now: whichever instance looks first finds it due. Before the head is
 * locked, never after: the keeper locks a lane, then its head.
 */
export async function wakeLane(tx: Transaction, taxpayerId: string, deviceId: number): Promise<void> {
  await tx.query("update device_lanes set next_step_at = '-infinity' where taxpayer_id = $1 and device_id = $2", [
    taxpayerId,
    deviceId,
  ]);
}

/** The day is closed. What an operator asked for with the closing still holds: until when it stays so. */
export async function finishClosing(tx: LeasedTransaction, lease: Lease): Promise<void> {
  await tx.query(
    `update device_lanes
        set requested = nullif(requested, 'close'), reopen_after = case when requested = 'close' then reopen_after end,
            next_step_at = '-infinity', paused_until = null
      where taxpayer_id = $1 and device_id = $2`,
    [lease.taxpayerId, lease.deviceId],
  );
}

export async function createLane(
  tx: Transaction,
  taxpayerId: string,
  deviceId: number,
  submittedThrough: number,
): Promise<void> {
  await tx.query('insert into device_lanes (taxpayer_id, device_id, submitted_through) values ($1, $2, $3)', [
    taxpayerId,
    deviceId,
    submittedThrough,
  ]);
}

export interface Backlog {
  readonly receipts: number;
  readonly oldestSeconds: number;
  readonly stoppedLanes: number;
  /** Of the receipts: on devices that are stopped. */
  readonly receiptsBehindStop: number;
}

/** How much waits for the authority, over all devices. The oldest age is looked up only in lanes that have something. */
export async function readBacklog(db: Queryable, now: Date): Promise<Backlog> {
  const { rows } = await db.query<{ receipts: number; oldest: Date | null; stopped: number; behind_stop: number }>(
    `select coalesce(sum(h.global_counter - l.submitted_through), 0)::integer as receipts,
            count(*) filter (where l.stopped_reason is not null)::integer as stopped,
            coalesce(sum(h.global_counter - l.submitted_through) filter (where l.stopped_reason is not null), 0)::integer as behind_stop,
            min((select r.sealed_at from receipts r
                  where r.taxpayer_id = l.taxpayer_id and r.device_id = l.device_id
                    and r.global_counter = l.submitted_through + 1)) as oldest
       from device_lanes l join device_heads h using (taxpayer_id, device_id)
      where h.global_counter > l.submitted_through`,
  );
  const row = rows[0];
  return {
    receipts: row?.receipts ?? 0,
    stoppedLanes: row?.stopped ?? 0,
    receiptsBehindStop: row?.behind_stop ?? 0,
    oldestSeconds: row?.oldest ? Math.max(0, (now.getTime() - row.oldest.getTime()) / 1000) : 0,
  };
}

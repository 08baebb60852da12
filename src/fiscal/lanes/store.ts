import { setTimeout as delay } from 'node:timers/promises';
import { lasts, settle } from '../../platform/alerts/store.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { insert, update, upsert } from '../../platform/database/rows.ts';
import type { DeviceKey, ReceiptKey } from '../core/keys.ts';
import type { Lease } from '../core/lease.ts';
import { afterLocking, type LaneTransaction, type LeasedTransaction, WOKEN } from './lease-store.ts';

/** Columns of a lane, in the names of the language. */
interface Told {
  readonly attempts?: number;
  readonly failedAt?: Date | null;
  readonly error?: string | null;
  /** Nothing is sent any more until an operator decides. */
  readonly stoppedReason?: string | null;
  readonly configurationCheckedAt?: Date | null;
  /** Null: what the authority said of the device's last receipt and day is not believed any more. */
  readonly statusCheckedAt?: Date | null;
}

/** What only the holder of a lane learns. */
interface Learnt extends Told {
  readonly authorityCounter?: number;
  readonly authorityDay?: number;
  readonly authorityDayStatus?: string;
  readonly certificateTriedAt?: Date;
  readonly taxRemarkAt?: Date;
  readonly pingedAt?: Date;
  readonly pingMinutes?: number;
}

/** What others ask of a lane, too. */
interface Asked extends Told {
  /** What the lane paused for is over. */
  readonly pausedUntil?: null;
  readonly requested?: 'open' | 'close' | null;
  /** A day closed by hand stays closed until then, past or not. */
  readonly reopenAfter?: Date | null;
}

/** Nobody asks for a day any more. */
export const NO_REQUEST = { requested: null, reopenAfter: null, pausedUntil: null } as const;

/** What a step has learnt. */
export function setLane(tx: LeasedTransaction, lane: DeviceKey, learnt: Learnt): Promise<void> {
  return write(tx, lane, learnt);
}

/**
 * What the device does next may be another thing now: whichever instance looks first finds it due. Before the head is
 * locked, never after: the keeper locks a lane, then its head.
 */
export async function wakeLane(tx: Transaction, lane: DeviceKey, asked: Asked = {}): Promise<LaneTransaction> {
  await write(tx, lane, asked, `next_step_at = ${WOKEN}`);
  return afterLocking(tx);
}

/** Whoever holds the lane has lost it, and writes nothing more. */
export async function endLease(tx: LaneTransaction, lane: DeviceKey): Promise<void> {
  await write(tx, lane, {}, 'locked_until = null', 'fencing_token = 0');
}

/** The day is closed. What an operator asked for with the closing still holds: until when it stays so. */
export async function finishClosing(tx: LeasedTransaction, lane: Lease): Promise<void> {
  const kept = `requested = nullif(requested, 'close'), reopen_after = case when requested = 'close' then reopen_after end`;
  await write(tx, lane, { pausedUntil: null }, kept, `next_step_at = ${WOKEN}`);
}

function write(
  tx: Transaction,
  { taxpayerId, deviceId }: DeviceKey,
  change: Learnt | Asked,
  ...more: readonly string[]
): Promise<void> {
  return update(tx, 'device_lanes', { taxpayerId, deviceId }, change, ...more);
}

/** Ends the stop, the alert about it and the pause; the configuration is asked for anew. */
export async function resumeLane(tx: Transaction, lane: DeviceKey): Promise<void> {
  const cleared = { stoppedReason: null, pausedUntil: null, attempts: 0, failedAt: null, error: null } as const;
  await wakeLane(tx, lane, { ...cleared, configurationCheckedAt: null });
  await settle(tx, 'ReceiptRefused', lane);
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
              set paused_until = case when next_step_at = ${WOKEN} and not $7 then null else $4::timestamptz end,
                  next_step_at = case when next_step_at = ${WOKEN} and not $7 then next_step_at else $4::timestamptz end,
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
    `update device_lanes l set paused_until = null, is_outage = false, next_step_at = ${WOKEN}
       from (select taxpayer_id, device_id from device_lanes where is_outage for update skip locked) free
      where l.taxpayer_id = free.taxpayer_id and l.device_id = free.device_id`,
  );
}

const COMPARED_AT_ONCE = 100;
const COMPARED_APART_MS = 250;

/**
 * Every lane is to ask the authority what it has, whatever it said before; so many at a time that the devices that sell are not in each
 * other's way. One whose row is being written to has its turn later: to wait for it while others are held could be a deadlock.
 */
export async function wantComparisons(db: Queryable, at: Date): Promise<void> {
  for (;;) {
    const { rowCount } = await db.query(
      `update device_lanes l set compare_wanted_at = $1, status_checked_at = null, next_step_at = ${WOKEN}
         from (select taxpayer_id, device_id from device_lanes where compare_wanted_at is null or compare_wanted_at < $1
                limit ${COMPARED_AT_ONCE} for update skip locked) due
        where l.taxpayer_id = due.taxpayer_id and l.device_id = due.device_id`,
      [at],
    );
    if (rowCount === 0) {
      const { rows } = await db.query<{ left: boolean }>(
        'select exists (select from device_lanes where compare_wanted_at is null or compare_wanted_at < $1) as left',
        [at],
      );
      if (rows[0]?.left !== true) return;
    }
    await delay(COMPARED_APART_MS);
  }
}

export async function createLane(
  tx: Transaction,
  taxpayerId: string,
  deviceId: number,
  submittedThrough: number,
): Promise<void> {
  await insert(tx, 'device_lanes', { taxpayerId, deviceId, submittedThrough });
}

export interface Backlog {
  readonly receipts: number;
  readonly oldestSeconds: number;
  readonly stoppedLanes: number;
  /** Of the receipts: on devices that are stopped. */
  readonly receiptsBehindStop: number;
}

/** How much waits for the authority, over all devices or those of a taxpayer. The oldest age is looked up only in lanes that have something. */
export async function readBacklog(db: Queryable, now: Date, taxpayerId?: string): Promise<Backlog> {
  const { rows } = await db.query<Omit<Backlog, 'oldestSeconds'> & { oldest: Date | null }>(
    `select coalesce(sum(h.global_counter - l.submitted_through), 0)::integer as receipts,
            count(*) filter (where l.stopped_reason is not null)::integer as "stoppedLanes",
            coalesce(sum(h.global_counter - l.submitted_through) filter (where l.stopped_reason is not null), 0)::integer as "receiptsBehindStop",
            min((select r.sealed_at from receipts r
                  where r.taxpayer_id = l.taxpayer_id and r.device_id = l.device_id
                    and r.global_counter = l.submitted_through + 1)) as oldest
       from device_lanes l join device_heads h using (taxpayer_id, device_id)
      where h.global_counter > l.submitted_through and ($1::uuid is null or l.taxpayer_id = $1)`,
    [taxpayerId],
  );
  const { oldest = null, ...backlog } = rows[0] ?? { receipts: 0, stoppedLanes: 0, receiptsBehindStop: 0 };
  return { ...backlog, oldestSeconds: oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1000) };
}

/**
 * A receipt to decide about: one that was refused, or the one that a lane sends again and again because the answers to it cannot be used.
 * Of that one a call may be under way: should the authority accept it after all, that is written over what was decided.
 */
export const IS_DECIDABLE = `(s.state = 'Refused' or (coalesce(s.state, 'Pending') = 'Pending' and r.global_counter = l.submitted_through + 1
  and ${lasts('r', ['AnswerUnclear'], 'SubmitReceipt')}))`;

/** The reference of such a receipt. In the keeper's order, the lane before its submissions: the other way round the two can block each other. */
export async function lockDecidable(tx: Transaction, key: ReceiptKey): Promise<string | undefined> {
  await tx.query('select from device_lanes where taxpayer_id = $1 and device_id = $2 for update', [
    key.taxpayerId,
    key.deviceId,
  ]);
  const { rows } = await tx.query<{ reference: string }>(
    `select r.reference from receipts r join device_lanes l using (taxpayer_id, device_id)
       left join submissions s using (taxpayer_id, device_id, global_counter)
      where r.taxpayer_id = $1 and r.device_id = $2 and r.global_counter = $3 and ${IS_DECIDABLE}`,
    valuesOf(key),
  );
  return rows[0]?.reference;
}

export async function giveUp(tx: Transaction, key: ReceiptKey, at: Date): Promise<void> {
  await tx.query(
    `insert into submissions as s (taxpayer_id, device_id, global_counter, state, settled_at, failed_at, error)
     values ($1, $2, $3, 'Undeliverable', $4, $4, 'An operator has given it up.')
     on conflict (taxpayer_id, device_id, global_counter) do update
       set state = 'Undeliverable', settled_at = $4, failed_at = coalesce(s.failed_at, $4), error = coalesce(s.error, excluded.error)`,
    [...valuesOf(key), at],
  );
}

/** Without the authority's signature and remarks: those were in the answer that could not be read. */
export async function takeAsAccepted(
  tx: Transaction,
  key: ReceiptKey,
  authorityReceiptId: bigint,
  at: Date,
): Promise<void> {
  const { taxpayerId, deviceId, globalCounter } = key;
  const accepted = { state: 'Submitted', settledAt: at, authorityReceiptId, failedAt: null, error: null };
  await upsert(tx, 'submissions', { taxpayerId, deviceId, globalCounter }, accepted);
}

export async function sendAgain(tx: Transaction, key: ReceiptKey, isWithoutBuyer: boolean): Promise<void> {
  await tx.query(
    `insert into submissions as s (taxpayer_id, device_id, global_counter, state, without_buyer)
     values ($1, $2, $3, 'Pending', $4)
     on conflict (taxpayer_id, device_id, global_counter) do update
       set state = 'Pending', without_buyer = s.without_buyer or $4`,
    [...valuesOf(key), isWithoutBuyer],
  );
}

function valuesOf({ taxpayerId, deviceId, globalCounter }: ReceiptKey): unknown[] {
  return [taxpayerId, deviceId, globalCounter];
}

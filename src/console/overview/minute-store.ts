import type { Pool } from 'pg';
import { firstPaymentSince, sumPaymentMinutes } from '../../billpay/index.ts';
import { firstReceiptSince, sumReceiptMinutes } from '../../fiscal/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { inUnhurriedTransaction, type Queryable, type Transaction } from '../../platform/database/database.ts';
import { isAlone, type RegularWork } from '../../platform/work/regular-work.ts';

/** What happened in a minute in one currency. */
export interface CountedMinute {
  readonly minute: Date;
  readonly currency: string;
  readonly count: number;
  /** Exact, as text. */
  readonly total: string;
}

/** What is counted by the minute: whose tables, and how what happened between two moments is added up. */
export interface MinuteSource {
  readonly noun: 'receipt' | 'payment';
  readonly sum: (db: Queryable, from: Date, to: Date | undefined) => Promise<CountedMinute[]>;
  readonly firstSince: (db: Queryable, from: Date) => Promise<Date | undefined>;
}

export const RECEIPTS: MinuteSource = { noun: 'receipt', sum: sumReceiptMinutes, firstSince: firstReceiptSince };
export const PAYMENTS: MinuteSource = { noun: 'payment', sum: sumPaymentMinutes, firstSince: firstPaymentSince };

/** A minute is counted once, when so much later nothing of it can be missing any more. */
const GRACE_MS = 10_000;
const KEPT_MS = 8 * 24 * 3600_000;
/** How far back it is counted when nothing has been counted yet: today, in every zone. */
const LOOK_BACK_MS = 26 * 3600_000;
const STEP_MS = 10 * 60_000;

/**
 * Counts the minutes that have ended since the last time, some at a time, so that each statement reads a bounded range of
 * an index. One instance does it; the others continue without waiting. Regularly, so that opening the console after a busy day does not
 * mean waiting for all of it.
 */
export async function countMinutes(pool: Pool, source: MinuteSource, now: Date): Promise<void> {
  // What is lost is counted again, and an overview must not wait for a standby.
  while (await inUnhurriedTransaction(pool, (tx) => countNext(tx, source, now))) {
    // Once more, until it has caught up.
  }
}

export function countsOfMinutes(pool: Pool, clock: Clock): RegularWork[] {
  return [RECEIPTS, PAYMENTS].map((source) => ({
    name: `${source.noun} minutes`,
    everyMs: 30_000,
    run: () => countMinutes(pool, source, clock()),
  }));
}

async function countNext(tx: Transaction, { noun, sum, firstSince }: MinuteSource, now: Date): Promise<boolean> {
  if (!(await isAlone(tx, `${noun} minutes`))) return false;
  const earliest = minuteOf(now.getTime() - LOOK_BACK_MS);
  await tx.query(`insert into ${noun}_minutes_progress (counted_through) values ($1) on conflict do nothing`, [
    earliest,
  ]);
  const { rows } = await tx.query<{ counted_through: Date }>(`select counted_through from ${noun}_minutes_progress`);
  if (rows[0] === undefined) return false;
  const since = new Date(Math.max(rows[0].counted_through.getTime(), earliest.getTime()));
  const last = minuteOf(now.getTime() - GRACE_MS);
  if (since >= last) return false;
  // A night without anything, or the day before the first receipt, is one step and not a hundred.
  const first = await firstSince(tx, since);
  const from = first !== undefined && first < last ? minuteOf(first.getTime()) : last;
  const to = new Date(Math.min(last.getTime(), from.getTime() + STEP_MS));
  const minutes = await sum(tx, from, to);
  await tx.query(
    `insert into ${noun}_minutes (minute, currency, ${noun}s, total)
     select * from unnest($1::timestamptz[], $2::text[], $3::integer[], $4::numeric[])
     on conflict (minute, currency) do nothing`,
    [
      minutes.map(({ minute }) => minute),
      minutes.map(({ currency }) => currency),
      minutes.map(({ count }) => count),
      minutes.map(({ total }) => total),
    ],
  );
  await tx.query(`delete from ${noun}_minutes where minute < $1`, [new Date(now.getTime() - KEPT_MS)]);
  await tx.query(`update ${noun}_minutes_progress set counted_through = $1`, [to]);
  return to < last;
}

/** The counted minutes since then, and what came after them: at most the minute that is not over yet, and the grace. */
export async function readMinutes(db: Queryable, { noun, sum }: MinuteSource, since: Date): Promise<CountedMinute[]> {
  const progress = await db.query<{ counted_through: Date }>(`select counted_through from ${noun}_minutes_progress`);
  const through = progress.rows[0]?.counted_through ?? since;
  const { rows } = await db.query<CountedMinute>(
    `select minute, currency, ${noun}s as count, total from ${noun}_minutes where minute >= $1 and minute < $2`,
    [since, through],
  );
  return [...rows, ...(await sum(db, through < since ? since : through, undefined))];
}

function minuteOf(instantMs: number): Date {
  return new Date(Math.floor(instantMs / 60_000) * 60_000);
}

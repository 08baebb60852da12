import type { Pool } from 'pg';
import { inTransaction, type Queryable, type Transaction } from '../../platform/database.ts';

/** What was sealed in a minute in one currency. */
export interface ReceiptMinute {
  readonly minute: Date;
  readonly currency: string;
  readonly receipts: number;
  /** Exact, as text; credit notes count against it. */
  readonly total: string;
}

/** A minute is counted once, when so much later nothing of it can be missing any more. */
const GRACE_MS = 10_000;
const KEPT_MS = 8 * 24 * 3600_000;
/** How far back it is counted when nobody has counted yet: today, wherever it is today. */
const LOOK_BACK_MS = 26 * 3600_000;
const STEP_MS = 10 * 60_000;

/**
 * Counts the minutes that have ended since the last time, some at a time, so that each statement reads a bounded range of
 * an index. One instance does it; the others go on without waiting.
 */
export async function countMinutes(pool: Pool, now: Date): Promise<void> {
  while (await inTransaction(pool, (tx) => countNext(tx, now))) {
    // Once more, until it has caught up.
  }
}

async function countNext(tx: Transaction, now: Date): Promise<boolean> {
  const earliest = minuteOf(now.getTime() - LOOK_BACK_MS);
  await tx.query('insert into receipt_minutes_progress (counted_through) values ($1) on conflict do nothing', [
    earliest,
  ]);
  const { rows } = await tx.query<{ counted_through: Date }>(
    'select counted_through from receipt_minutes_progress for update skip locked',
  );
  if (rows[0] === undefined) return false;
  const from = new Date(Math.max(rows[0].counted_through.getTime(), earliest.getTime()));
  const last = minuteOf(now.getTime() - GRACE_MS);
  if (from >= last) return false;
  const to = new Date(Math.min(last.getTime(), from.getTime() + STEP_MS));
  await tx.query(
    `insert into receipt_minutes (minute, currency, receipts, total)
     select date_trunc('minute', sealed_at), currency, count(*), sum(total) from receipts
      where sealed_at >= $1 and sealed_at < $2 group by 1, 2
     on conflict (minute, currency) do nothing`,
    [from, to],
  );
  await tx.query('delete from receipt_minutes where minute < $1', [new Date(now.getTime() - KEPT_MS)]);
  await tx.query('update receipt_minutes_progress set counted_through = $1', [to]);
  return to < last;
}

/** The counted minutes since then, and what came after them: at most the minute that is not over yet, and the grace. */
export async function readMinutes(db: Queryable, since: Date): Promise<ReceiptMinute[]> {
  const { rows } = await db.query<ReceiptMinute>({
    name: 'read-minutes',
    text: `with counted as (select coalesce(max(counted_through), $1) as through from receipt_minutes_progress)
           select minute, currency, receipts, total from receipt_minutes where minute >= $1
           union all
           select date_trunc('minute', sealed_at), currency, count(*)::integer, sum(total) from receipts
            where sealed_at >= greatest($1, (select through from counted)) group by 1, 2`,
    values: [since],
  });
  return rows;
}

function minuteOf(instantMs: number): Date {
  return new Date(Math.floor(instantMs / 60_000) * 60_000);
}

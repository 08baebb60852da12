import type { Pool } from 'pg';
import { inTransaction, UNHURRIED } from '../../platform/database/database.ts';
import { addChunk } from './figures-store.ts';
import { findPeriod, lockClock, makeCurrent, noteCounted, removeSomeOf } from './period-store.ts';

/** What is left to do for a period after a step. */
export type Progress = 'more' | 'done';

/**
 * The next step of a period that is not the current one: counts some more payments, and swaps it in after the last of them;
 * or removes some more of what is retired. Every step is whole: one that is cut off by a crash is simply done again.
 */
export async function stepPeriod(pool: Pool, periodId: bigint, most: number): Promise<Progress> {
  const period = await findPeriod(pool, periodId);
  if (period === undefined || period.state === 'Current') return 'done';
  return period.state === 'Building'
    ? countSome(pool, periodId, period.billerCode, most)
    : removeSome(pool, periodId, most);
}

/** Payments of the biller wait while this runs: `most` bounds for how long. */
async function countSome(pool: Pool, periodId: bigint, billerCode: string, most: number): Promise<Progress> {
  return inTransaction(pool, async (tx) => {
    // A lost step is repeated, and a payment's own durable commit carries every step before it to the disk as well.
    const [, , period] = await Promise.all([
      tx.query(`select 1 from ${UNHURRIED}`),
      lockClock(tx, billerCode),
      findPeriod(tx, periodId),
    ]);
    // Retired, or swapped in by another instance, before the lock was ours.
    if (period?.state !== 'Building') return period?.state === 'Retired' ? 'more' : 'done';
    const { liveAfter, countedThrough, since } = period;
    const from = countedThrough === null ? since : new Date(countedThrough.getTime() + 1);
    const { count, last } =
      liveAfter === null
        ? { count: 0, last: undefined }
        : await addChunk(tx, { periodId, billerCode, from, to: liveAfter, most });
    if (last === undefined || count < most) {
      await makeCurrent(tx, period);
      return 'done';
    }
    await noteCounted(tx, periodId, last);
    return 'more';
  });
}

async function removeSome(pool: Pool, periodId: bigint, most: number): Promise<Progress> {
  const isLast = await inTransaction(pool, (tx) => removeSomeOf(tx, periodId, most));
  return isLast ? 'done' : 'more';
}

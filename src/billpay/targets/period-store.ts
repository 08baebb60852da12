import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { insert } from '../../platform/database/rows.ts';
import { isLeased } from '../../platform/work/due.ts';

/** Figures from a since-date on. Payments up to `liveAfter` are counted in the background, later ones as they are paid. */
export interface Period {
  readonly periodId: bigint;
  readonly billerCode: string;
  /** Included; null: ever. */
  readonly since: Date | null;
  readonly state: 'Building' | 'Current' | 'Retired';
  /** Null: there was no payment before. */
  readonly liveAfter: Date | null;
  /** Null: nothing has been counted yet. */
  readonly countedThrough: Date | null;
}

const COLUMNS = `period_id as "periodId", biller_code as "billerCode", since, state, live_after as "liveAfter",
  counted_through as "countedThrough"`;

/** Until the commit nothing of this biller becomes Paid or Reversed. Answers the last moment at which something became Paid. */
export async function lockClock(tx: Transaction, billerCode: string): Promise<Date | undefined> {
  const [, { rows }] = await Promise.all([
    tx.query('insert into biller_clocks (biller_code) values ($1) on conflict do nothing', [billerCode]),
    tx.query<{ lastPaidAt: Date | null }>({
      name: 'lock-clock-for-target',
      text: 'select last_paid_at as "lastPaidAt" from biller_clocks where biller_code = $1 for update',
      values: [billerCode],
    }),
  ]);
  return rows[0]?.lastPaidAt ?? undefined;
}

/** The current one and the one that is being built, where there are such. */
export async function findPeriods(tx: Transaction, billerCode: string): Promise<Period[]> {
  const { rows } = await tx.query<Period>({
    name: 'find-target-periods',
    text: `select ${COLUMNS} from target_periods where biller_code = $1 and state <> 'Retired'`,
    values: [billerCode],
  });
  return rows;
}

export async function findPeriod(db: Queryable, periodId: bigint): Promise<Period | undefined> {
  const { rows } = await db.query<Period>({
    name: 'find-target-period',
    text: `select ${COLUMNS} from target_periods where period_id = $1`,
    values: [periodId],
  });
  return rows[0];
}

type NewPeriod = Pick<Period, 'billerCode' | 'since' | 'state' | 'liveAfter'>;

export async function openPeriod(tx: Transaction, { billerCode, since, state, liveAfter }: NewPeriod): Promise<void> {
  await insert(tx, 'target_periods', { billerCode, since, state, liveAfter });
}

/** What is retired is shown no more, moves no more, and is removed in the background. */
export async function retirePeriods(
  tx: Transaction,
  billerCode: string,
  states: readonly ('Building' | 'Current')[],
): Promise<void> {
  await tx.query({
    name: 'retire-target-periods',
    text: `update target_periods set state = 'Retired', next_attempt_at = now(), locked_until = null
            where biller_code = $1 and state = any($2) and state <> 'Retired'`,
    values: [billerCode, states],
  });
}

export async function noteCounted(tx: Transaction, periodId: bigint, countedThrough: Date): Promise<void> {
  await tx.query({
    name: 'note-counted-of-target',
    text: `update target_periods set counted_through = $2 where period_id = $1`,
    values: [periodId, countedThrough],
  });
}

/** Everything is counted: from this commit on the period is what is shown, in the place of the one before. */
export async function makeCurrent(tx: Transaction, period: Period): Promise<void> {
  await retirePeriods(tx, period.billerCode, ['Current']);
  await tx.query({
    name: 'make-target-period-current',
    text: `update target_periods set state = 'Current', counted_through = live_after, locked_until = null where period_id = $1`,
    values: [period.periodId],
  });
}

const LEASE = 'make_interval(secs => $2::double precision / 1000)';

/**
 * Periods to build or to remove. The claim only keeps instances from waiting for each other: what a step does is decided
 * under the lock of the biller's clock. Not `for update`, which would make payments wait that refer to the period.
 */
export async function claimPeriods(db: Queryable, most: number, leaseMs: number): Promise<bigint[]> {
  const { rows } = await db.query<{ periodId: bigint }>({
    name: 'claim-target-periods',
    text: `with due as (
             select period_id from target_periods
              where state <> 'Current' and next_attempt_at <= now() and not ${isLeased('locked_until', 'now()', LEASE)}
              order by next_attempt_at limit $1 for no key update skip locked)
           update target_periods period set locked_until = now() + ${LEASE}
             from due where period.period_id = due.period_id
           returning period.period_id as "periodId"`,
    values: [most, leaseMs],
  });
  return rows.map(({ periodId }) => periodId);
}

export async function extendLease(db: Queryable, periodId: bigint, leaseMs: number): Promise<void> {
  await db.query({
    name: 'extend-lease-of-target-period',
    text: `update target_periods set locked_until = now() + ${LEASE}
            where period_id = $1 and state <> 'Current'`,
    values: [periodId, leaseMs],
  });
}

/** Answers whether that was the last of it. */
export async function removeSomeOf(tx: Transaction, periodId: bigint, most: number): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'remove-payers-of-retired-period',
    text: `delete from target_payers
            where (period_id, currency, member_number) in (
              select period_id, currency, member_number from target_payers where period_id = $1 limit $2)`,
    values: [periodId, most],
  });
  if ((rowCount ?? 0) === most) return false;
  await tx.query('delete from target_totals where period_id = $1', [periodId]);
  await tx.query(`delete from target_periods where period_id = $1 and state = 'Retired'`, [periodId]);
  return true;
}

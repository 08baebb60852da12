import type { ConnectorName } from '../../contract/billpay/biller.ts';
import { type Decimal, decimal } from '../../kernel/decimal.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { insert, update } from '../../platform/database/rows.ts';
import { ALL_CURRENCIES } from '../targets/figures-store.ts';

export interface StoredBiller {
  readonly billerCode: string;
  readonly revision: number;
  /** As ListBillers shows it. */
  readonly configuration: string;
  readonly connector: ConnectorName;
  readonly changedAt: Date;
  readonly createdAt: Date;
}

const COLUMNS = `biller_code as "billerCode", revision, configuration, connector, changed_at as "changedAt",
  created_at as "createdAt"`;

export async function findBillers(db: Queryable, codes: readonly string[]): Promise<StoredBiller[]> {
  const { rows } = await db.query<StoredBiller>({
    name: 'find-billers',
    text: `select ${COLUMNS} from billers where biller_code = any($1)`,
    values: [codes],
  });
  return rows;
}

export async function listStoredBillers(
  db: Queryable,
  after: string | undefined,
  limit: number,
): Promise<StoredBiller[]> {
  const { rows } = await db.query<StoredBiller>(
    `select ${COLUMNS} from billers where ($1::text is null or biller_code > $1) order by biller_code limit $2`,
    [after, limit],
  );
  return rows;
}

export async function insertBiller(tx: Transaction, biller: StoredBiller): Promise<void> {
  await insert(tx, 'billers', biller);
  await insert(tx, 'biller_clocks', { billerCode: biller.billerCode });
}

export function updateBiller(tx: Transaction, biller: StoredBiller): Promise<void> {
  const { billerCode, revision, configuration, connector, changedAt } = biller;
  return update(tx, 'billers', { billerCode }, { revision, configuration, connector, changedAt });
}

/**
 * Every change of a biller or of who sees it goes one after the other: the moments of the changes then increase in the order
 * of the commits, so a query for what has changed since a moment misses nothing.
 */
const CHANGES_LOCK = 7_210_411;

/** Takes the lock until the end of the transaction. The next moment: now, or one millisecond after the last change. */
export async function nextChangeMoment(tx: Transaction, now: Date): Promise<Date> {
  await tx.query('select pg_advisory_xact_lock($1)', [CHANGES_LOCK]);
  const { rows } = await tx.query<{ last: Date | null }>(
    `select greatest((select max(changed_at) from billers), (select max(changed_at) from vendor_billers)) as last`,
  );
  const last = rows[0]?.last;
  return last && last >= now ? new Date(last.getTime() + 1) : now;
}

/** The figures of one period, in one currency or in all together. */
export interface Achieved {
  /** Of these figures; a target whose since-date has just changed may want another. */
  readonly since: Date | undefined;
  readonly amount: Decimal;
  readonly units: Decimal;
  readonly payerCount: Decimal;
}

interface StatsRow extends StoredBiller {
  readonly periodId: bigint | null;
  readonly since: Date | null;
  readonly amount: string;
  readonly units: bigint;
  readonly payerCount: bigint;
}

const FIGURES = `b.biller_code as "billerCode", b.revision, b.configuration, b.connector, b.changed_at as "changedAt",
                  b.created_at as "createdAt", period.period_id as "periodId", period.since, coalesce(total.amount, 0) as amount,
                  coalesce(total.units, 0) as units, coalesce(total.payer_count, 0) as "payerCount"`;
const TOTALS = `left join target_periods period on period.biller_code = b.biller_code and period.state = 'Current'
             left join target_totals total on total.period_id = period.period_id and total.currency = $2`;

/**
 * The biller and what its target has achieved, seen at the same moment; undefined for a vendor that may not see the biller. A few
 * rows by their keys, however much was ever paid.
 */
export async function findAchieved(
  db: Queryable,
  vendorId: string | undefined,
  billerCode: string,
  currency: string | undefined,
): Promise<{ readonly biller: StoredBiller; readonly achieved: Achieved | undefined } | undefined> {
  const counted = currency ?? ALL_CURRENCIES;
  const { rows } = await db.query<StatsRow>(
    vendorId === undefined
      ? {
          name: 'find-target-achieved-of-biller',
          text: `select ${FIGURES} from billers b ${TOTALS} where b.biller_code = $1`,
          values: [billerCode, counted],
        }
      : {
          name: 'find-target-achieved',
          text: `select ${FIGURES} from vendor_billers v join billers b on b.biller_code = v.biller_code ${TOTALS}
                  where v.vendor_id = $3 and v.biller_code = $1 and v.is_visible`,
          values: [billerCode, counted, vendorId],
        },
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { periodId, since, amount, units, payerCount } = row;
  const achieved = {
    since: since ?? undefined,
    amount: decimal(amount),
    units: decimal(String(units)),
    payerCount: decimal(String(payerCount)),
  };
  return { biller: row, achieved: periodId === null ? undefined : achieved };
}

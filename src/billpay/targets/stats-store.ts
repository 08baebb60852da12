import { type Decimal, decimal } from '../../kernel/decimal.ts';
import type { Queryable } from '../../platform/database.ts';
import type { StoredBiller } from '../billers/store.ts';
import { ALL_CURRENCIES } from './figures-store.ts';

/** The figures of one period, in one currency or in all together. */
export interface Achieved {
  /** Of these figures; a target whose since-date has just changed may want another. */
  readonly since: Date | undefined;
  readonly amount: Decimal;
  readonly units: bigint;
  readonly payerCount: bigint;
}

interface StatsRow extends StoredBiller {
  period_id: bigint | null;
  since: Date | null;
  amount: string;
  units: bigint;
  payer_count: bigint;
}

const FIGURES = `b.biller_code as "billerCode", b.revision, b.configuration, b.connector, b.changed_at as "changedAt",
                  b.created_at as "createdAt", period.period_id, period.since, coalesce(total.amount, 0) as amount,
                  coalesce(total.units, 0) as units, coalesce(total.payer_count, 0) as payer_count`;
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
  const { rows } = await db.query<StatsRow & Record<string, unknown>>(
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
  const { period_id, since, amount, units, payer_count: payerCount } = row;
  const achieved = { since: since ?? undefined, amount: decimal(amount), units, payerCount };
  return { biller: row, achieved: period_id === null ? undefined : achieved };
}

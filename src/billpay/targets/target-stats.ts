import { type Decimal, formatDecimal } from '../../kernel/decimal.ts';
import type { Queryable } from '../../platform/database.ts';
import { parseBiller } from '../billers/read-billers.ts';
import type { Target } from '../core/biller.ts';
import { findAchieved } from './stats-store.ts';

/** The figures of one period, in one currency or in all together. */
export interface Achieved {
  /** Of these figures; a target whose since-date has just changed may want another. */
  readonly since: Date | undefined;
  readonly amount: Decimal;
  readonly units: bigint;
  readonly payerCount: bigint;
}

export type TargetStats =
  | { readonly kind: 'unknown biller' }
  /** It has no target, or its first one is still being counted. */
  | { readonly kind: 'not configured' }
  | { readonly kind: 'stats'; readonly target: Target; readonly achieved: Achieved };

/** As the vendor sees it; without one, whoever may see the biller anyhow. */
export async function readTargetStats(
  db: Queryable,
  vendorId: string | undefined,
  billerCode: string,
  currency: string | undefined,
): Promise<TargetStats> {
  const found = await findAchieved(db, vendorId, billerCode, currency);
  if (found === undefined) return { kind: 'unknown biller' };
  const { target } = parseBiller(found.biller);
  if (target === undefined || found.achieved === undefined) return { kind: 'not configured' };
  return { kind: 'stats', target, achieved: found.achieved };
}

/** As text, because amounts are exact. */
export function presentTargetStats(target: Target, achieved: Achieved): string {
  const { since, amount, units, payerCount } = achieved;
  return (
    `{"TargetAmount":${formatDecimal(target.amount)},"TargetUnits":${target.units},` +
    `"TargetAchievedSinceDate":${since === undefined ? 'null' : `"${since.toISOString()}"`},` +
    `"TargetAchievedAmount":${formatDecimal(amount)},"TargetAchievedUnits":${units},"PayerCount":${payerCount}}`
  );
}

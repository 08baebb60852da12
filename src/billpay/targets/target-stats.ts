import { formatDecimal } from '../../kernel/decimal.ts';
import type { Queryable } from '../../platform/database.ts';
import { parseBiller } from '../billers/read-billers.ts';
import type { Target } from '../core/biller.ts';
import { type Achieved, findAchieved } from './stats-store.ts';

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

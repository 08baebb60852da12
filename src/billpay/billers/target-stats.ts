import type { TargetStats } from '../../contract/billpay/biller-figures.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { type Refused, refused } from '../../kernel/refusal.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { NO_BILLER } from '../core/biller.ts';
import { parseBiller } from './read-billers.ts';
import { findAchieved } from './store.ts';

/**
 * As the vendor sees it; without one, as the biller itself or an operator who may see every biller. Undefined: the biller has no target.
 */
export async function readTargetStats(
  db: Queryable,
  vendorId: string | undefined,
  billerCode: string,
  currency: string | undefined,
): Promise<TargetStats | Refused | 'counting' | undefined> {
  const found = await findAchieved(db, vendorId, billerCode, currency && canonicalCurrency(currency));
  if (found === undefined) return refused(NO_BILLER);
  const { TargetAmount, TargetUnits } = parseBiller(found.biller);
  if (TargetAmount === null || TargetUnits === null) return undefined;
  if (found.achieved === undefined) return 'counting';
  const { since, amount, units, payerCount } = found.achieved;
  return {
    TargetAmount,
    TargetUnits,
    TargetAchievedSinceDate: since?.toISOString() ?? null,
    TargetAchievedAmount: amount,
    TargetAchievedUnits: units,
    PayerCount: payerCount,
  };
}

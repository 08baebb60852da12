import type { Transaction } from '../../platform/database/database.ts';
import { findPeriods, lockClock, openPeriod, retirePeriods } from './period-store.ts';

/**
 * Makes the figures follow the target of a biller: called in the transaction that changes it. Only the since-date matters
 * here; amount and units are read from the biller. The figures of a new since-date are built in the background, and until they are
 * ready those of the old one are still kept and shown.
 */
export async function setTarget(
  tx: Transaction,
  billerCode: string,
  target: { readonly since: Date | undefined } | undefined,
): Promise<void> {
  const lastPaidAt = await lockClock(tx, billerCode);
  if (target === undefined) return retirePeriods(tx, billerCode, ['Building', 'Current']);
  const { since } = target;
  const same = (await findPeriods(tx, billerCode)).find((period) => period.since?.getTime() === since?.getTime());
  if (same?.state === 'Building') return;
  await retirePeriods(tx, billerCode, ['Building']);
  if (same?.state === 'Current') return;
  const period = { billerCode, since: since ?? null, liveAfter: lastPaidAt ?? null };
  const isNothingToCount = lastPaidAt === undefined || (since !== undefined && since > lastPaidAt);
  if (!isNothingToCount) return openPeriod(tx, { ...period, state: 'Building' });
  await retirePeriods(tx, billerCode, ['Current']);
  await openPeriod(tx, { ...period, state: 'Current' });
}

import type { BillerConfiguration } from '../../contract/billpay/biller.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { billerText, readBiller, targetOf } from '../core/biller.ts';
import { retryInvoicesOf } from '../invoices/job-store.ts';
import { findPeriods, lockClock, openPeriod, retirePeriods } from '../targets/period-store.ts';
import { parseBiller } from './read-billers.ts';
import { findBillers, insertBiller, nextChangeMoment, type StoredBiller, updateBiller } from './store.ts';
import { tellVendors } from './tell-vendors.ts';
import { findViewers } from './visibility-store.ts';

/** Adds a biller. No vendor sees it yet, so none is notified. Undefined when the code is already used. */
export async function addBiller(
  tx: Transaction,
  given: BillerConfiguration,
  now: Date,
): Promise<StoredBiller | undefined> {
  const biller = readBiller(given);
  const changedAt = await nextChangeMoment(tx, now);
  if ((await findBillers(tx, [biller.Code])).length > 0) return undefined;
  const stored: StoredBiller = {
    billerCode: biller.Code,
    revision: 1,
    configuration: billerText(biller),
    connector: biller.Connector,
    changedAt,
    createdAt: now,
  };
  await insertBiller(tx, stored);
  const target = targetOf(biller);
  if (target !== undefined) await setTarget(tx, biller.Code, target);
  return stored;
}

export type BillerChange =
  | { readonly kind: 'changed' | 'the same'; readonly before: StoredBiller; readonly after: StoredBiller }
  /** Someone else has changed it since it was read. */
  | { readonly kind: 'out of date'; readonly revision: number };

/**
 * Puts a biller's whole configuration in place of the last one. Where what vendors are shown is another, all who see it are
 * told; a change of nothing is none. Undefined when there is no such biller.
 */
export async function replaceBiller(
  tx: Transaction,
  given: BillerConfiguration,
  now: Date,
): Promise<BillerChange | undefined> {
  const biller = readBiller(given);
  const changedAt = await nextChangeMoment(tx, now);
  const [before] = await findBillers(tx, [biller.Code]);
  if (before === undefined) return undefined;
  if ((given.Revision ?? before.revision) !== before.revision)
    return { kind: 'out of date', revision: before.revision };
  const configuration = billerText(biller);
  const isShownOtherwise = configuration !== before.configuration;
  if (!isShownOtherwise && biller.Connector === before.connector) return { kind: 'the same', before, after: before };
  const after: StoredBiller = {
    ...before,
    revision: before.revision + 1,
    configuration,
    connector: biller.Connector,
    changedAt: isShownOtherwise ? changedAt : before.changedAt,
  };
  await updateBiller(tx, after);
  const target = targetOf(biller);
  if (!isSameTarget(targetOf(parseBiller(before)), target)) await setTarget(tx, biller.Code, target);
  // What was refused because of the old invoice settings is built again.
  if (isShownOtherwise) await retryInvoicesOf(tx, { billerCode: biller.Code }, now);
  if (isShownOtherwise) await tellVendors(tx, await findViewers(tx, biller.Code), biller.Code, changedAt);
  return { kind: 'changed', before, after };
}

function isSameTarget(a: ReturnType<typeof targetOf>, b: ReturnType<typeof targetOf>): boolean {
  return (a === undefined) === (b === undefined) && a?.since?.getTime() === b?.since?.getTime();
}

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

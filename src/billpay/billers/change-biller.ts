import type { Transaction } from '../../platform/database.ts';
import type { Biller, Target } from '../core/biller.ts';
import { billerText } from '../core/biller-text.ts';
import { retryInvoicesOf } from '../invoices/retry-invoices.ts';
import { setTarget } from '../targets/set-target.ts';
import { parseBiller } from './read-billers.ts';
import { findBillers, insertBiller, nextChangeMoment, type StoredBiller, updateBiller } from './store.ts';
import { tellVendors } from './tell-vendors.ts';
import { findViewers } from './visibility-store.ts';

/** Adds a biller. Nobody sees it yet, so nobody is told. Undefined when the code is taken. */
export async function addBiller(tx: Transaction, biller: Biller, now: Date): Promise<StoredBiller | undefined> {
  const changedAt = await nextChangeMoment(tx, now);
  if ((await findBillers(tx, [biller.code])).length > 0) return undefined;
  const stored: StoredBiller = {
    billerCode: biller.code,
    revision: 1,
    configuration: billerText(biller),
    connector: biller.connector,
    changedAt,
    createdAt: now,
  };
  await insertBiller(tx, stored);
  if (biller.target !== undefined) await setTarget(tx, biller.code, biller.target);
  return stored;
}

export type BillerChange =
  | { readonly kind: 'changed' | 'the same'; readonly before: StoredBiller; readonly after: StoredBiller }
  /** Somebody else changed it since it was read. */
  | { readonly kind: 'out of date'; readonly revision: number };

/**
 * Puts a biller's whole configuration in place of the last one. Where what vendors are shown is another, all who see it are
 * told; a change of nothing is none. Undefined when there is no such biller.
 */
export async function replaceBiller(
  tx: Transaction,
  biller: Biller,
  now: Date,
  readRevision?: number,
): Promise<BillerChange | undefined> {
  const changedAt = await nextChangeMoment(tx, now);
  const [before] = await findBillers(tx, [biller.code]);
  if (before === undefined) return undefined;
  if (readRevision !== undefined && readRevision !== before.revision)
    return { kind: 'out of date', revision: before.revision };
  const configuration = billerText(biller);
  const isShownOtherwise = configuration !== before.configuration;
  if (!isShownOtherwise && biller.connector === before.connector) return { kind: 'the same', before, after: before };
  const after: StoredBiller = {
    ...before,
    revision: before.revision + 1,
    configuration,
    connector: biller.connector,
    changedAt: isShownOtherwise ? changedAt : before.changedAt,
  };
  await updateBiller(tx, after);
  if (!isSameTarget(parseBiller(before).target, biller.target)) await setTarget(tx, biller.code, biller.target);
  // What was refused because of the old invoice settings is built anew.
  if (isShownOtherwise) await retryInvoicesOf(tx, { billerCode: biller.code }, now);
  if (isShownOtherwise) await tellVendors(tx, await findViewers(tx, biller.code), biller.code, changedAt);
  return { kind: 'changed', before, after };
}

function isSameTarget(a: Target | undefined, b: Target | undefined): boolean {
  return (a === undefined) === (b === undefined) && a?.since?.getTime() === b?.since?.getTime();
}

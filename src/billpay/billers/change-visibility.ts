import type { Transaction } from '../../platform/database/database.ts';
import { billerText } from '../core/biller.ts';
import { parseBiller } from './read-billers.ts';
import { findBillers, nextChangeMoment } from './store.ts';
import { tellVendors } from './tell-vendors.ts';
import { findVisible, writeVisibility } from './visibility-store.ts';

/**
 * Lets a vendor see a biller, or not any more, and tells it. Said again, it changes nothing. Undefined when there is no such
 * biller; otherwise whether it was another before.
 */
export async function changeVisibility(
  tx: Transaction,
  vendorId: string,
  billerCode: string,
  isVisible: boolean,
  now: Date,
): Promise<boolean | undefined> {
  const changedAt = await nextChangeMoment(tx, now);
  const [stored] = await findBillers(tx, [billerCode]);
  if (stored === undefined) return undefined;
  const wasVisible = (await findVisible(tx, vendorId, [billerCode])).has(billerCode);
  if (wasVisible === isVisible) return false;
  const withdrawn = isVisible ? undefined : billerText({ ...parseBiller(stored), Enabled: false });
  await writeVisibility(tx, vendorId, billerCode, withdrawn, changedAt);
  await tellVendors(tx, [vendorId], billerCode, changedAt);
  return true;
}

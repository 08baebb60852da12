import type { Refusal } from '../../kernel/refusal.ts';
import type { Transaction } from '../../platform/database.ts';
import { billerText } from '../core/biller-text.ts';
import { parseBiller } from './read-billers.ts';
import { findBillers, nextChangeMoment } from './store.ts';
import { tellVendors } from './tell-vendors.ts';
import { findVisible, writeVisibility } from './visibility-store.ts';

export const NO_BILLER: Refusal = { code: 'NotFound', detail: 'There is no biller with this code.' };

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
  const withdrawn = isVisible ? undefined : billerText({ ...parseBiller(stored), isEnabled: false });
  await writeVisibility(tx, vendorId, billerCode, withdrawn, changedAt);
  await tellVendors(tx, [vendorId], billerCode, changedAt);
  return true;
}

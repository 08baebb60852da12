import { newId } from '../../kernel/ids.ts';
import type { Transaction } from '../../platform/database.ts';
import { gatherChange } from './store.ts';

/** Changes within this time of the first one share a request. */
export const GATHERING_MS = 1000;

/**
 * Notes in the change's own transaction that these vendors are to be told of this biller. Vendors without a callback URL
 * are left out: they ask with `changedSince`.
 */
export async function noteBillerChange(
  tx: Transaction,
  vendorIds: readonly string[],
  billerCode: string,
  now: Date,
): Promise<void> {
  // In one order everywhere, so that two changes never wait for each other's deliveries.
  const vendors = [...new Set(vendorIds)].toSorted();
  if (vendors.length === 0) return;
  await gatherChange(tx, {
    vendors: vendors.map((vendorId) => ({ vendorId, deliveryId: newId() })),
    billerCode,
    now,
    dueAt: new Date(now.getTime() + GATHERING_MS),
  });
}

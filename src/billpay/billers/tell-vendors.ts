import type { Transaction } from '../../platform/database/database.ts';
import { recordEvents } from '../../platform/events/store.ts';
import { noteBillerChange } from '../callback/store.ts';

/** In the transaction of the change: a callback is due, and the event is written. The events' counters are its last locks. */
export async function tellVendors(
  tx: Transaction,
  vendorIds: readonly string[],
  billerCode: string,
  changedAt: Date,
): Promise<void> {
  await noteBillerChange(tx, vendorIds, billerCode, changedAt);
  const data = { BillerCode: billerCode };
  await recordEvents(
    tx,
    vendorIds.map((vendorId) => ({ tenantId: vendorId, type: 'biller.changed', at: changedAt, data })),
  );
}

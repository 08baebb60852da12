import type { Transaction } from '../../platform/database.ts';
import { type Delivery, findDelivery, lockDelivery, reopenDelivery } from './delivery-store.ts';

/** As many as a new delivery has. */
const MORE_ATTEMPTS = 3;

/**
 * An operator sends a delivery again, under the same id: up to three more attempts from now on, whatever became of it before.
 * Undefined when there is no such delivery.
 */
export async function resendDelivery(
  tx: Transaction,
  deliveryId: string,
  now: Date,
): Promise<{ readonly before: Delivery; readonly after: Delivery } | undefined> {
  await lockDelivery(tx, deliveryId);
  const before = await findDelivery(tx, deliveryId);
  if (before === undefined) return undefined;
  await reopenDelivery(tx, deliveryId, MORE_ATTEMPTS, now);
  const after = await findDelivery(tx, deliveryId);
  if (after === undefined) throw new Error('a locked delivery is gone');
  return { before, after };
}

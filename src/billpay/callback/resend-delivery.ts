import type { WebhookDelivery } from '../../contract/billpay/webhook-delivery.ts';
import { type Refusal, type Refused, refused } from '../../kernel/refusal.ts';
import type { Change } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { findDelivery, lockDelivery, reopenDelivery } from './delivery-store.ts';

/** As many as a new delivery has. */
const MORE_ATTEMPTS = 3;

const NO_DELIVERY: Refusal = { code: 'NotFound', detail: 'There is no delivery with this id.' };

/** An operator sends a delivery again, under the same id: up to three more attempts, whatever its state. */
export async function resendDelivery(
  tx: Transaction,
  deliveryId: string,
  now: Date,
): Promise<Change<WebhookDelivery> | Refused> {
  await lockDelivery(tx, deliveryId);
  const stored = await findDelivery(tx, deliveryId);
  if (stored === undefined) return refused(NO_DELIVERY);
  await reopenDelivery(tx, deliveryId, MORE_ATTEMPTS, now);
  const after = await findDelivery(tx, deliveryId);
  if (after === undefined) throw new Error('a locked delivery is gone');
  return {
    action: 'webhook.resent',
    subject: `webhook delivery ${deliveryId} of vendor ${stored.VendorCode}`,
    before: stored,
    after,
    answer: after,
  };
}

import type { WebhookDelivery } from '../../contract/billpay/webhook-delivery.ts';
import { type Refusal, type Refused, refused } from '../../kernel/refusal.ts';
import type { Change } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { type Delivery, findDelivery, lockDelivery, reopenDelivery } from './delivery-store.ts';

/** As many as a new delivery has. */
const MORE_ATTEMPTS = 3;

export const NO_DELIVERY: Refusal = { code: 'NotFound', detail: 'There is no webhook delivery with this id.' };

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
  const reopened = await findDelivery(tx, deliveryId);
  if (reopened === undefined) throw new Error('a locked delivery is gone');
  const after = presentDelivery(reopened);
  return {
    action: 'webhook.resent',
    subject: `webhook delivery ${deliveryId} of vendor ${stored.vendorCode}`,
    before: presentDelivery(stored),
    after,
    answer: after,
  };
}

export function presentDelivery(delivery: Delivery): WebhookDelivery {
  return {
    DeliveryId: delivery.deliveryId,
    VendorId: delivery.vendorId,
    VendorCode: delivery.vendorCode,
    BillerCodes: [...delivery.billerCodes],
    State: delivery.state,
    AttemptCount: delivery.attempts,
    MostAttempts: delivery.mostAttempts,
    NextAttemptAt: delivery.state === 'Pending' ? delivery.nextAttemptAt.toISOString() : null,
    LastStatusCode: delivery.lastStatusCode,
    LastError: delivery.lastError,
    CreatedAt: delivery.createdAt.toISOString(),
    DeliveredAt: delivery.deliveredAt?.toISOString() ?? null,
  };
}

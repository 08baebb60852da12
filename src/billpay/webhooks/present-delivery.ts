import type * as contract from '../../contract/webhook-delivery.ts';
import type { Delivery, WebhookAttempt } from './delivery-store.ts';

export function presentDelivery(delivery: Delivery): contract.WebhookDelivery {
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

export function presentAttempt(attempt: WebhookAttempt): contract.WebhookAttempt {
  const { startedAt, endedAt } = attempt;
  return {
    Number: attempt.number,
    StartedAt: startedAt.toISOString(),
    EndedAt: endedAt?.toISOString() ?? null,
    DurationMs: endedAt === null ? null : endedAt.getTime() - startedAt.getTime(),
    StatusCode: attempt.statusCode,
    Answer: attempt.answer,
    Error: attempt.error,
  };
}

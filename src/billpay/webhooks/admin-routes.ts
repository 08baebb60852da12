import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/billpay/webhook-delivery.ts';
import { refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import {
  type DeliveryPosition,
  findDelivery,
  listAttempts,
  listDeliveries,
  type WebhookAttempt,
} from './delivery-store.ts';
import { NO_DELIVERY, presentDelivery, resendDelivery } from './resend-delivery.ts';

export interface WebhookAdministration extends Administration {
  /** A webhook may be due sooner than it is looked for. */
  readonly pokeWebhooks: () => void;
}

/** Notifications of changed billers to vendors, and their results. */
export function webhookAdminRoutes(
  app: FastifyInstance,
  { pool, clock, guard, audited, pokeWebhooks }: WebhookAdministration,
): void {
  route(app, guard, contract.listWebhookDeliveries, async ({ query }) => {
    const filter = { vendorId: query.VendorId, state: query.State, before: readCursor(query.Cursor) };
    const deliveries = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listDeliveries(pool, filter, limit));
    return {
      Deliveries: deliveries.rows.map(presentDelivery),
      NextCursor: nextCursor(deliveries, (last) => `${last.createdAt.getTime()}_${last.deliveryId}`),
    };
  });

  route(app, guard, contract.getWebhookDelivery, async ({ params }) => {
    const delivery = await findDelivery(pool, params.deliveryId);
    if (delivery === undefined) return refused(NO_DELIVERY);
    const attempts = await listAttempts(pool, delivery);
    return { ...presentDelivery(delivery), Attempts: attempts.map(presentAttempt) };
  });

  route(app, guard, contract.resendWebhookDelivery, async ({ request, params }) => {
    const resent = await audited(request, (tx) => resendDelivery(tx, params.deliveryId, clock()));
    pokeWebhooks();
    return resent;
  });
}

function readCursor(text: string | undefined): DeliveryPosition | undefined {
  if (text === undefined) return undefined;
  const [time = '', deliveryId = ''] = text.split('_');
  return { createdAt: new Date(Number(time)), deliveryId };
}

function presentAttempt(attempt: WebhookAttempt): contract.WebhookAttempt {
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

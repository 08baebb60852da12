import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/billpay/webhook-delivery.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { type DeliveryPosition, listDeliveries, withAttempts } from './delivery-store.ts';
import { resendDelivery } from './resend-delivery.ts';

export interface CallbackAdministration extends Administration {
  /** A callback may be due sooner than it is looked for. */
  readonly pokeCallbacks: () => void;
}

/** Notifications of changed billers to vendors, and their results. */
export function callbackAdminRoutes(
  app: FastifyInstance,
  { pool, clock, guard, audited, pokeCallbacks }: CallbackAdministration,
): void {
  route(app, guard, contract.listWebhookDeliveries, async ({ query }) => {
    const filter = { vendorId: query.VendorId, state: query.State, before: readCursor(query.Cursor) };
    const deliveries = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listDeliveries(pool, filter, limit));
    return {
      Deliveries: await withAttempts(pool, deliveries.rows),
      NextCursor: nextCursor(deliveries, (last) => `${Date.parse(last.CreatedAt)}_${last.DeliveryId}`),
    };
  });

  route(app, guard, contract.resendWebhookDelivery, async ({ request, params }) => {
    const resent = await audited(request, (tx) => resendDelivery(tx, params.deliveryId, clock()));
    pokeCallbacks();
    return resent;
  });
}

function readCursor(text: string | undefined): DeliveryPosition | undefined {
  if (text === undefined) return undefined;
  const [time = '', deliveryId = ''] = text.split('_');
  return { createdAt: new Date(Number(time)), deliveryId };
}

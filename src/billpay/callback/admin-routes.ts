import type { FastifyInstance } from 'fastify';
import type { WebhookDelivery } from '../../contract/billpay/webhook-delivery.ts';
import * as contract from '../../contract/billpay/webhook-delivery.ts';
import { type Refusal, type Refused, refused } from '../../kernel/refusal.ts';
import type { Change } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import {
  type DeliveryPosition,
  findDelivery,
  listDeliveries,
  lockDelivery,
  reopenDelivery,
  withAttempts,
} from './delivery-store.ts';

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

/** As many as a new delivery has. */
const MORE_ATTEMPTS = 3;

const NO_DELIVERY: Refusal = { code: 'NotFound', detail: 'There is no delivery with this id.' };

/** An operator sends a delivery again, under the same id: up to three more attempts, whatever its state. */
async function resendDelivery(
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

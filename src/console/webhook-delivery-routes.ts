import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryPosition,
  type DeliveryState,
  findDelivery,
  listAttempts,
  listDeliveries,
  resendDelivery,
  type WebhookAttempt,
} from '../billpay/index.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction } from '../platform/database.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { closed, DEFAULT_PAGE, Id, nextCursor, page } from './schemas.ts';
import {
  getDeliveryDocumentation,
  listDeliveriesDocumentation,
  resendDeliveryDocumentation,
} from './webhook-delivery-documentation.ts';

interface DeliveryQuery {
  VendorId?: string;
  State?: DeliveryState;
  Limit?: number;
  Cursor?: string;
}

const Cursor = Type.String({
  pattern: '^[0-9]{1,15}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  description: 'NextCursor of the page before.',
});
const params = Type.Object({ deliveryId: Id });
const UNKNOWN = { code: 'NotFound', detail: 'There is no webhook delivery with this id.' } as const;

/** What vendors were told of changed billers, and what became of it. */
export function webhookDeliveryRoutes(
  app: FastifyInstance,
  { pool, allow, clock, pokeWebhooks }: ConsoleContext,
): void {
  app.get<{ Querystring: DeliveryQuery }>('/api/admin/webhook-deliveries', {
    onRequest: allow('viewer'),
    schema: {
      documentation: listDeliveriesDocumentation,
      querystring: Type.Object(
        {
          VendorId: Type.Optional(Id),
          State: Type.Optional(Type.String({ enum: DELIVERY_STATES })),
          ...page,
          Cursor: Type.Optional(Cursor),
        },
        closed,
      ),
    },
    handler: async (request) => {
      const { VendorId: vendorId, State: state, Cursor: cursor, Limit: limit = DEFAULT_PAGE } = request.query;
      const filter = { vendorId, state, before: readCursor(cursor) };
      const deliveries = await readPage(limit, (most) => listDeliveries(pool, filter, most));
      return {
        Deliveries: deliveries.rows.map(presentDelivery),
        NextCursor: nextCursor(deliveries, (last) => `${last.createdAt.getTime()}_${last.deliveryId}`),
      };
    },
  });

  app.get<{ Params: { deliveryId: string } }>('/api/admin/webhook-deliveries/:deliveryId', {
    onRequest: allow('viewer'),
    schema: { params, documentation: getDeliveryDocumentation },
    handler: async (request, reply) => {
      const delivery = await findDelivery(pool, request.params.deliveryId);
      if (delivery === undefined) return sendProblem(reply, UNKNOWN);
      const attempts = await listAttempts(pool, delivery);
      return { ...presentDelivery(delivery), Attempts: attempts.map(presentAttempt) };
    },
  });

  app.post<{ Params: { deliveryId: string } }>('/api/admin/webhook-deliveries/:deliveryId/resend', {
    onRequest: allow('operator'),
    schema: { params, documentation: resendDeliveryDocumentation },
    handler: async (request, reply) => {
      const { deliveryId } = request.params;
      const resent = await inTransaction(pool, async (tx) => {
        const change = await resendDelivery(tx, deliveryId, clock());
        if (change === undefined) return undefined;
        await recordAudit(tx, {
          ...actorOf(request),
          action: 'webhook.resent',
          taxpayerId: undefined,
          subject: `webhook delivery ${deliveryId} of vendor ${change.after.vendorCode}`,
          before: presentDelivery(change.before),
          after: presentDelivery(change.after),
        });
        return presentDelivery(change.after);
      });
      if (resent === undefined) return sendProblem(reply, UNKNOWN);
      pokeWebhooks();
      return resent;
    },
  });
}

function readCursor(text: string | undefined): DeliveryPosition | undefined {
  if (text === undefined) return undefined;
  const [time = '', deliveryId = ''] = text.split('_');
  return { createdAt: new Date(Number(time)), deliveryId };
}

function presentDelivery(delivery: Delivery) {
  return {
    DeliveryId: delivery.deliveryId,
    VendorId: delivery.vendorId,
    VendorCode: delivery.vendorCode,
    BillerCodes: delivery.billerCodes,
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

function presentAttempt(attempt: WebhookAttempt) {
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

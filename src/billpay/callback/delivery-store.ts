import type {
  DeliveryState,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
} from '../../contract/billpay/webhook-delivery.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';

/** What operators see of deliveries. */
const DELIVERY = `d.delivery_id as "DeliveryId", d.vendor_id as "VendorId", v.vendor_code as "VendorCode",
  d.biller_codes as "BillerCodes", d.state as "State", d.attempts as "AttemptCount", d.most_attempts as "MostAttempts",
  case d.state when 'Pending' then ${instantText('d.next_attempt_at')} end as "NextAttemptAt",
  a.status_code as "LastStatusCode", a.error as "LastError", ${instantText('d.created_at')} as "CreatedAt",
  ${instantText('d.delivered_at')} as "DeliveredAt"`;

const FROM = `webhook_deliveries d
  join vendors v on v.vendor_id = d.vendor_id
  left join webhook_attempts a
         on a.vendor_id = d.vendor_id and a.delivery_id = d.delivery_id and a.number = d.attempts`;

export interface DeliveryPosition {
  readonly createdAt: Date;
  readonly deliveryId: string;
}

/** Newest first, after `before` where it is given. */
export async function listDeliveries(
  db: Queryable,
  filter: {
    readonly vendorId: string | undefined;
    readonly state: DeliveryState | undefined;
    readonly before: DeliveryPosition | undefined;
  },
  limit: number,
): Promise<WebhookDelivery[]> {
  const { rows } = await db.query<WebhookDelivery>(
    `select ${DELIVERY} from ${FROM}
      where ($1::uuid is null or d.vendor_id = $1)
        and ($2::text is null or d.state = $2)
        and ($3::timestamptz is null or (d.created_at, d.delivery_id) < ($3, $4::uuid))
      order by d.created_at desc, d.delivery_id desc limit $5`,
    [filter.vendorId, filter.state, filter.before?.createdAt, filter.before?.deliveryId, limit],
  );
  return rows;
}

export async function findDelivery(db: Queryable, deliveryId: string): Promise<WebhookDelivery | undefined> {
  const { rows } = await db.query<WebhookDelivery>(`select ${DELIVERY} from ${FROM} where d.delivery_id = $1`, [
    deliveryId,
  ]);
  return rows[0];
}

export async function withAttempts(
  db: Queryable,
  deliveries: readonly WebhookDelivery[],
): Promise<WebhookDeliveryWithAttempts[]> {
  const { rows } = await db.query<WebhookAttempt & { readonly deliveryId: string }>(
    `select delivery_id as "deliveryId", number as "Number", ${instantText('started_at')} as "StartedAt",
            ${instantText('ended_at')} as "EndedAt",
            (extract(epoch from ended_at - started_at) * 1000)::integer as "DurationMs",
            status_code as "StatusCode", answer as "Answer", error as "Error"
       from webhook_attempts join unnest($1::uuid[], $2::uuid[]) as d (vendor_id, delivery_id) using (vendor_id, delivery_id)
      order by number`,
    columnsOf(deliveries, 'VendorId', 'DeliveryId'),
  );
  const attempts = Map.groupBy(rows, ({ deliveryId }) => deliveryId);
  return deliveries.map((delivery) => ({
    ...delivery,
    Attempts: (attempts.get(delivery.DeliveryId) ?? []).map(({ deliveryId: _id, ...attempt }) => attempt),
  }));
}

export async function lockDelivery(tx: Transaction, deliveryId: string): Promise<void> {
  await tx.query('select from webhook_deliveries where delivery_id = $1 for update', [deliveryId]);
}

/** Due at once; while an attempt is under way, after that one. */
export async function reopenDelivery(
  tx: Transaction,
  deliveryId: string,
  moreAttempts: number,
  now: Date,
): Promise<void> {
  await tx.query(
    `update webhook_deliveries
        set state = 'Pending', is_gathering = false, most_attempts = attempts + $2, delivered_at = null,
            next_attempt_at = case when locked_until > $3 then next_attempt_at else $3 end
      where delivery_id = $1`,
    [deliveryId, moreAttempts, now],
  );
}

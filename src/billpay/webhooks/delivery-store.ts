import type { DeliveryState } from '../../contract/billpay/webhook-delivery.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';

/** What operators see of deliveries. */
export interface Delivery {
  readonly deliveryId: string;
  readonly vendorId: string;
  readonly vendorCode: string;
  readonly billerCodes: readonly string[];
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly mostAttempts: number;
  readonly nextAttemptAt: Date;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
  /** Of the last attempt. */
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
}

const DELIVERY = `d.delivery_id as "deliveryId", d.vendor_id as "vendorId", v.vendor_code as "vendorCode",
  d.biller_codes as "billerCodes", d.state, d.attempts, d.most_attempts as "mostAttempts",
  d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt", d.delivered_at as "deliveredAt",
  a.status_code as "lastStatusCode", a.error as "lastError"`;

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
): Promise<Delivery[]> {
  const { rows } = await db.query<Delivery>(
    `select ${DELIVERY} from ${FROM}
      where ($1::uuid is null or d.vendor_id = $1)
        and ($2::text is null or d.state = $2)
        and ($3::timestamptz is null or (d.created_at, d.delivery_id) < ($3, $4::uuid))
      order by d.created_at desc, d.delivery_id desc limit $5`,
    [filter.vendorId, filter.state, filter.before?.createdAt, filter.before?.deliveryId, limit],
  );
  return rows;
}

export async function findDelivery(db: Queryable, deliveryId: string): Promise<Delivery | undefined> {
  const { rows } = await db.query<Delivery>(`select ${DELIVERY} from ${FROM} where d.delivery_id = $1`, [deliveryId]);
  return rows[0];
}

export interface WebhookAttempt {
  readonly number: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly statusCode: number | null;
  readonly answer: string | null;
  readonly error: string | null;
}

export async function listAttempts(db: Queryable, { vendorId, deliveryId }: Delivery): Promise<WebhookAttempt[]> {
  const { rows } = await db.query<WebhookAttempt>(
    `select number, started_at as "startedAt", ended_at as "endedAt", status_code as "statusCode", answer, error
       from webhook_attempts where vendor_id = $1 and delivery_id = $2 order by number`,
    [vendorId, deliveryId],
  );
  return rows;
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

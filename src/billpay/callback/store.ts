import { newId } from '../../kernel/ids.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { isLeased } from '../../platform/work/due.ts';

/** Changes within this time of the first one share a request. */
export const GATHERING_MS = 1000;

/**
 * Notes in the change's own transaction that these vendors are to be notified of this biller. Vendors without a callback URL
 * are left out: they ask with `changedSince`. The biller is added to the delivery that still gathers for the vendor, or a new
 * one is opened. The unique index on gathering deliveries decides under concurrency; a delivery that is claimed meanwhile
 * gathers no more, and the change goes into a new one.
 */
export async function noteBillerChange(
  tx: Transaction,
  vendorIds: readonly string[],
  billerCode: string,
  now: Date,
): Promise<void> {
  // In one order everywhere, so that two changes never wait for each other's deliveries.
  const vendors = [...new Set(vendorIds)].toSorted();
  if (vendors.length === 0) return;
  await tx.query({
    name: 'gather-biller-change',
    text: `insert into webhook_deliveries as d
             (vendor_id, delivery_id, biller_codes, state, is_gathering, next_attempt_at, created_at)
           select v.vendor_id, g.delivery_id, array[$3::text], 'Pending', true, $5::timestamptz, $4::timestamptz
             from unnest($1::uuid[], $2::uuid[]) with ordinality as g (vendor_id, delivery_id, place)
             join vendors v on v.vendor_id = g.vendor_id and v.callback_url is not null
            order by g.place
           on conflict (vendor_id) where is_gathering do update
              set biller_codes = case when $3 = any(d.biller_codes) then d.biller_codes
                                      else array_append(d.biller_codes, $3) end`,
    values: [vendors, vendors.map(() => newId()), billerCode, now, new Date(now.getTime() + GATHERING_MS)],
  });
}

/** A delivery whose next attempt has been recorded: it may be sent now, and only by this instance. */
export interface ClaimedAttempt {
  readonly vendorId: string;
  readonly vendorCode: string;
  readonly deliveryId: string;
  readonly billerCodes: readonly string[];
  /** Null: the vendor has none any more. */
  readonly callbackUrl: string | null;
  readonly number: number;
  readonly mostAttempts: number;
  /** False: a crash cut off the last attempt it had, and no other is left. */
  readonly isAttempt: boolean;
  readonly startedAt: Date;
}

const isUnderWay = (delivery: string) => isLeased(`${delivery}.locked_until`, '$1', '($3::timestamptz - $1)');

/** An attempt puts the next one off until its lease ends; what is locked beyond that is nobody's. */
const DUE = `d.state = 'Pending' and (d.next_attempt_at <= $1 or d.locked_until > $1 and not ${isUnderWay('d')})
         and not exists (select from webhook_deliveries o
                          where o.vendor_id = d.vendor_id and o.state = 'Pending' and ${isUnderWay('o')})`;

/**
 * Locks vendors that have something due and nothing under way. The lock is for the next statement only: it sees what others
 * have claimed before it, so that a vendor never gets two requests at the same time.
 */
export async function lockDueVendors(tx: Transaction, now: Date, leaseEnd: Date, most: number): Promise<string[]> {
  const { rows } = await tx.query<{ vendorId: string }>({
    name: 'lock-vendors-with-due-deliveries',
    text: `select v.vendor_id as "vendorId" from vendors v
            where v.vendor_id in (
                    select d.vendor_id from webhook_deliveries d
                     where ${DUE}
                     group by d.vendor_id order by min(d.next_attempt_at) limit $2)
            order by v.vendor_id
              for no key update skip locked`,
    values: [now, most, leaseEnd],
  });
  return rows.map(({ vendorId }) => vendorId);
}

/**
 * Records the next attempt of each vendor's oldest due delivery, which gathers no more. A delivery that a change is just
 * being added to is left for the next look.
 */
export async function claimAttempts(
  tx: Transaction,
  vendorIds: readonly string[],
  now: Date,
  leaseEnd: Date,
): Promise<ClaimedAttempt[]> {
  const { rows } = await tx.query<ClaimedAttempt>({
    name: 'claim-callback-attempts',
    text: `with chosen as (
             select distinct on (d.vendor_id) d.vendor_id, d.delivery_id
               from webhook_deliveries d
              where d.vendor_id = any($2) and ${DUE}
              order by d.vendor_id, d.next_attempt_at, d.delivery_id),
           locked as (
             select d.vendor_id, d.delivery_id, d.attempts < d.most_attempts as is_attempt
               from webhook_deliveries d join chosen using (vendor_id, delivery_id)
                for update of d skip locked),
           claimed as (
             update webhook_deliveries d
                set is_gathering = false,
                    attempts = d.attempts + l.is_attempt::integer,
                    state = case when l.is_attempt then 'Pending' else 'Exhausted' end,
                    next_attempt_at = $3,
                    locked_until = case when l.is_attempt then $3::timestamptz end
               from locked l
              where d.vendor_id = l.vendor_id and d.delivery_id = l.delivery_id
             returning d.vendor_id, d.delivery_id, d.biller_codes, d.attempts, d.most_attempts, l.is_attempt),
           recorded as (
             insert into webhook_attempts (vendor_id, delivery_id, number, started_at)
             select vendor_id, delivery_id, attempts, $1 from claimed where is_attempt)
           select c.vendor_id as "vendorId", v.vendor_code as "vendorCode", c.delivery_id as "deliveryId",
                  c.biller_codes as "billerCodes", v.callback_url as "callbackUrl", c.attempts as "number",
                  c.most_attempts as "mostAttempts", c.is_attempt as "isAttempt", $1::timestamptz as "startedAt"
             from claimed c join vendors v using (vendor_id)`,
    values: [now, vendorIds, leaseEnd],
  });
  return rows;
}

export interface AttemptEnd {
  readonly endedAt: Date;
  readonly statusCode: number | undefined;
  readonly answer: string | undefined;
  readonly error: string | undefined;
}

export async function endAttempt(tx: Transaction, attempt: ClaimedAttempt, end: AttemptEnd): Promise<void> {
  await tx.query({
    name: 'end-callback-attempt',
    text: `update webhook_attempts set ended_at = $4, status_code = $5, answer = $6, error = $7
            where vendor_id = $1 and delivery_id = $2 and number = $3`,
    values: [attempt.vendorId, attempt.deliveryId, attempt.number, end.endedAt, end.statusCode, end.answer, end.error],
  });
}

/** A delivery that succeeded once stays delivered, whatever a later attempt ends with. */
export async function markDelivered(tx: Transaction, attempt: ClaimedAttempt, at: Date): Promise<void> {
  await tx.query({
    name: 'mark-callback-delivered',
    text: `update webhook_deliveries set state = 'Delivered', delivered_at = $3, locked_until = null
            where vendor_id = $1 and delivery_id = $2 and state <> 'Delivered'`,
    values: [attempt.vendorId, attempt.deliveryId, at],
  });
}

/** Undefined when it was no longer this attempt's to decide: it overslept its lease and another has begun. */
export async function markFailed(
  tx: Transaction,
  attempt: ClaimedAttempt,
  nextAt: Date,
): Promise<'Pending' | 'Exhausted' | undefined> {
  const { rows } = await tx.query<{ state: 'Pending' | 'Exhausted' }>({
    name: 'mark-callback-failed',
    text: `update webhook_deliveries
              set state = case when attempts < most_attempts then 'Pending' else 'Exhausted' end,
                  next_attempt_at = $4, locked_until = null
            where vendor_id = $1 and delivery_id = $2 and attempts = $3 and state = 'Pending'
           returning state`,
    values: [attempt.vendorId, attempt.deliveryId, attempt.number, nextAt],
  });
  return rows[0]?.state;
}

export async function countPending(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from webhook_deliveries where state = 'Pending'`,
  );
  return rows[0]?.count ?? 0;
}

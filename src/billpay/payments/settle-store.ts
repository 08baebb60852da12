import type { Pool } from 'pg';
import type { PaymentState } from '../../contract/billpay/payment.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { isLeased } from '../../platform/work/due.ts';
import type { KeyValue, Payment } from '../core/payment.ts';
import type { FirstState } from '../core/payment-state.ts';
import { moneyText, PAYMENT_COLUMNS, type PaymentRow, paymentOfRow, productsText } from './payment-row.ts';
import type { PaymentKey } from './store.ts';

/** The only statements that write a payment's state. settle.ts alone calls them. */

/** Locks the billers' clocks in their order, and reads them. The holder of one has exclusive access to the paid payments of its biller. */
async function lockClocks(tx: Transaction, codes: readonly string[]): Promise<Map<string, Date | undefined>> {
  const { rows } = await tx.query<{ billerCode: string; lastPaidAt: Date | null }>({
    name: 'lock-biller-clocks',
    text: `select biller_code as "billerCode", last_paid_at as "lastPaidAt" from biller_clocks
            where biller_code = any($1) order by biller_code for update`,
    values: [codes],
  });
  return new Map(rows.map(({ billerCode, lastPaidAt }) => [billerCode, lastPaidAt ?? undefined]));
}

async function moveClocks(tx: Transaction, moments: ReadonlyMap<string, Date>): Promise<void> {
  await tx.query({
    name: 'move-biller-clocks',
    text: `update biller_clocks c set last_paid_at = g.last_paid_at
             from unnest($1::text[], $2::timestamptz[]) as g (biller_code, last_paid_at)
            where c.biller_code = g.biller_code`,
    values: [[...moments.keys()], [...moments.values()]],
  });
}

/** The clocks of these billers, locked until the end of the transaction. */
export class BillerClocks {
  readonly #last: Map<string, Date | undefined>;
  readonly #moved = new Map<string, Date>();

  private constructor(last: Map<string, Date | undefined>) {
    this.#last = last;
  }

  static async lock(tx: Transaction, codes: Iterable<string>): Promise<BillerClocks> {
    return new BillerClocks(await lockClocks(tx, [...new Set(codes)]));
  }

  /** Now, or one millisecond after the last payment of the biller: its moments increase strictly. */
  next(billerCode: string, now: Date): Date {
    const last = this.#last.get(billerCode);
    if (last === undefined && !this.#last.has(billerCode)) throw new Error('a biller without a locked clock was paid');
    const moment = last !== undefined && last >= now ? new Date(last.getTime() + 1) : now;
    this.#last.set(billerCode, moment);
    this.#moved.set(billerCode, moment);
    return moment;
  }

  async save(tx: Transaction): Promise<void> {
    if (this.#moved.size > 0) await moveClocks(tx, this.#moved);
  }
}

export async function lockPayments(tx: Transaction, keys: readonly PaymentKey[]): Promise<Payment[]> {
  const { rows } = await tx.query<PaymentRow>({
    name: 'lock-payments',
    text: `select ${PAYMENT_COLUMNS} from payments p
            where (p.vendor_id, p.payment_id) in (select * from unnest($1::uuid[], $2::bigint[]))
            order by p.payment_id for update`,
    values: columnsOf(keys, 'vendorId', 'paymentId'),
  });
  return rows.map(paymentOfRow);
}

/** A payment that is written for the first time. */
export interface NewPayment extends Omit<Payment, 'paymentId' | 'narration' | 'reversedAt' | 'status'> {
  readonly status: FirstState;
  readonly feedMetaData: readonly KeyValue[] | undefined;
  readonly cause: string;
  /** While BeingPaid: when the biller is asked what became of it. */
  readonly nextAttemptAt: Date | undefined;
}

/** The new payments' ids by their bill pay reference. */
export async function insertPayments(tx: Transaction, payments: readonly NewPayment[]): Promise<Map<string, bigint>> {
  const { rows } = await tx.query<{ reference: string; paymentId: bigint }>({
    name: 'insert-payments',
    text: `with given as (
             select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                    $8::numeric[], $9::numeric[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[],
                    $15::timestamptz[], $16::timestamptz[], $17::timestamptz[], $18::text[],
                    $19::text[]) with ordinality
               as given (vendor_id, vendor_reference, bill_pay_reference, biller_code, member_number, member_name, currency,
                         amount, fee, units, products, meta_data, payment_type, status, created_at, paid_at,
                         next_attempt_at, cause, feed_meta_data, ordinal)),
           made as (
             insert into payments (vendor_id, vendor_reference, bill_pay_reference, biller_code, member_number, member_name,
                    currency, amount, fee, units, products, meta_data, payment_type, status, created_at, paid_at,
                    next_attempt_at, feed_meta_data)
             select vendor_id, vendor_reference, bill_pay_reference, biller_code, member_number, member_name,
                    currency, amount, fee, units, products, meta_data, payment_type, status, created_at, paid_at,
                    next_attempt_at, feed_meta_data
               from given order by ordinal
             returning vendor_id, payment_id, bill_pay_reference, status, coalesce(paid_at, created_at) as at),
           noted as (
             insert into payment_transitions (vendor_id, payment_id, number, from_status, to_status, at, cause)
             select m.vendor_id, m.payment_id, 1, null, m.status, m.at, g.cause
               from made m join given g using (bill_pay_reference))
           select bill_pay_reference as reference, payment_id as "paymentId" from made`,
    values: [
      ...columnsOf(payments, 'vendorId', 'vendorReference', 'billPayReference', 'billerCode', 'memberNumber'),
      ...columnsOf(payments, 'memberName', 'currency'),
      payments.map(({ amount }) => moneyText(amount)),
      payments.map(({ fee }) => moneyText(fee)),
      payments.map(({ units }) => units),
      payments.map(({ products }) => productsText(products)),
      payments.map(({ metaData }) => JSON.stringify(metaData)),
      ...columnsOf(payments, 'paymentType', 'status', 'createdAt', 'paidAt', 'nextAttemptAt', 'cause'),
      payments.map(({ feedMetaData }) => feedMetaData && JSON.stringify(feedMetaData)),
    ],
  });
  return new Map(rows.map(({ reference, paymentId }) => [reference, paymentId]));
}

/** A payment that goes from one state to another. */
export interface Move extends PaymentKey {
  readonly from: PaymentState;
  readonly to: PaymentState;
  readonly at: Date;
  readonly cause: string;
  readonly narration: string | undefined;
  readonly nextAttemptAt: Date | undefined;
}

export async function movePayments(tx: Transaction, moves: readonly Move[]): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'move-payments',
    text: `with given as (
             select * from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[], $6::text[],
                    $7::text[], $8::timestamptz[])
               as given (vendor_id, payment_id, from_status, to_status, at, cause, narration, next_attempt_at)),
           moved as (
             update payments p
                set status = g.to_status,
                    narration = coalesce(g.narration, p.narration),
                    paid_at = case when g.to_status = 'Paid' then g.at else p.paid_at end,
                    reversed_at = case when g.to_status = 'Reversed' then g.at else p.reversed_at end,
                    next_attempt_at = g.next_attempt_at, locked_until = null, attempts = 0
               from given g
              where p.vendor_id = g.vendor_id and p.payment_id = g.payment_id and p.status = g.from_status
             returning p.vendor_id, p.payment_id)
           insert into payment_transitions (vendor_id, payment_id, number, from_status, to_status, at, cause)
           select g.vendor_id, g.payment_id,
                  1 + (select max(t.number) from payment_transitions t
                        where t.vendor_id = g.vendor_id and t.payment_id = g.payment_id),
                  g.from_status, g.to_status, g.at, g.cause
             from moved join given g using (vendor_id, payment_id)`,
    values: columnsOf(moves, 'vendorId', 'paymentId', 'from', 'to', 'at', 'cause', 'narration', 'nextAttemptAt'),
  });
  if (rowCount !== moves.length) throw new Error('a payment changed its state while it was locked');
}

/** A payment whose biller is to be asked what became of it. */
export interface DuePayment {
  readonly payment: Payment;
  /** How often it has been asked about, this time included. */
  readonly attempts: number;
  readonly askedAt: Date;
}

/** Takes payments that are due, for as long as the lease lasts; what another instance holds is left to it. */
export async function claimDuePayments(pool: Pool, now: Date, leaseMs: number, most: number): Promise<DuePayment[]> {
  const { rows } = await pool.query<PaymentRow & { attempts: number; askedAt: Date }>({
    name: 'claim-due-payments',
    text: `with due as (
             select vendor_id, payment_id from payments
              where status = 'BeingPaid' and next_attempt_at <= $1 and not ${isLeased('locked_until', '$1', '($2::timestamptz - $1)')}
              order by next_attempt_at limit $3 for update skip locked)
           update payments p set locked_until = $2, attempts = attempts + 1 from due
            where p.vendor_id = due.vendor_id and p.payment_id = due.payment_id
           returning ${PAYMENT_COLUMNS}, p.attempts,
                     (select max(t.at) from payment_transitions t
                       where t.vendor_id = p.vendor_id and t.payment_id = p.payment_id) as "askedAt"`,
    values: [now, new Date(now.getTime() + leaseMs), most],
  });
  return rows.map(({ attempts, askedAt, ...row }) => ({ payment: paymentOfRow(row), attempts, askedAt }));
}

/** It is still not decided: to be asked about again then. */
export async function postponePayment(pool: Pool, key: PaymentKey, nextAttemptAt: Date): Promise<void> {
  await pool.query({
    name: 'postpone-payment',
    text: `update payments set next_attempt_at = $3, locked_until = null
            where vendor_id = $1 and payment_id = $2 and status = 'BeingPaid'`,
    values: [key.vendorId, key.paymentId, nextAttemptAt],
  });
}

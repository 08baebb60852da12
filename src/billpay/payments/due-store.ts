import type { Pool } from 'pg';
import type { Payment } from '../core/payment.ts';
import { PAYMENT_COLUMNS, type PaymentRow, paymentOfRow } from './payment-row.ts';
import type { PaymentKey } from './store.ts';

/** A payment whose biller is to be asked what became of it. */
export interface DuePayment {
  readonly payment: Payment;
  /** How often it has been asked about, this time included. */
  readonly attempts: number;
  readonly askedAt: Date;
}

/** Takes payments that are due, for as long as the lease lasts; what another instance holds is left to it. */
export async function claimDuePayments(pool: Pool, now: Date, leaseMs: number, most: number): Promise<DuePayment[]> {
  const { rows } = await pool.query<PaymentRow & { attempts: number; asked_at: Date }>({
    name: 'claim-due-payments',
    text: `with due as (
             select vendor_id, payment_id from payments
              where status = 'BeingPaid' and next_attempt_at <= $1 and (locked_until is null or locked_until <= $1)
              order by next_attempt_at limit $3 for update skip locked)
           update payments p set locked_until = $2, attempts = attempts + 1 from due
            where p.vendor_id = due.vendor_id and p.payment_id = due.payment_id
           returning ${PAYMENT_COLUMNS}, p.attempts,
                     (select max(t.at) from payment_transitions t
                       where t.vendor_id = p.vendor_id and t.payment_id = p.payment_id) as asked_at`,
    values: [now, new Date(now.getTime() + leaseMs), most],
  });
  return rows.map((row) => ({ payment: paymentOfRow(row), attempts: row.attempts, askedAt: row.asked_at }));
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

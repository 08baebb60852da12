import { type Decimal, formatDecimal } from '../../kernel/decimal.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** What the figures of a target need to know of a payment. */
export interface CountedPayment {
  readonly billerCode: string;
  readonly currency: string;
  /** Without the fee. */
  readonly amount: Decimal;
  readonly units: number;
  readonly memberNumber: string;
  /** The moment at which it became Paid: unique per biller, and increasing. */
  readonly paidAt: Date;
}

/** In target_totals and target_payers: all currencies together. */
export const ALL_CURRENCIES = '';

/**
 * From `counted` (a row for each payment, period and currency) into the tables. A payer is new when there are afterwards just
 * as many payments of theirs as were added.
 */
const ADD_COUNTED = `
  added as (
    select period_id, currency, member_number, count(*)::integer as payments, sum(amount) as amount, sum(units) as units
      from counted group by period_id, currency, member_number),
  payers as (
    insert into target_payers as known (period_id, currency, member_number, payments)
    select period_id, currency, member_number, payments from added order by period_id, currency, member_number
        on conflict (period_id, currency, member_number) do update set payments = known.payments + excluded.payments
    returning period_id, currency, member_number, payments),
  totals as (
    insert into target_totals as known (period_id, currency, amount, units, payer_count)
    select period_id, currency, sum(added.amount), sum(added.units),
           count(*) filter (where payers.payments = added.payments)
      from added join payers using (period_id, currency, member_number)
     group by period_id, currency order by period_id, currency
        on conflict (period_id, currency) do update
       set amount = known.amount + excluded.amount,
           units = known.units + excluded.units,
           payer_count = known.payer_count + excluded.payer_count)`;

/**
 * Adds payments that become Paid in this transaction to the figures of their billers' targets, however many billers there
 * are, in one statement that is on its way when this returns: a commit may be sent right behind it. The caller holds the
 * locks of the billers' clocks, so nothing else changes these figures.
 */
export async function countPaid(tx: Transaction, payments: readonly CountedPayment[]): Promise<void> {
  if (payments.length === 0) return;
  await tx.query({
    name: 'add-paid-to-targets',
    text: `with given as (
             select * from unnest($1::text[], $2::text[], $3::numeric[], $4::bigint[], $5::text[], $6::timestamptz[])
                        as given (biller_code, currency, amount, units, member_number, paid_at)),
           counted as (
             select period.period_id, currencies.currency, given.amount, given.units, given.member_number
               from given
               join target_periods period on period.biller_code = given.biller_code and period.state <> 'Retired'
                and (period.since is null or period.since <= given.paid_at)
              cross join lateral (values ('${ALL_CURRENCIES}'), (given.currency)) as currencies (currency)),
           ${ADD_COUNTED}
           select`,
    values: [
      ...columnsOf(payments, 'billerCode', 'currency'),
      payments.map(({ amount }) => formatDecimal(amount)),
      ...columnsOf(payments, 'units', 'memberNumber', 'paidAt'),
    ],
  });
}

/**
 * Takes a payment that is reversed in this transaction out again. The caller holds the lock of the biller's clock.
 * Of a period that is being built only what has been counted already can be taken out: the rest will be found reversed
 * when its turn comes.
 */
export async function countReversed(tx: Transaction, payment: CountedPayment): Promise<void> {
  await tx.query({
    name: 'subtract-reversed-from-targets',
    text: `with counted as (
             select period_id, currency
               from target_periods cross join (values ('${ALL_CURRENCIES}'), ($2::text)) as currencies (currency)
              where biller_code = $1 and state <> 'Retired' and (since is null or since <= $6::timestamptz)
                and (live_after is null or $6 > live_after or $6 <= counted_through)),
           fewer as (
             update target_payers payer set payments = payments - 1 from counted
              where payer.period_id = counted.period_id and payer.currency = counted.currency
                and member_number = $5 and payments > 1),
           gone as (
             delete from target_payers payer using counted
              where payer.period_id = counted.period_id and payer.currency = counted.currency
                and member_number = $5 and payments = 1
             returning payer.period_id, payer.currency)
           update target_totals total
              set amount = amount - $3::numeric,
                  units = units - $4::bigint,
                  payer_count = payer_count - (select count(*) from gone
                    where gone.period_id = total.period_id and gone.currency = total.currency)
             from counted
            where total.period_id = counted.period_id and total.currency = counted.currency`,
    values: [
      payment.billerCode,
      payment.currency,
      formatDecimal(payment.amount),
      payment.units,
      payment.memberNumber,
      payment.paidAt,
    ],
  });
}

export interface Chunk {
  readonly periodId: bigint;
  readonly billerCode: string;
  /** Both included. */
  readonly from: Date | null;
  readonly to: Date;
  readonly most: number;
}

/** Adds the next payments in the order of their moments; answers how many there were, and the last one's moment. */
export async function addChunk(
  tx: Transaction,
  chunk: Chunk,
): Promise<{ readonly count: number; readonly last: Date | undefined }> {
  const { rows } = await tx.query<{ count: number; last: Date | null }>({
    name: 'add-chunk-to-target',
    text: `with chunk as materialized (
             select currency, amount, units, member_number, paid_at from payments
              where biller_code = $2 and status = 'Paid' and paid_at >= $3::timestamptz and paid_at <= $4::timestamptz
              order by paid_at limit $5),
           counted as (
             select $1::bigint as period_id, currencies.currency, amount, units, member_number
               from chunk cross join lateral (values ('${ALL_CURRENCIES}'), (chunk.currency)) as currencies (currency)),
           ${ADD_COUNTED}
           select count(*)::integer as count, max(paid_at) as last from chunk`,
    values: [chunk.periodId, chunk.billerCode, chunk.from ?? '-infinity', chunk.to, chunk.most],
  });
  return { count: rows[0]?.count ?? 0, last: rows[0]?.last ?? undefined };
}

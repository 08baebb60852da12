import type { Queryable } from '../../platform/database.ts';

/** What was paid in a minute in one currency. */
export interface PaymentMinute {
  readonly minute: Date;
  readonly currency: string;
  /** Those that became paid in it. */
  readonly count: number;
  /** Exact, as text, fees included; reversals count against the minute they were made in. */
  readonly total: string;
}

/** Reads a piece of each biller's index by time, and of that of the reversals. */
export async function sumPaymentMinutes(db: Queryable, from: Date, to: Date | undefined): Promise<PaymentMinute[]> {
  const { rows } = await db.query<PaymentMinute>(
    `select date_trunc('minute', at) as minute, currency, sum(paid)::integer as count, sum(total) as total
       from (select p.at, p.currency, 1 as paid, p.total
               from billers b
              cross join lateral (select paid_at as at, currency, amount + fee as total from payments
                                   where biller_code = b.biller_code and paid_at >= $1 and paid_at < $2) p
              union all
             select reversed_at, currency, 0, -(amount + fee) from payments where reversed_at >= $1 and reversed_at < $2) moved
      group by 1, 2`,
    [from, to ?? 'infinity'],
  );
  return rows;
}

/** When the first payment at or after that moment was paid, or reversed. */
export async function firstPaymentSince(db: Queryable, from: Date): Promise<Date | undefined> {
  const { rows } = await db.query<{ at: Date | null }>(
    `select least(
       (select min(p.at) from billers b
         cross join lateral (select min(paid_at) as at from payments
                              where biller_code = b.biller_code and paid_at >= $1) p),
       (select min(reversed_at) from payments where reversed_at >= $1)) as at`,
    [from],
  );
  return rows[0]?.at ?? undefined;
}

import type { Queryable } from '../../platform/database.ts';

/** What was sealed in a minute in one currency. */
export interface ReceiptMinute {
  readonly minute: Date;
  readonly currency: string;
  readonly count: number;
  /** Exact, as text; credit notes count against it. */
  readonly total: string;
}

/** Reads a piece of the index by time. */
export async function sumReceiptMinutes(db: Queryable, from: Date, to: Date | undefined): Promise<ReceiptMinute[]> {
  const { rows } = await db.query<ReceiptMinute>(
    `select date_trunc('minute', sealed_at) as minute, currency, count(*)::integer as count, sum(total) as total
       from receipts where sealed_at >= $1 and sealed_at < $2 group by 1, 2`,
    [from, to ?? 'infinity'],
  );
  return rows;
}

/** When the first receipt at or after that moment was sealed. */
export async function firstReceiptSince(db: Queryable, from: Date): Promise<Date | undefined> {
  const { rows } = await db.query<{ at: Date | null }>(
    'select min(sealed_at) as at from receipts where sealed_at >= $1',
    [from],
  );
  return rows[0]?.at ?? undefined;
}

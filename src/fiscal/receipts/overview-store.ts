import type { SubmissionState } from '../../contract/fiscal/receipt.ts';
import type { Queryable } from '../../platform/database/database.ts';

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

export interface LatestReceipt {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly globalCounter: number;
  readonly reference: string;
  readonly type: string;
  readonly currency: string;
  readonly total: string;
  readonly sealedAt: Date;
  readonly zone: string;
  readonly state: SubmissionState;
  readonly worstColour: 'Red' | 'Grey' | 'Yellow' | null;
}

export async function findLatestReceipts(db: Queryable, limit: number): Promise<LatestReceipt[]> {
  const { rows } = await db.query<LatestReceipt>({
    name: 'find-latest-receipts',
    text: `select r.taxpayer_id as "taxpayerId", r.device_id as "deviceId", r.global_counter as "globalCounter", r.reference,
                  r.type, r.currency, r.total, r.sealed_at as "sealedAt", d.zone, coalesce(s.state, 'Pending') as state,
                  s.worst_colour as "worstColour"
             from (select taxpayer_id, device_id, global_counter, reference, type, currency, total, sealed_at
                     from receipts order by sealed_at desc limit $1) r
             join devices d using (taxpayer_id, device_id)
             left join submissions s using (taxpayer_id, device_id, global_counter)
            order by r.sealed_at desc, r.device_id desc, r.global_counter desc`,
    values: [limit],
  });
  return rows;
}

import type { Queryable } from '../../platform/database.ts';

export interface FeedRow {
  readonly paid_at: Date;
  readonly member_number: string;
  readonly amount: string;
  readonly meta_data: string;
}

const COLUMNS = 'paid_at, member_number, amount, meta_data';

/** Exported for the test that looks at their plans: each walks one partial index backwards, from where `before` stands. */
export const FEED_STATEMENTS = {
  all: `select ${COLUMNS} from payments
         where biller_code = $1 and status = 'Paid' and paid_at < $2
         order by paid_at desc limit $3`,
  byCurrency: `select ${COLUMNS} from payments
                where biller_code = $1 and currency = $4 and status = 'Paid' and paid_at < $2
                order by paid_at desc limit $3`,
} as const;

/** The newest paid payments of a biller before a moment. */
export async function listFeed(
  db: Queryable,
  billerCode: string,
  currency: string | undefined,
  before: Date,
  limit: number,
): Promise<FeedRow[]> {
  const { rows } = await db.query<FeedRow>(
    currency === undefined
      ? { name: 'list-feed', text: FEED_STATEMENTS.all, values: [billerCode, before, limit] }
      : {
          name: 'list-feed-by-currency',
          text: FEED_STATEMENTS.byCurrency,
          values: [billerCode, before, limit, currency],
        },
  );
  return rows;
}

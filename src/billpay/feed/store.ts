import type { FeedItem } from '../../contract/billpay/biller-figures.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { Queryable } from '../../platform/database/database.ts';

interface FeedRow {
  readonly paid_at: Date;
  readonly member_number: string;
  readonly amount: string;
  readonly meta_data: string;
}

export interface FeedPage {
  readonly billerCode: string;
  readonly currency: string | undefined;
  /** Unix time in milliseconds; only what was paid before it. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** The last millisecond of the year 9999, which every program and the database can write down. */
const END_OF_TIME_MS = 253_402_300_799_999;

const COLUMNS =
  'paid_at, member_number, amount, coalesce(feed_meta_data, meta_data) as meta_data, array[xmin] as xmins';

/** Exported for the test that looks at their plans: each walks one partial index backwards, from where `before` stands. */
export const FEED_STATEMENTS = {
  all: `select ${COLUMNS} from payments
         where biller_code = $1 and status = 'Paid' and paid_at < $2
         order by paid_at desc limit $3`,
  byCurrency: `select ${COLUMNS} from payments
                where biller_code = $1 and currency = $4 and status = 'Paid' and paid_at < $2
                order by paid_at desc limit $3`,
} as const;

/** The newest paid payments of a biller, from all vendors. Who may see them is decided before. */
export async function listFeed(db: Queryable, page: FeedPage): Promise<FeedItem[]> {
  const { billerCode, currency, before = END_OF_TIME_MS, limit } = page;
  const until = new Date(Math.min(Math.max(0, before), END_OF_TIME_MS));
  const values = [billerCode, until, limit];
  const { rows } = await db.query<FeedRow>(
    currency === undefined
      ? { name: 'list-feed', text: FEED_STATEMENTS.all, values }
      : {
          name: 'list-feed-by-currency',
          text: FEED_STATEMENTS.byCurrency,
          values: [...values, canonicalCurrency(currency)],
        },
  );
  return rows.map((row) => ({
    Date: row.paid_at.toISOString(),
    MemberNumber: row.member_number,
    Amount: decimal(row.amount),
    MetaData: JSON.parse(row.meta_data) as FeedItem['MetaData'],
  }));
}

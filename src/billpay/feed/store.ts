import type { FeedItem, Member } from '../../contract/billpay/biller-figures.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';

type FeedRow = Record<'Date' | 'MemberNumber' | 'amount' | 'metaData' | 'xmins', string>;

export interface FeedPage {
  readonly billerCode: string;
  readonly currency: string | undefined;
  /** Unix time in milliseconds; only what was paid before it. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** The last millisecond of the year 9999, which every program and the database can write down. */
const END_OF_TIME_MS = 253_402_300_799_999;

const COLUMNS = `${instantText('paid_at')} as "Date", member_number as "MemberNumber", amount,
  coalesce(feed_meta_data, meta_data) as "metaData", array[xmin] as xmins`;

/** Exported for the test that looks at their plans: each walks one partial index backwards, from where `before` stands. */
export const FEED_STATEMENTS = {
  all: `select ${COLUMNS} from payments
         where biller_code = $1 and status = 'Paid' and paid_at < $2
         order by paid_at desc limit $3`,
  byCurrency: `select ${COLUMNS} from payments
                where biller_code = $1 and currency = $4 and status = 'Paid' and paid_at < $2
                order by paid_at desc limit $3`,
} as const;

/** How many payments a page of members is made from, however many there are. */
const MEMBER_PAYMENTS = 5000;
const WINDOW = `select member_number, paid_at from payments
  where biller_code = $1 and status = 'Paid' and paid_at < $2 order by paid_at desc limit ${MEMBER_PAYMENTS}`;

type MemberRow = Pick<Member, 'MemberNumber' | 'LastPaidAt' | 'Payments'> & {
  /** JSON text. */
  readonly totals: string;
};

/** Of those who paid before a moment and not since, the latest. Each is asked for by itself, so that no index is kept for it with every payment. */
export async function listMembers(
  db: Queryable,
  billerCode: string,
  before = END_OF_TIME_MS,
  limit = 1,
): Promise<Member[]> {
  const { rows } = await db.query<MemberRow>(
    `with latest as (select member_number, max(paid_at) as last_paid_at from (${WINDOW}) w group by member_number),
          page as (
            select * from latest
             where not exists (select from payments l where l.member_number = latest.member_number and l.biller_code = $1
                                  and l.status = 'Paid' and l.paid_at >= $2)
             order by last_paid_at desc limit $3)
     select member_number as "MemberNumber", ${instantText('last_paid_at')} as "LastPaidAt", payments as "Payments", totals
       from page cross join lateral (
       select sum(count)::integer as payments, json_agg(json_build_object('currency', currency, 'amount', amount) order by currency) as totals
         from (select currency, count(*), sum(amount)::text as amount from payments p
                where p.member_number = page.member_number and p.biller_code = $1 and p.status = 'Paid' group by currency) c) t
      order by last_paid_at desc`,
    [billerCode, new Date(before), limit],
  );
  return rows.map(({ totals, ...member }) => ({
    ...member,
    Totals: (JSON.parse(totals) as readonly Record<'currency' | 'amount', string>[]).map(({ currency, amount }) => ({
      Currency: currency,
      Amount: decimal(amount),
    })),
  }));
}

/** Where the payments of a page end and others follow; undefined where none do. */
export async function membersGoOn(
  db: Queryable,
  billerCode: string,
  before = END_OF_TIME_MS,
): Promise<Date | undefined> {
  const { rows } = await db.query<{ at: Date }>(
    `select paid_at as at from (${WINDOW}) w offset ${MEMBER_PAYMENTS - 1}`,
    [billerCode, new Date(before)],
  );
  return rows[0]?.at;
}

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
  return rows.map(({ amount, metaData, xmins: _xmins, ...item }) => ({
    ...item,
    Amount: decimal(amount),
    MetaData: JSON.parse(metaData) as FeedItem['MetaData'],
  }));
}

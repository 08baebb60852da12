import { canonicalCurrency } from '../../kernel/currency.ts';
import type { Queryable } from '../../platform/database.ts';
import { type FeedRow, listFeed } from './store.ts';

/** The last millisecond of the year 9999, which every program and the database can write down. */
const END_OF_TIME_MS = 253_402_300_799_999;

export interface FeedPage {
  readonly billerCode: string;
  readonly currency?: string | undefined;
  /** Unix time in milliseconds; only what was paid before it. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** The newest paid payments of a biller, from all vendors. Who may see them is decided before. */
export function readFeed(db: Queryable, page: FeedPage): Promise<FeedRow[]> {
  const { billerCode, currency, before = END_OF_TIME_MS, limit } = page;
  const until = new Date(Math.min(Math.max(0, before), END_OF_TIME_MS));
  return listFeed(db, billerCode, currency === undefined ? undefined : canonicalCurrency(currency), until, limit);
}

/** As text, because amounts are exact. */
export function feedItemText({ paid_at, member_number, amount, meta_data }: FeedRow): string {
  const member = JSON.stringify(member_number);
  return `{"Date":"${paid_at.toISOString()}","MemberNumber":${member},"Amount":${amount},"MetaData":${meta_data}}`;
}

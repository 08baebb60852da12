import type { Pool } from 'pg';
import type { Reads } from './measure-reads.ts';
import { billers } from './payments-load.ts';

const DEEP_PAGES = 1000;
const PAGE = 20;

/** Every biller in turn. */
export async function paymentReads(pool: Pool, token: string): Promise<Reads> {
  const asking = (paths: readonly string[], isRight: (answer: string) => boolean) => (turn: number) => ({
    path: `/api/payment/${paths[turn % paths.length]}`,
    token,
    isRight,
  });
  const stats = billers.flatMap(({ Code }) =>
    ['', '&currency=USD'].map((more) => `TargetStats?billercode=${Code}${more}`),
  );
  const first = billers.map(({ Code }) => `feed?billercode=${Code}`);
  const isWholePage = (answer: string) => answer.split('"Date":').length === PAGE + 1;
  return {
    TargetStats: asking(stats, (text) => text.includes('"PayerCount":') && !text.includes('"PayerCount":0')),
    'feed, first page': asking(first, isWholePage),
    'feed, deep page': asking(await deepPages(pool), isWholePage),
  };
}

/** Of each biller the page at this depth, or the last full one. */
async function deepPages(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ code: string; before: string }>(
    `select distinct on (code) biller_code as code, (extract(epoch from paid_at) * 1000)::bigint::text as before
       from (select biller_code, paid_at, row_number() over newest as place, count(*) over (partition by biller_code) as all_of_it
               from payments where status = 'Paid' window newest as (partition by biller_code order by paid_at desc)) paid
      where place = least($1, all_of_it - ${PAGE})`,
    [DEEP_PAGES * PAGE],
  );
  return rows.map(({ code, before }) => `feed?billercode=${code}&before=${before}`);
}

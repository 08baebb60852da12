import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { replaceBiller } from '../../../src/billpay/index.ts';
import { PLAIN_BILLER } from '../../../src/contract/billpay/plain-biller.ts';
import { decimal } from '../../../src/kernel/decimal.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { whole } from '../shared/report.ts';
import { progress } from '../shared/run.ts';
import type { Stage } from '../shared/stage.ts';
import { insertRows, withoutIndexes } from './without-indexes.ts';

const BILLERS = 20;
const YEARS_MS = 2 * 365 * 24 * 3600 * 1000;
const MAX_MEMBERS = 200_000;

export const billers = Array.from({ length: BILLERS }, (_, index) => ({
  ...PLAIN_BILLER,
  Code: `BENCH-${index + 1}`,
  Name: `Biller ${index + 1}`,
  Currencies: ['USD', 'ZWG', 'ZAR'],
  AllowFeed: true,
}));
const codes = billers.map(({ Code }) => Code);

/** Of two years: a few billers have most of them, some members pay often, one in thirty was reversed, failed or never paid. */
export async function loadPayments({ pool }: Stage, count: number): Promise<void> {
  const startMs = Date.now() - YEARS_MS;
  const members = Math.min(count / 5, MAX_MEMBERS);
  await withoutIndexes(pool, 'payments', () =>
    insertRows(pool, 1, count + 1, (tx, first, last) =>
      tx.query(INSERT, [first, last, startMs, YEARS_MS / count, codes, members]),
    ),
  );
  await pool.query(
    `update biller_clocks clock set last_paid_at =
       (select max(paid_at) from payments where payments.biller_code = clock.biller_code)`,
  );
  await pool.query('vacuum analyze payments');
}

const INSERT = `
  with vendor as (select array_agg(vendor_id) as ids from vendors),
       drawn as (
         select number, random() as a, random() as b, random() as c, random() as d, random() as e,
                to_timestamp(($3::double precision + number * $4::double precision) / 1000) as at
           from generate_series($1::bigint, $2::bigint) as number)
  insert into payments (vendor_id, vendor_reference, bill_pay_reference, biller_code, member_number, currency, amount, fee,
         units, products, meta_data, payment_type, status, created_at, paid_at, reversed_at)
  select vendor.ids[1 + number % array_length(vendor.ids, 1)], 'APP-' || number, 'BP-' || number,
         ($5::text[])[floor(exp(a * ln(cardinality($5::text[]) + 1)))::integer],
         'M' || floor(b * b * $6::double precision)::bigint,
         case when c < 0.6 then 'USD' when c < 0.9 then 'ZWG' else 'ZAR' end,
         round((0.5 + d * e * 400)::numeric, 2), 0, floor(d * 4)::bigint,
         '[{"Code":"PREPAID-10","Name":"Prepaid water, 10 m³","Quantity":1,"Price":12.5}]',
         '[{"Key":"Meter","Value":"' || number || '"},{"Key":"Channel","Value":"USSD"}]',
         'MobileWallet', kind.status, at,
         case when kind.status in ('Paid', 'Reversed') then at end, case when kind.status = 'Reversed' then at end
    from drawn, vendor,
         lateral (select case when e < 0.97 then 'Paid' when e < 0.985 then 'Reversed'
                              when e < 0.995 then 'Failed' else 'Authorised' end as status) as kind`;

/** Gives every biller a target that began three months ago, waits until the service has counted it, and resolves with how long that took. */
export async function buildTargets({ pool, signal }: Stage): Promise<string> {
  const startedAt = performance.now();
  const target = {
    TargetAmount: decimal('1000000'),
    TargetUnits: decimal('100000'),
    TargetAchievedSinceDate: new Date(Date.now() - YEARS_MS / 8).toISOString(),
  };
  for (const biller of billers) {
    await inTransaction(pool, (tx) => replaceBiller(tx, { ...biller, ...target }, new Date()));
  }
  for (;;) {
    const { rows } = await pool.query<{ built: number; payments: number }>(
      `select (select count(*)::integer from target_periods where state = 'Current') as built,
              (select coalesce(sum(payments), 0)::integer from target_payers where currency = '') as payments`,
    );
    const { built = 0, payments = 0 } = rows[0] ?? {};
    progress(`the service counts the targets, ${built} of ${BILLERS}`);
    const seconds = (performance.now() - startedAt) / 1000;
    const perSecond = whole(payments / seconds);
    if (built === BILLERS)
      return `The targets' ${whole(payments)} payments were counted in ${seconds.toFixed(1)} s (${perSecond} a second).`;
    await delay(100, undefined, { signal });
  }
}

/** How many figures differ from a plain recount. */
export async function countWrongFigures(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ wrong: number }>(
    `with kept as (
       select biller_code, currency, amount, units, payer_count
         from target_periods join target_totals using (period_id) where state = 'Current'),
     counted as (
       select biller_code, coalesce(currency, '') as currency, sum(amount) as amount, sum(units)::bigint as units,
              count(distinct member_number) as payer_count
         from payments join target_periods using (biller_code)
        where status = 'Paid' and paid_at >= since
        group by grouping sets ((biller_code, currency), (biller_code)))
     select ((select count(*) from (table kept except table counted) a) +
             (select count(*) from (table counted except table kept) b))::integer as wrong`,
  );
  return rows[0]?.wrong ?? -1;
}

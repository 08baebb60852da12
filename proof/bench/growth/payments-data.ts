import type { Pool } from 'pg';
import { addBiller, addVendor, changeVisibility, replaceBiller } from '../../../src/billpay/index.ts';
import { PLAIN_BILLER } from '../../../src/contract/billpay/plain-biller.ts';
import { decimal } from '../../../src/kernel/decimal.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';

const BILLERS = 20;
const VENDORS = 3;
const ROWS_PER_INSERT = 100_000;
const YEARS_MS = 2 * 365 * 24 * 3600 * 1000;
const MAX_MEMBERS = 200_000;

export const billerCodes = Array.from({ length: BILLERS }, (_, index) => `BENCH-${index + 1}`);

function biller(Code: string) {
  return { ...PLAIN_BILLER, Code, Name: `Biller ${Code}`, Currencies: ['USD', 'ZWG', 'ZAR'], AllowFeed: true };
}

/** Vendors that all see the billers; returns the first one's token. */
export async function makeBillers(pool: Pool, masterKey: Buffer): Promise<{ readonly token: string }> {
  const vendorIds = Array.from({ length: VENDORS }, () => newId());
  return inTransaction(pool, async (tx) => {
    const now = new Date();
    const tokens: string[] = [];
    for (const [index, vendorId] of vendorIds.entries()) {
      const vendor = { vendorId, vendorCode: `BENCH-${index + 1}`, name: 'Bench' };
      await addVendor(tx, singleMasterKey(masterKey), vendor, now);
      tokens.push((await issueToken(tx, { vendorId, name: 'app', scopes: ['read'] })).token);
    }
    for (const code of billerCodes) {
      await addBiller(tx, biller(code), now);
      for (const vendorId of vendorIds) await changeVisibility(tx, vendorId, code, true, now);
    }
    return { token: tokens[0] ?? '' };
  });
}

/**
 * Payments of two years: a few billers have most of them, some members pay often, one in thirty was reversed, failed or never
 * paid. Indexes are built afterwards, from their own definitions, which takes a third of the time.
 */
export async function loadPayments(pool: Pool, count: number, onLoaded: (rows: number) => void): Promise<void> {
  const { rows: indexes } = await pool.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where tablename = 'payments' and indexname <> 'payments_pkey'`,
  );
  for (const { indexname } of indexes) await pool.query(`drop index ${indexname}`);
  const startMs = Date.now() - YEARS_MS;
  for (let from = 1; from <= count; from += ROWS_PER_INSERT) {
    const to = Math.min(count, from + ROWS_PER_INSERT - 1);
    await inTransaction(pool, async (tx) => {
      // The foreign keys are correct by construction; checking them would double the time.
      await tx.query('set local session_replication_role = replica');
      await tx.query(INSERT, [from, to, startMs, YEARS_MS / count, billerCodes, Math.min(count / 5, MAX_MEMBERS)]);
    });
    onLoaded(to);
  }
  for (const { indexdef } of indexes) {
    await inTransaction(pool, async (tx) => {
      await tx.query(`set local maintenance_work_mem = '256MB'`);
      await tx.query(indexdef);
    });
  }
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

/** Gives every biller a target that began three months ago, and waits until the service has counted it. */
export async function buildTargets(
  pool: Pool,
  signal: AbortSignal,
  onBuilt: (billers: number) => void,
): Promise<{ readonly seconds: number; readonly payments: number }> {
  const startedAt = performance.now();
  const target = {
    TargetAmount: decimal('1000000'),
    TargetUnits: decimal('100000'),
    TargetAchievedSinceDate: new Date(Date.now() - YEARS_MS / 8).toISOString(),
  };
  for (const code of billerCodes) {
    await inTransaction(pool, (tx) => replaceBiller(tx, { ...biller(code), ...target }, new Date()));
  }
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::integer as count from target_periods where state = 'Current'`,
    );
    onBuilt(rows[0]?.count ?? 0);
    if (rows[0]?.count === BILLERS) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const { rows } = await pool.query<{ payments: number }>(
    `select sum(payments)::integer as payments from target_payers where currency = ''`,
  );
  return { seconds, payments: rows[0]?.payments ?? 0 };
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

/** The cursor in each biller's feed for the page at this depth, or for the last full one. */
export async function findDepths(
  pool: Pool,
  pages: number,
): Promise<{ readonly code: string; readonly before: number }[]> {
  const found = [];
  for (const code of billerCodes) {
    const { rows } = await pool.query<{ before: string; depth: number }>(
      `with paid as (select count(*)::integer as count from payments where biller_code = $1 and status = 'Paid')
       select (extract(epoch from paid_at) * 1000)::bigint::text as before, least($2 * 20, paid.count - 20) as depth
         from payments, paid where biller_code = $1 and status = 'Paid'
        order by paid_at desc offset (select least($2 * 20, count - 20) - 1 from paid) limit 1`,
      [code, pages],
    );
    if (rows[0] !== undefined) found.push({ code, before: Number(rows[0].before) });
  }
  return found;
}

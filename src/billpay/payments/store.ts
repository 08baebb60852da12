import type { BillPaymentStatus, PaymentState } from '../../contract/billpay/payment.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';
import type { Payment } from '../core/payment.ts';
import { firstReferenceAt } from '../invoices/references.ts';
import { PAYMENT_COLUMNS, type PaymentRow, paymentOfRow } from './payment-row.ts';

/** With what tells whether the standby has them. */
const READ_COLUMNS = `${PAYMENT_COLUMNS}, array[p.xmin] as xmins`;

export interface PaymentKey {
  readonly vendorId: string;
  readonly paymentId: bigint;
}

/** What names one payment: the vendor's own reference of it, or ours. */
export type PaymentName =
  | { readonly vendorId: string; readonly vendorReference: string }
  /** Without a vendor only for operators, who see all. */
  | { readonly vendorId: string | undefined; readonly billPayReference: string };

export async function findPayment(db: Queryable, name: PaymentName): Promise<Payment | undefined> {
  if ('vendorReference' in name) return (await findByReferences(db, [name]))[0];
  const { rows } = await db.query<PaymentRow>({
    name: 'find-payment-by-bill-pay-reference',
    text: `select ${READ_COLUMNS} from payments p
            where p.bill_pay_reference = $2 and ($1::uuid is null or p.vendor_id = $1)`,
    values: [name.vendorId, name.billPayReference],
  });
  return rows[0] && paymentOfRow(rows[0]);
}

export interface ReferenceKey {
  readonly vendorId: string;
  readonly vendorReference: string;
}

/**
 * The first at or after each key, in the order of their own index, and then a look whether it is that one. Asked for the key
 * itself, the planner takes the primary key for as good between 110 and 220 payments, keeps that plan, and reads all of a
 * vendor's payments for every new one; a join it may plan as a scan.
 */
export async function findByReferences(db: Queryable, keys: readonly ReferenceKey[]): Promise<Payment[]> {
  const { rows } = await db.query<PaymentRow>({
    name: 'find-payments-by-vendor-references',
    text: `select ${READ_COLUMNS} from unnest($1::uuid[], $2::text[]) as k (vendor_id, vendor_reference)
            cross join lateral (select one.*, one.xmin from payments one
                                 where (one.vendor_reference, one.vendor_id) >= (k.vendor_reference, k.vendor_id)
                                 order by one.vendor_reference, one.vendor_id limit 1) p
            where p.vendor_reference = k.vendor_reference and p.vendor_id = k.vendor_id`,
    values: columnsOf(keys, 'vendorId', 'vendorReference'),
  });
  return rows.map(paymentOfRow);
}

export async function listTransitions(db: Queryable, key: PaymentKey): Promise<BillPaymentStatus['Transitions']> {
  const { rows } = await db.query<BillPaymentStatus['Transitions'][number] & { readonly xmins: string }>({
    name: 'list-payment-transitions',
    text: `select from_status as "From", to_status as "To", ${instantText('at')} as "At", cause as "Cause", array[xmin] as xmins
             from payment_transitions where vendor_id = $1 and payment_id = $2 order by number`,
    values: [key.vendorId, key.paymentId],
  });
  return rows.map(({ xmins: _xmins, ...transition }) => transition);
}

/** Filters of the list; each undefined one is no filter. */
export interface PaymentFilter {
  readonly vendorReference?: string | undefined;
  /** How the vendor's reference begins. */
  readonly vendorReferenceStarts?: string | undefined;
  readonly billerCode?: string | undefined;
  readonly status?: PaymentState | undefined;
  readonly currency?: string | undefined;
  readonly memberNumber?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Times are places in the index of our references, which begin with the time they were made at. */
const TIMES = `($7::text is null or p.bill_pay_reference >= $7) and ($8::text is null or p.bill_pay_reference < $8)`;
const FILTERS = `($2::text is null or p.vendor_reference = $2)
  and ($3::text is null or p.biller_code = $3)
  and ($4::text is null or p.status = $4)
  and ($5::text is null or p.currency = $5)
  and ($6::text is null or p.member_number = $6)
  and ($11::text is null or p.vendor_reference ^@ $11)
  and ${TIMES}`;

/** A vendor's own, newest first, down its primary key; `before` is the last payment of the page before. */
export async function listPayments(
  db: Queryable,
  vendorId: string,
  filter: PaymentFilter,
  before: bigint | undefined,
  limit: number,
): Promise<Payment[]> {
  const walk = { owner: 'p.vendor_id = $1', place: '($9::bigint is null or p.payment_id < $9)', order: 'p.payment_id' };
  const { text, values } = await walkStatement(db, walk, [vendorId, filter, before, limit]);
  const { rows } = await db.query<PaymentRow>(text, values);
  return rows.map(paymentOfRow);
}

/** A payment as operators see it: they need to know whose it is. */
export interface FoundPayment {
  readonly vendorCode: string;
  readonly payment: Payment;
}

/**
 * Of all vendors or of one, newest first. `before` is our reference of the last payment of the page before: those of all
 * vendors are walked by it, those of one down its primary key.
 */
export async function searchPayments(
  db: Queryable,
  vendorId: string | undefined,
  filter: PaymentFilter,
  before: string | undefined,
  limit: number,
): Promise<FoundPayment[]> {
  const { text, values } = await searchStatement(db, vendorId, filter, before, limit);
  const { rows } = await db.query<PaymentRow & { vendorCode: string }>(text, values);
  return rows.map(({ vendorCode, ...row }) => ({ vendorCode, payment: paymentOfRow(row) }));
}

/** The statement alone, so that a test can ask PostgreSQL for its plan. */
export async function searchStatement(
  db: Queryable,
  vendorId: string | undefined,
  filter: PaymentFilter,
  before: string | undefined,
  limit: number,
): Promise<Statement> {
  const [place, order] =
    vendorId === undefined
      ? ['p.bill_pay_reference < $9', 'p.bill_pay_reference']
      : ['p.payment_id < (select payment_id from payments where bill_pay_reference = $9)', 'p.payment_id'];
  const walk = { owner: '($1::uuid is null or p.vendor_id = $1)', place: `($9::text is null or ${place})`, order };
  return walkStatement(db, walk, [vendorId, filter, before, limit]);
}

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

interface Walk {
  readonly owner: string;
  readonly place: string;
  readonly order: string;
}

/** How many payments are looked at for each that is wanted, before the index of references is asked for all that begin so. */
const LOOKED_AT_PER_WANTED = 100;

/**
 * Down the index of the order. References mostly count upwards, so those that begin alike lie together in time: either a page of
 * them is among the newest, or reading all of them by their own index costs less than walking back through time to them.
 */
async function walkStatement(
  db: Queryable,
  { owner, place, order }: Walk,
  [vendorId, filter, before, limit]: [string | undefined, PaymentFilter, string | bigint | undefined, number],
): Promise<Statement> {
  const { from, to, vendorReferenceStarts: start } = filter;
  const values = [
    vendorId,
    filter.vendorReference,
    filter.billerCode,
    filter.status,
    filter.currency,
    filter.memberNumber,
    from && firstReferenceAt(from),
    to && firstReferenceAt(to),
    before,
    limit,
    start,
  ];
  const found = (rows: string, columns: string) =>
    `select ${columns} from ${rows} p join vendors v using (vendor_id) where ${owner} and ${FILTERS} and ${place}`;
  const statement = (rows: string) => ({
    text: `${found(rows, `${READ_COLUMNS}, v.vendor_code as "vendorCode"`)} order by ${order} desc limit $10`,
    values,
  });
  if (start === undefined) return statement('payments');
  const near = `(select p.*, p.xmin from payments p where ${owner} and ${TIMES} and ${place}
                  order by ${order} desc limit ${limit * LOOKED_AT_PER_WANTED})`;
  const { rows } = await db.query<{ found: number }>(
    `select count(*)::integer as found from (${found(near, '1')} limit $10) page`,
    values,
  );
  const isNear = (rows[0]?.found ?? 0) >= limit;
  // The offset keeps the planner from walking by time after all, hoping for hits that may be long past.
  return statement(isNear ? near : '(select p.*, p.xmin from payments p where p.vendor_reference ^@ $11 offset 0)');
}

/** Payments that wait for their biller, and for how long the first of them has. */
export async function readBacklog(
  db: Queryable,
  now: Date,
): Promise<{ readonly payments: number; readonly oldestSeconds: number }> {
  const { rows } = await db.query<{ payments: bigint; oldest: Date | null }>(
    `select count(*) as payments, min(created_at) as oldest from payments where status = 'BeingPaid'`,
  );
  const oldest = rows[0]?.oldest;
  return {
    payments: Number(rows[0]?.payments ?? 0),
    oldestSeconds: oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1000) : 0,
  };
}

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

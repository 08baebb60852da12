import type { Queryable } from '../../platform/database.ts';
import type { Payment } from '../core/payment.ts';
import type { PaymentState } from '../core/payment-state.ts';
import { firstReferenceAt } from './bill-pay-reference.ts';
import { PAYMENT_COLUMNS, type PaymentRow, paymentOfRow } from './payment-row.ts';

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
    text: `select ${PAYMENT_COLUMNS} from payments p
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
    text: `select ${PAYMENT_COLUMNS} from unnest($1::uuid[], $2::text[]) as k (vendor_id, vendor_reference)
            cross join lateral (select * from payments one
                                 where (one.vendor_reference, one.vendor_id) >= (k.vendor_reference, k.vendor_id)
                                 order by one.vendor_reference, one.vendor_id limit 1) p
            where p.vendor_reference = k.vendor_reference and p.vendor_id = k.vendor_id`,
    values: [keys.map(({ vendorId }) => vendorId), keys.map(({ vendorReference }) => vendorReference)],
  });
  return rows.map(paymentOfRow);
}

export interface RecordedTransition {
  readonly from: PaymentState | null;
  readonly to: PaymentState;
  readonly at: Date;
  readonly cause: string;
}

export async function listTransitions(db: Queryable, key: PaymentKey): Promise<RecordedTransition[]> {
  const { rows } = await db.query<RecordedTransition>({
    name: 'list-payment-transitions',
    text: `select from_status as "from", to_status as "to", at, cause from payment_transitions
            where vendor_id = $1 and payment_id = $2 order by number`,
    values: [key.vendorId, key.paymentId],
  });
  return rows;
}

/** Filters of the list; each undefined one is no filter. */
export interface PaymentFilter {
  readonly vendorReference: string | undefined;
  readonly billerCode: string | undefined;
  readonly status: PaymentState | undefined;
  readonly currency: string | undefined;
  readonly memberNumber: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

export const ANY_PAYMENT: PaymentFilter = {
  vendorReference: undefined,
  billerCode: undefined,
  status: undefined,
  currency: undefined,
  memberNumber: undefined,
  from: undefined,
  to: undefined,
};

/** Times are places in the index of our references, which begin with the time they were made at. */
const FILTERS = `($2::text is null or p.vendor_reference = $2)
  and ($3::text is null or p.biller_code = $3)
  and ($4::text is null or p.status = $4)
  and ($5::text is null or p.currency = $5)
  and ($6::text is null or p.member_number = $6)
  and ($7::text is null or p.bill_pay_reference >= $7)
  and ($8::text is null or p.bill_pay_reference < $8)`;

const filterValues = (filter: PaymentFilter) => [
  filter.vendorReference,
  filter.billerCode,
  filter.status,
  filter.currency,
  filter.memberNumber,
  filter.from && firstReferenceAt(filter.from),
  filter.to && firstReferenceAt(filter.to),
];

/** A vendor's own, newest first, down its primary key; `before` is the last payment of the page before. */
export async function listPayments(
  db: Queryable,
  vendorId: string,
  filter: PaymentFilter,
  before: bigint | undefined,
  limit: number,
): Promise<Payment[]> {
  const { rows } = await db.query<PaymentRow>(
    `select ${PAYMENT_COLUMNS} from payments p
      where p.vendor_id = $1 and ${FILTERS} and ($9::bigint is null or p.payment_id < $9)
      order by p.payment_id desc limit $10`,
    [vendorId, ...filterValues(filter), before, limit],
  );
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
  const { text, values } = searchStatement(vendorId, filter, before, limit);
  const { rows } = await db.query<PaymentRow & { vendor_code: string }>(text, values);
  return rows.map((row) => ({ vendorCode: row.vendor_code, payment: paymentOfRow(row) }));
}

/** The statement by itself, so that a test can ask PostgreSQL how it would go about it. */
export function searchStatement(
  vendorId: string | undefined,
  filter: PaymentFilter,
  before: string | undefined,
  limit: number,
): { readonly text: string; readonly values: unknown[] } {
  const [place, order] =
    vendorId === undefined
      ? ['p.bill_pay_reference < $9', 'p.bill_pay_reference']
      : ['p.payment_id < (select payment_id from payments where bill_pay_reference = $9)', 'p.payment_id'];
  return {
    text: `select ${PAYMENT_COLUMNS}, v.vendor_code from payments p join vendors v using (vendor_id)
            where ($1::uuid is null or p.vendor_id = $1) and ${FILTERS} and ($9::text is null or ${place})
            order by ${order} desc limit $10`,
    values: [vendorId, ...filterValues(filter), before, limit],
  };
}

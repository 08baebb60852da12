import type { InvoiceKind } from '../../contract/billpay/invoice.ts';
import type { PaymentType } from '../../contract/billpay/payment.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import { type Queryable, type Transaction, UNHURRIED } from '../../platform/database/database.ts';
import { updateCounted } from '../../platform/database/rows.ts';
import { isLeased } from '../../platform/work/due.ts';
import { creditNoteReference, newInvoiceReference } from './references.ts';

export interface InvoiceKey {
  readonly vendorId: string;
  readonly paymentId: bigint;
  readonly kind: InvoiceKind;
}

/**
 * Called in the transaction in which the payments become Paid: a paid payment whose biller wants invoices and that has none
 * cannot exist. The row is the job, so there is nothing else that could get lost. A payment that has its invoice keeps it:
 * running the same batch again assigns nothing new. Due at once, by any clock: after a burst the moments of a biller's
 * payments run ahead of the time.
 */
export async function assignInvoices(
  tx: Transaction,
  payments: readonly { readonly vendorId: string; readonly paymentId: bigint; readonly paidAt: Date }[],
): Promise<void> {
  if (payments.length === 0) return;
  await tx.query({
    name: 'insert-payment-invoices',
    text: `insert into payment_invoices (vendor_id, payment_id, kind, invoice_reference, state, next_attempt_at, created_at)
           select vendor_id, payment_id, 'Invoice', invoice_reference, 'Waiting', '-infinity', at
             from unnest($1::uuid[], $2::bigint[], $3::text[], $4::timestamptz[]) as given (vendor_id, payment_id, invoice_reference, at)
            order by vendor_id, payment_id
           on conflict (vendor_id, payment_id, kind) do nothing`,
    values: [
      payments.map(({ vendorId }) => vendorId),
      payments.map(({ paymentId }) => paymentId),
      payments.map(() => newInvoiceReference()),
      payments.map(({ paidAt }) => paidAt),
    ],
  });
}

/**
 * Called in the transaction of a reversal. A credit note takes back a sealed invoice, so where the invoice is still on its
 * way the note waits for it; locked, it cannot become sealed in between. A payment without an invoice needs no note.
 */
export async function assignCreditNote(
  tx: Transaction,
  payment: { readonly vendorId: string; readonly paymentId: bigint; readonly reversedAt: Date },
): Promise<void> {
  const { vendorId, paymentId, reversedAt } = payment;
  const { rows } = await tx.query<{ reference: string; isSealed: boolean }>({
    name: 'lock-payment-invoice',
    text: `select invoice_reference as reference, state = 'Sealed' as "isSealed" from payment_invoices
            where vendor_id = $1 and payment_id = $2 and kind = 'Invoice' for update`,
    values: [vendorId, paymentId],
  });
  const [invoice] = rows;
  if (invoice === undefined) return;
  await tx.query({
    name: 'insert-payment-credit-note',
    text: `insert into payment_invoices (vendor_id, payment_id, kind, invoice_reference, state, next_attempt_at, created_at)
           values ($1, $2, 'CreditNote', $3, 'Waiting', case when $4 then '-infinity' else 'infinity' end::timestamptz, $5)
           on conflict (vendor_id, payment_id, kind) do nothing`,
    values: [vendorId, paymentId, creditNoteReference(invoice.reference), invoice.isSealed, reversedAt],
  });
}

/** Of this instance until its lease runs out. `attempt` is the fence: an instance with an older one can no longer write. */
export interface ClaimedInvoice extends InvoiceKey {
  readonly attempt: number;
}

export async function claimInvoices(
  db: Queryable,
  now: Date,
  lockedUntil: Date,
  most: number,
): Promise<ClaimedInvoice[]> {
  const { rows } = await db.query<ClaimedInvoice>({
    name: 'claim-payment-invoices',
    text: `with due as (
             select vendor_id, payment_id, kind from payment_invoices
              where state = 'Waiting' and next_attempt_at <= $1 and not ${isLeased('locked_until', '$1', '($2::timestamptz - $1)')}
              order by next_attempt_at limit $3 for update skip locked)
           update payment_invoices i set locked_until = $2, attempts = attempts + 1
             from due d where i.vendor_id = d.vendor_id and i.payment_id = d.payment_id and i.kind = d.kind
           returning i.vendor_id as "vendorId", i.payment_id as "paymentId", i.kind, i.attempts as attempt`,
    values: [now, lockedUntil, most],
  });
  return rows;
}

/** Nobody who writes one of them is waited for, and nothing comes of its loss but that another instance takes it. */
export async function extendLeases(
  db: Queryable,
  claimed: readonly ClaimedInvoice[],
  lockedUntil: Date,
): Promise<void> {
  await db.query({
    name: 'extend-payment-invoice-leases',
    text: `with held as (
             select vendor_id, payment_id, kind from payment_invoices i
               join unnest($1::uuid[], $2::bigint[], $3::text[], $4::integer[]) as g (vendor_id, payment_id, kind, attempt)
                    using (vendor_id, payment_id, kind)
              where i.attempts = g.attempt and i.locked_until is not null for update of i skip locked)
           update payment_invoices i set locked_until = $5 from held h, ${UNHURRIED}
            where i.vendor_id = h.vendor_id and i.payment_id = h.payment_id and i.kind = h.kind`,
    values: [...columnsOf(claimed, 'vendorId', 'paymentId', 'kind', 'attempt'), lockedUntil],
  });
}

export interface InvoiceWork {
  readonly reference: string;
  readonly body: string | null;
  readonly isDateSpent: boolean;
  /** The sealed invoice as the signing service answered it, for its credit note. */
  readonly invoiceBody: string | null;
  readonly vendorReference: string;
  readonly billPayReference: string;
  readonly billerCode: string;
  readonly currency: string;
  readonly amount: string;
  readonly fee: string;
  readonly products: string;
  readonly paymentType: PaymentType;
  readonly fiscalDeviceId: number | null;
}

export async function readInvoiceWork(db: Queryable, key: InvoiceKey): Promise<InvoiceWork> {
  const { rows } = await db.query<InvoiceWork>({
    name: 'read-payment-invoice-work',
    text: `select i.invoice_reference as reference, i.body, i.is_date_spent as "isDateSpent", o.body as "invoiceBody",
                  p.vendor_reference as "vendorReference", p.bill_pay_reference as "billPayReference",
                  p.biller_code as "billerCode", p.currency, p.amount, p.fee, p.products, p.payment_type as "paymentType",
                  v.fiscal_device_id as "fiscalDeviceId"
             from payment_invoices i
             join payments p on p.vendor_id = i.vendor_id and p.payment_id = i.payment_id
             join vendors v on v.vendor_id = i.vendor_id
             left join payment_invoices o on i.kind = 'CreditNote' and o.vendor_id = i.vendor_id
                  and o.payment_id = i.payment_id and o.kind = 'Invoice' and o.state = 'Sealed'
            where i.vendor_id = $1 and i.payment_id = $2 and i.kind = $3`,
    values: [key.vendorId, key.paymentId, key.kind],
  });
  if (rows[0] === undefined) throw new Error('a claimed invoice is not there');
  return rows[0];
}

/** Written before it is sent. False: the lease was lost, and another instance continues with it. */
export function storeBody(db: Queryable, claimed: ClaimedInvoice, body: string): Promise<boolean> {
  return change(db, claimed, { body, isDateSpent: false });
}

export interface Trouble {
  readonly status: number | undefined;
  readonly error: string;
  readonly errors: readonly object[];
}

export interface Wait extends Trouble {
  readonly at: Date;
  readonly isDateSpent: boolean;
}

/** Tried again at `at`, with the same body or, where its date is spent, one that is built again. */
export async function keepWaiting(db: Queryable, claimed: ClaimedInvoice, wait: Wait): Promise<void> {
  const spent = wait.isDateSpent ? { isDateSpent: true } : {};
  await change(db, claimed, { ...told(wait), ...spent, nextAttemptAt: wait.at, lockedUntil: null });
}

/** It was refused, and nothing is sealed: it is built again at the next attempt. */
export async function discardBody(db: Queryable, claimed: ClaimedInvoice, nextAttemptAt: Date): Promise<void> {
  await change(db, claimed, { body: null, isDateSpent: false, nextAttemptAt, lockedUntil: null });
}

/** False: the lease was lost. */
export function markRejected(tx: Transaction, claimed: ClaimedInvoice, trouble: Trouble): Promise<boolean> {
  return change(tx, claimed, { ...told(trouble), state: 'Rejected', lockedUntil: null });
}

function told({ status: lastStatus, error, errors }: Trouble) {
  return { lastStatus, error, errors: errors.length === 0 ? null : JSON.stringify(errors) };
}

/** False: the lease was lost. */
async function change(db: Queryable, { attempt: attempts, ...claimed }: ClaimedInvoice, row: object): Promise<boolean> {
  const { vendorId, paymentId, kind } = claimed;
  const key = { vendorId, paymentId, kind, attempts, state: 'Waiting' };
  return (await updateCounted(db, 'payment_invoices', key, row)) === 1;
}

/** Any instance that learns that it is sealed may write it, lease or not: it is a fact. False: it was already known. */
export async function markSealed(
  tx: Transaction,
  key: InvoiceKey,
  sealed: { readonly text: string; readonly signature: string; readonly metadata: string; readonly at: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'mark-payment-invoice-sealed',
    text: `update payment_invoices
              set state = 'Sealed', body = $4, fiscal_signature = $5, fiscal_metadata = $6, sealed_at = $7, last_status = 200,
                  error = null, errors = null, is_date_spent = false, locked_until = null
            where vendor_id = $1 and payment_id = $2 and kind = $3 and state <> 'Sealed'`,
    values: [key.vendorId, key.paymentId, key.kind, sealed.text, sealed.signature, sealed.metadata, sealed.at],
  });
  return rowCount === 1;
}

/** The invoice is sealed: a credit note that waited for it may go. */
export async function releaseCreditNote(tx: Transaction, key: InvoiceKey, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'release-payment-credit-note',
    text: `update payment_invoices set next_attempt_at = $3
            where vendor_id = $1 and payment_id = $2 and kind = 'CreditNote' and next_attempt_at = 'infinity'`,
    values: [key.vendorId, key.paymentId, at],
  });
  return rowCount === 1;
}

/**
 * A rejected one is built again, from the current configuration. One that waits keeps its body, whose fate may be unknown, and
 * goes at once; a credit note that waits for its invoice keeps waiting.
 */
const RETRY = `
  state = 'Waiting',
  body = case when i.state = 'Rejected' then null else i.body end,
  is_date_spent = i.is_date_spent and i.state <> 'Rejected',
  next_attempt_at = case when i.next_attempt_at = 'infinity' then i.next_attempt_at else $1 end`;

/** By hand. Its alert stays until the invoice is sealed. False: there is no such invoice, or it is sealed. */
export async function retryInvoice(tx: Transaction, reference: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update payment_invoices i set ${RETRY} where i.invoice_reference = $2 and i.state <> 'Sealed'`,
    [now, reference],
  );
  return rowCount === 1;
}

/**
 * Called in the transaction that changed a vendor's or a biller's settings, before its events are recorded: what was rejected
 * because of them, or waits because of the token or the device, goes at once. Locked in one order, invoices before their credit
 * notes, as everywhere. How many will be tried again.
 */
export async function retryInvoicesOf(
  tx: Transaction,
  owner: { readonly vendorId?: string; readonly billerCode?: string },
  now: Date,
): Promise<number> {
  const { rowCount } = await tx.query(
    `with stuck as (
       select i.vendor_id, i.payment_id, i.kind from payment_invoices i
        where i.state <> 'Sealed' and (i.state = 'Rejected' or (i.state = 'Waiting' and i.last_status in (400, 401, 403)))
          and ($2::uuid is null or i.vendor_id = $2)
          and ($3::text is null or exists (
            select from payments p where p.vendor_id = i.vendor_id and p.payment_id = i.payment_id and p.biller_code = $3))
        order by i.vendor_id, i.payment_id, i.kind desc for update of i)
     update payment_invoices i set ${RETRY} from stuck s
      where i.vendor_id = s.vendor_id and i.payment_id = s.payment_id and i.kind = s.kind`,
    [now, owner.vendorId ?? null, owner.billerCode ?? null],
  );
  return rowCount ?? 0;
}

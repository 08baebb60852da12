import type { InvoiceKind, InvoiceState } from '../../contract/billpay/invoice.ts';
import type { FiscalMetadata, InvoiceFields, PaymentState } from '../../contract/billpay/payment.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import type { Queryable } from '../../platform/database/database.ts';

/** An invoice or credit note as an operator sees it. */
export interface InvoiceRecord {
  readonly reference: string;
  readonly kind: InvoiceKind;
  readonly state: InvoiceState;
  readonly vendorId: string;
  readonly vendorCode: string;
  readonly vendorReference: string;
  readonly billPayReference: string;
  readonly billerCode: string;
  readonly currency: string;
  /** What the member paid: amount and fee. */
  readonly total: string;
  readonly paymentStatus: PaymentState;
  readonly signature: string | null;
  readonly metadata: string | null;
  readonly lastStatus: number | null;
  readonly error: string | null;
  readonly errors: string | null;
  readonly attempts: number;
  /** Null: sealed or rejected, or a credit note that waits for its invoice. */
  readonly nextAttemptAt: Date | null;
  readonly isWaitingForInvoice: boolean;
  readonly createdAt: Date;
  readonly sealedAt: Date | null;
  readonly body: string | null;
}

const RECORD = `
  i.invoice_reference as reference, i.kind, i.state, i.vendor_id as "vendorId", v.vendor_code as "vendorCode",
  p.vendor_reference as "vendorReference", p.bill_pay_reference as "billPayReference", p.biller_code as "billerCode", p.currency,
  (p.amount + p.fee)::text as total, p.status as "paymentStatus", i.fiscal_signature as signature,
  i.fiscal_metadata as metadata, i.last_status as "lastStatus", i.error, i.errors, i.attempts,
  case when i.state = 'Waiting' and i.next_attempt_at <> 'infinity' then greatest(i.next_attempt_at, i.created_at) end as "nextAttemptAt",
  i.next_attempt_at = 'infinity' as "isWaitingForInvoice", i.created_at as "createdAt",
  i.sealed_at as "sealedAt", i.body
  from payment_invoices i
  join payments p on p.vendor_id = i.vendor_id and p.payment_id = i.payment_id
  join vendors v on v.vendor_id = i.vendor_id`;

export async function findInvoice(db: Queryable, reference: string): Promise<InvoiceRecord | undefined> {
  const { rows } = await db.query<InvoiceRecord>(`select ${RECORD} where i.invoice_reference = $1`, [reference]);
  return rows[0];
}

export interface InvoiceFilter {
  readonly state: InvoiceState | undefined;
  readonly kind: InvoiceKind | undefined;
  readonly vendorId: string | undefined;
  /** The payment they belong to. */
  readonly billPayReference?: string | undefined;
  readonly before: InvoiceCursor | undefined;
}

export interface InvoiceCursor {
  readonly createdAt: Date;
  readonly reference: string;
}

/** Newest first. Only what is asked for stands in the statement, so that each combination finds its index. */
export async function listInvoices(db: Queryable, filter: InvoiceFilter, limit: number): Promise<InvoiceRecord[]> {
  const values: unknown[] = [limit];
  const conditions: string[] = [];
  const add = (text: (place: string) => string, value: unknown) => conditions.push(text(`$${values.push(value)}`));
  if (filter.state !== undefined) add((place) => `i.state = ${place}`, filter.state);
  if (filter.state === 'Waiting' || filter.state === 'Rejected') conditions.push(`i.state <> 'Sealed'`);
  if (filter.kind !== undefined) add((place) => `i.kind = ${place}`, filter.kind);
  if (filter.vendorId !== undefined) add((place) => `i.vendor_id = ${place}`, filter.vendorId);
  if (filter.billPayReference !== undefined) add((place) => `p.bill_pay_reference = ${place}`, filter.billPayReference);
  if (filter.before !== undefined) {
    const { createdAt, reference } = filter.before;
    const at = `$${values.push(createdAt)}::timestamptz`;
    add((place) => `(i.created_at, i.invoice_reference) < (${at}, ${place})`, reference);
  }
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const { rows } = await db.query<InvoiceRecord>(
    `select ${RECORD} ${where} order by i.created_at desc, i.invoice_reference desc limit $1`,
    values,
  );
  return rows;
}

/** For the figures an operator watches. Credit notes that wait for their invoice count with it. */
export async function readInvoiceBacklog(
  db: Queryable,
  now: Date,
): Promise<{ waiting: number; oldestSeconds: number; rejected: number }> {
  const { rows } = await db.query<{ waiting: number; oldest: Date | null; rejected: number }>({
    name: 'read-payment-invoice-backlog',
    text: `select count(*) filter (where state = 'Waiting')::integer as waiting,
                  min(created_at) filter (where state = 'Waiting') as oldest,
                  count(*) filter (where state = 'Rejected')::integer as rejected
             from payment_invoices where state <> 'Sealed'`,
  });
  const { waiting, oldest, rejected } = rows[0] ?? { waiting: 0, oldest: null, rejected: 0 };
  const oldestSeconds = oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1000);
  return { waiting, oldestSeconds, rejected };
}

/** By payment id. A payment that is not in the answer has no sealed invoice (yet). */
export async function findInvoiceFields(
  db: Queryable,
  payments: readonly { readonly vendorId: string; readonly paymentId: bigint }[],
): Promise<ReadonlyMap<bigint, InvoiceFields>> {
  if (payments.length === 0) return new Map();
  const { rows } = await db.query<{ paymentId: bigint; reference: string; signature: string; metadata: string }>({
    name: 'select-sealed-payment-invoices',
    text: `select payment_id as "paymentId", invoice_reference as reference, fiscal_signature as signature, fiscal_metadata as metadata,
                  array[payment_invoices.xmin] as xmins
             from payment_invoices join unnest($1::uuid[], $2::bigint[]) as given (vendor_id, payment_id) using (vendor_id, payment_id)
            where kind = 'Invoice' and state = 'Sealed'`,
    values: columnsOf(payments, 'vendorId', 'paymentId'),
  });
  return new Map(
    rows.map(({ paymentId, reference, signature, metadata }) => [
      paymentId,
      {
        VendorInvoiceReference: reference,
        VendorFiscalSignature: signature,
        VendorFiscalMetadata: JSON.parse(metadata) as FiscalMetadata,
      },
    ]),
  );
}

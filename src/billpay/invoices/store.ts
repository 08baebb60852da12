import type { InvoiceKind, InvoiceState, PaymentInvoice } from '../../contract/billpay/invoice.ts';
import type { FiscalMetadata, InvoiceFields } from '../../contract/billpay/payment.ts';
import { decimal } from '../../kernel/decimal.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';

type InvoiceRow = Omit<PaymentInvoice, 'TotalAmount' | 'VendorFiscalMetadata' | 'Errors'> & {
  readonly total: string;
  readonly metadata: string | null;
  readonly errors: string | null;
};

const COLUMNS = `
  i.invoice_reference as "Reference", i.kind as "Kind", i.state as "State", i.vendor_id as "VendorId", v.vendor_code as "VendorCode",
  p.vendor_reference as "VendorReference", p.bill_pay_reference as "BillPayReference", p.biller_code as "BillerCode",
  p.status as "PaymentStatus", p.currency as "Currency", (p.amount + p.fee)::text as total,
  i.fiscal_signature as "VendorFiscalSignature", i.fiscal_metadata as metadata, i.attempts as "Attempts",
  case when i.state = 'Waiting' and i.next_attempt_at <> 'infinity'
    then ${instantText('greatest(i.next_attempt_at, i.created_at)')} end as "NextAttemptAt",
  i.next_attempt_at = 'infinity' as "WaitsForInvoice", i.last_status as "LastStatus", i.error as "Error", i.errors,
  ${instantText('i.created_at')} as "CreatedAt", ${instantText('i.sealed_at')} as "SealedAt"`;
const INVOICES = `
  from payment_invoices i
  join payments p on p.vendor_id = i.vendor_id and p.payment_id = i.payment_id
  join vendors v on v.vendor_id = i.vendor_id`;

function invoiceOfRow({ total, metadata, errors, ...invoice }: InvoiceRow): PaymentInvoice {
  return {
    ...invoice,
    TotalAmount: decimal(total),
    VendorFiscalMetadata: metadata === null ? null : (JSON.parse(metadata) as FiscalMetadata),
    Errors: errors === null ? [] : (JSON.parse(errors) as PaymentInvoice['Errors']),
  };
}

export async function findInvoice(db: Queryable, reference: string): Promise<PaymentInvoice | undefined> {
  const text = `select ${COLUMNS} ${INVOICES} where i.invoice_reference = $1`;
  return (await db.query<InvoiceRow>(text, [reference])).rows.map(invoiceOfRow)[0];
}

/** As it is sent; once sealed, as the signing service answered it. */
export async function findInvoiceBody(db: Queryable, reference: string): Promise<string | null> {
  const text = 'select body from payment_invoices where invoice_reference = $1';
  return (await db.query<{ body: string | null }>(text, [reference])).rows[0]?.body ?? null;
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
export async function listInvoices(db: Queryable, filter: InvoiceFilter, limit: number): Promise<PaymentInvoice[]> {
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
  const { rows } = await db.query<InvoiceRow>(
    `select ${COLUMNS} ${INVOICES} ${where} order by i.created_at desc, i.invoice_reference desc limit $1`,
    values,
  );
  return rows.map(invoiceOfRow);
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

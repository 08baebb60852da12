import type { Queryable } from '../../platform/database.ts';

export interface SealedInvoice {
  readonly paymentId: bigint;
  readonly reference: string;
  readonly signature: string;
  readonly metadata: string;
}

export async function selectSealedInvoices(
  db: Queryable,
  payments: readonly { readonly vendorId: string; readonly paymentId: bigint }[],
): Promise<SealedInvoice[]> {
  const { rows } = await db.query<SealedInvoice>({
    name: 'select-sealed-payment-invoices',
    text: `select payment_id as "paymentId", invoice_reference as reference, fiscal_signature as signature, fiscal_metadata as metadata
             from payment_invoices join unnest($1::uuid[], $2::bigint[]) as given (vendor_id, payment_id) using (vendor_id, payment_id)
            where kind = 'Invoice' and state = 'Sealed'`,
    values: [payments.map(({ vendorId }) => vendorId), payments.map(({ paymentId }) => paymentId)],
  });
  return rows;
}

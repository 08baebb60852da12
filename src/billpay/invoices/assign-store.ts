import type { Transaction } from '../../platform/database.ts';

export interface NewInvoice {
  readonly vendorId: string;
  readonly paymentId: bigint;
  readonly reference: string;
  readonly at: Date;
}

/**
 * A payment that has its invoice keeps it: running the same batch again assigns nothing new. Due at once, by any clock: after
 * a burst the moments of a biller's payments run ahead of the time.
 */
export async function insertInvoices(tx: Transaction, invoices: readonly NewInvoice[]): Promise<void> {
  await tx.query({
    name: 'insert-payment-invoices',
    text: `insert into payment_invoices (vendor_id, payment_id, kind, invoice_reference, state, next_attempt_at, created_at)
           select vendor_id, payment_id, 'Invoice', invoice_reference, 'Waiting', '-infinity', at
             from unnest($1::uuid[], $2::bigint[], $3::text[], $4::timestamptz[]) as given (vendor_id, payment_id, invoice_reference, at)
            order by vendor_id, payment_id
           on conflict (vendor_id, payment_id, kind) do nothing`,
    values: [
      invoices.map(({ vendorId }) => vendorId),
      invoices.map(({ paymentId }) => paymentId),
      invoices.map(({ reference }) => reference),
      invoices.map(({ at }) => at),
    ],
  });
}

export interface LockedInvoice {
  readonly reference: string;
  readonly isSealed: boolean;
}

/** Locked: it cannot become sealed between this look and the end of the transaction. */
export async function lockInvoice(
  tx: Transaction,
  vendorId: string,
  paymentId: bigint,
): Promise<LockedInvoice | undefined> {
  const { rows } = await tx.query<LockedInvoice>({
    name: 'lock-payment-invoice',
    text: `select invoice_reference as reference, state = 'Sealed' as "isSealed" from payment_invoices
            where vendor_id = $1 and payment_id = $2 and kind = 'Invoice' for update`,
    values: [vendorId, paymentId],
  });
  return rows[0];
}

/** Due at once where its invoice is sealed; otherwise it waits for that. */
export async function insertCreditNote(tx: Transaction, note: NewInvoice, isDue: boolean): Promise<void> {
  await tx.query({
    name: 'insert-payment-credit-note',
    text: `insert into payment_invoices (vendor_id, payment_id, kind, invoice_reference, state, next_attempt_at, created_at)
           values ($1, $2, 'CreditNote', $3, 'Waiting', case when $4 then '-infinity' else 'infinity' end::timestamptz, $5)
           on conflict (vendor_id, payment_id, kind) do nothing`,
    values: [note.vendorId, note.paymentId, note.reference, isDue, note.at],
  });
}

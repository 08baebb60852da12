import type { Transaction } from '../../platform/database.ts';
import { insertCreditNote, insertInvoices, lockInvoice } from './assign-store.ts';
import { creditNoteReference, newInvoiceReference } from './invoice-reference.ts';

/**
 * Called in the transaction in which the payments become Paid: a paid payment whose biller wants invoices and that has none
 * cannot exist. The row is the job, so there is nothing else that could get lost.
 */
export async function assignInvoices(
  tx: Transaction,
  payments: readonly { readonly vendorId: string; readonly paymentId: bigint; readonly paidAt: Date }[],
): Promise<void> {
  if (payments.length === 0) return;
  await insertInvoices(
    tx,
    payments.map(({ vendorId, paymentId, paidAt }) => ({
      vendorId,
      paymentId,
      reference: newInvoiceReference(),
      at: paidAt,
    })),
  );
}

/**
 * Called in the transaction of a reversal. A credit note takes back a sealed invoice, so where the invoice is still on its
 * way the note waits for it. False: the payment has no invoice, and needs no note.
 */
export async function assignCreditNote(
  tx: Transaction,
  payment: { readonly vendorId: string; readonly paymentId: bigint; readonly reversedAt: Date },
): Promise<boolean> {
  const { vendorId, paymentId, reversedAt } = payment;
  const invoice = await lockInvoice(tx, vendorId, paymentId);
  if (invoice === undefined) return false;
  const reference = creditNoteReference(invoice.reference);
  await insertCreditNote(tx, { vendorId, paymentId, reference, at: reversedAt }, invoice.isSealed);
  return true;
}

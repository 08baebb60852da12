import type { FiscalMetadata } from '../../contract/billpay/payment.ts';
import { settle } from '../../platform/alerts/store.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { recordEvents } from '../../platform/events/store.ts';
import type { SignedInvoice } from '../core/signing-answer.ts';
import { type InvoiceKey, type InvoiceWork, markSealed, releaseCreditNote } from '../invoices/job-store.ts';

/**
 * The invoice is sealed: its three fields appear together, the vendor gets its event, and a credit note that waited may go.
 * Safe to say twice: a fact that is known already changes nothing.
 */
export async function adoptInvoice(
  tx: Transaction,
  key: InvoiceKey,
  work: Pick<InvoiceWork, 'reference' | 'vendorReference' | 'billPayReference'>,
  sealed: SignedInvoice,
  now: Date,
): Promise<void> {
  if (!(await markSealed(tx, key, { ...sealed, at: now }))) return;
  await settle(tx, ['InvoiceRejected', 'InvoiceConflict'], { vendorId: key.vendorId }, work.reference);
  if (key.kind === 'CreditNote') return;
  await releaseCreditNote(tx, key, now);
  const data = {
    VendorReference: work.vendorReference,
    BillPayReference: work.billPayReference,
    VendorInvoiceReference: work.reference,
    VendorFiscalSignature: sealed.signature,
    VendorFiscalMetadata: JSON.parse(sealed.metadata) as FiscalMetadata,
  };
  await recordEvents(tx, [{ tenantId: key.vendorId, type: 'payment.fiscalised', at: now, data }]);
}

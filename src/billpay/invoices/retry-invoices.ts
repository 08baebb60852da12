import type { Transaction } from '../../platform/database.ts';
import { retryAll, retryOne } from './retry-store.ts';

/** By hand. Its alert stays until the invoice is sealed: only then the matter is settled. */
export async function retryInvoice(tx: Transaction, reference: string, now: Date): Promise<boolean> {
  return retryOne(tx, reference, now);
}

/**
 * Called in the transaction that changed a vendor's or a biller's settings, before its events are recorded: what was rejected
 * because of them is built anew. How many will be tried again.
 */
export async function retryInvoicesOf(
  tx: Transaction,
  owner: { readonly vendorId: string } | { readonly billerCode: string },
  now: Date,
): Promise<number> {
  return retryAll(tx, owner, now);
}

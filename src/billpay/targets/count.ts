import type { Transaction } from '../../platform/database.ts';
import { addPaid, type CountedPayment, subtractReversed } from './figures-store.ts';

/**
 * Adds payments that become Paid in this transaction to the figures of their billers' targets, however many billers there
 * are, in one statement that is on its way when this returns: a commit may be sent right behind it. The caller holds the
 * locks of the billers' clocks, so nobody else moves these figures.
 */
export async function countPaid(tx: Transaction, payments: readonly CountedPayment[]): Promise<void> {
  if (payments.length > 0) await addPaid(tx, payments);
}

/** Takes a payment that is reversed in this transaction out again. The caller holds the lock of the biller's clock. */
export async function countReversed(tx: Transaction, payment: CountedPayment): Promise<void> {
  await subtractReversed(tx, payment);
}

import type { Decimal } from '../../kernel/decimal.ts';
import type { Transaction } from '../../platform/database.ts';
import { addPaid, subtractReversed } from './figures-store.ts';

/** What the figures of a target need to know of a payment. */
export interface CountedPayment {
  readonly billerCode: string;
  readonly currency: string;
  /** Without the fee. */
  readonly amount: Decimal;
  readonly units: number;
  readonly memberNumber: string;
  /** The moment at which it became Paid: unique per biller, and increasing. */
  readonly paidAt: Date;
}

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

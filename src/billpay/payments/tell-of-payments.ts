import type { Transaction } from '../../platform/database.ts';
import { clearVendorAlert, raiseVendorAlert } from '../alerts/store.ts';
import type { Payment } from '../core/payment.ts';
import type { NewVendorEvent } from '../events/store.ts';

/** What vendors and operators are told of a payment's new state. */

type Told = Pick<Payment, 'vendorId' | 'vendorReference' | 'billPayReference' | 'billerCode' | 'status' | 'paidAt'>;

/** None when it is not paid. */
export function paidEvent(payment: Told): NewVendorEvent[] {
  if (payment.status !== 'Paid' || payment.paidAt === undefined) return [];
  const data = { ...subject(payment), PaidAt: payment.paidAt.toISOString() };
  return [{ vendorId: payment.vendorId, type: 'payment.paid', at: payment.paidAt, data }];
}

export function reversedEvent(payment: Payment & { readonly reversedAt: Date }): NewVendorEvent {
  const data = { ...subject(payment), ReversedAt: payment.reversedAt.toISOString() };
  return { vendorId: payment.vendorId, type: 'payment.reversed', at: payment.reversedAt, data };
}

function subject({ vendorReference, billPayReference, billerCode }: Told): object {
  return { VendorReference: vendorReference, BillPayReference: billPayReference, BillerCode: billerCode };
}

/** A flagged payment waits for a person; one that is settled does not any more. */
export async function tellOperators(
  tx: Transaction,
  { vendorId, status, billPayReference, billerCode, narration }: Payment,
) {
  if (status === 'Flagged') {
    const message = `${billerCode} flagged payment ${billPayReference}: ${narration ?? 'no reason given'} Ask the biller, then settle it as Paid or Failed.`;
    await raiseVendorAlert(tx, { vendorId, kind: 'PaymentFlagged', subject: billPayReference, message });
  } else if (status === 'Paid' || status === 'Failed') {
    await clearVendorAlert(tx, vendorId, 'PaymentFlagged', billPayReference);
  }
}

import type { TypedVendorEvent } from '../../contract/platform/event.ts';
import { raise, settle } from '../../platform/alerts/store.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/store.ts';
import type { Payment } from '../core/payment.ts';

/** How vendors and operators learn of a payment's new state. */

type Told = Pick<Payment, 'vendorId' | 'vendorReference' | 'billPayReference' | 'billerCode' | 'status' | 'narration'>;

/** What became of a payment at that moment; none while it is under way. */
export function stateEvents(payment: Told, at: Date): NewEvent[] {
  const event = stateEvent(payment, at.toISOString());
  return event === undefined ? [] : [{ tenantId: payment.vendorId, at, ...event }];
}

function stateEvent(payment: Told, at: string): TypedVendorEvent | undefined {
  const data = subject(payment);
  const Narration = payment.narration ?? null;
  switch (payment.status) {
    case 'Paid':
      return { type: 'payment.paid', data: { ...data, PaidAt: at } };
    case 'Failed':
      return { type: 'payment.failed', data: { ...data, FailedAt: at, Narration } };
    case 'Flagged':
      return { type: 'payment.flagged', data: { ...data, FlaggedAt: at, Narration } };
    case 'Reversed':
      return { type: 'payment.reversed', data: { ...data, ReversedAt: at } };
    case 'Authorised':
    case 'BeingPaid':
      return undefined;
  }
}

function subject({ vendorReference, billPayReference, billerCode }: Told) {
  return { VendorReference: vendorReference, BillPayReference: billPayReference, BillerCode: billerCode };
}

/** A flagged payment waits for a person; one that is settled does not any more. */
export async function tellOperators(
  tx: Transaction,
  { vendorId, status, billPayReference, billerCode, narration }: Payment,
) {
  if (status === 'Flagged') {
    const message = `${billerCode} flagged payment ${billPayReference}: ${narration ?? 'no reason given'} Ask the biller, then settle it as Paid or Failed.`;
    await raise(tx, { kind: 'PaymentFlagged', vendorId, what: billPayReference, message });
  } else if (status === 'Paid' || status === 'Failed') {
    await settle(tx, 'PaymentFlagged', { vendorId }, billPayReference);
  }
}

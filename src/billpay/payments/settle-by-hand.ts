import type { Refusal } from '../../kernel/refusal.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/database.ts';
import type { Payment } from '../core/payment.ts';
import type { PaymentState } from '../core/payment-state.ts';
import { unknownPayment } from './refusals.ts';
import { settlePayments } from './settle.ts';
import { findPayment } from './store.ts';

export const HAND_OUTCOMES = ['Paid', 'Failed'] as const;
export type HandOutcome = (typeof HAND_OUTCOMES)[number];

export type HandSettlement =
  | { readonly kind: 'settled'; readonly before: PaymentState; readonly payment: Payment }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** An operator has asked the biller what became of a payment, and says so. */
export async function settleByHand(
  tx: Transaction,
  clock: Clock,
  billPayReference: string,
  outcome: HandOutcome,
  reason: string,
): Promise<HandSettlement> {
  const found = await findPayment(tx, { vendorId: undefined, billPayReference });
  if (found === undefined) return { kind: 'refused', refusal: unknownPayment() };
  const { vendorId, paymentId, billerCode, status: before } = found;
  if (before === 'Authorised') return { kind: 'refused', refusal: notOpen(before) };
  const change = {
    vendorId,
    paymentId,
    billerCode,
    to: outcome,
    cause: `settled by hand: ${reason}`,
    narration: reason,
  };
  const [changed] = await settlePayments(tx, clock, [change]);
  if (changed?.kind !== 'changed') {
    return { kind: 'refused', refusal: notOpen(changed?.kind === 'unchanged' ? changed.payment.status : before) };
  }
  return { kind: 'settled', before, payment: changed.payment };
}

function notOpen(status: PaymentState): Refusal {
  const Message = `only a payment that is BeingPaid or Flagged can be settled by hand; this one is ${status}`;
  return {
    code: 'InvalidRequest',
    detail: 'This payment is not waiting for a decision; nothing was changed.',
    errors: [{ Field: 'Outcome', Code: 'Malformed', Message }],
  };
}

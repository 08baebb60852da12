import type { ManagedPayment, PaymentSettlement } from '../../contract/billpay/managed-payment.ts';
import type { PaymentState } from '../../contract/billpay/payment.ts';
import { type Refused, refused } from '../../kernel/refusal.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Change } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { NO_PAYMENT } from '../core/payment-refusals.ts';
import { presentManaged } from './present-payment.ts';
import { settlePayments } from './settle.ts';
import { findPayment } from './store.ts';

/** An operator has asked the biller what became of a payment, and says so. */
export async function settleByHand(
  tx: Transaction,
  clock: Clock,
  billPayReference: string,
  { Outcome, Reason }: PaymentSettlement,
): Promise<Change<ManagedPayment> | Refused> {
  const found = await findPayment(tx, { vendorId: undefined, billPayReference });
  if (found === undefined) return refused(NO_PAYMENT);
  const { vendorId, paymentId, billerCode, status: before } = found;
  if (before === 'Authorised') return notOpen(before);
  const cause = `settled by hand: ${Reason}`;
  const change = { vendorId, paymentId, billerCode, to: Outcome, cause, narration: Reason };
  const [changed] = await settlePayments(tx, clock, [change]);
  if (changed?.kind !== 'changed') return notOpen(changed?.kind === 'unchanged' ? changed.payment.status : before);
  return {
    action: 'payment.settled',
    subject: `payment ${billPayReference}`,
    before: { Status: before },
    after: { Status: changed.payment.status, Reason },
    answer: await presentManaged(tx, changed.payment),
  };
}

function notOpen(status: PaymentState): Refused {
  const Message = `only a payment that is BeingPaid or Flagged can be settled by hand; this one is ${status}`;
  return refused({
    code: 'InvalidRequest',
    detail: 'This payment is not waiting for a decision; nothing was changed.',
    errors: [{ Field: 'Outcome', Code: 'Malformed', Message }],
  });
}

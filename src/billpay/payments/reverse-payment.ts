import type { Pool } from 'pg';
import { type Refusal, Refused, refused } from '../../kernel/refusal.ts';
import { confirmedOne } from '../../platform/database/barrier.ts';
import { refuseWhileCommitsWait } from '../../platform/database/writing.ts';
import { withinDeadline } from '../connectors/deadline.ts';
import type { Payment } from '../core/payment.ts';
import { billerSilent, NO_PAYMENT, notReversible, reversalRefused } from '../core/payment-refusals.ts';
import { atBiller } from './ask-biller.ts';
import type { Change, Changed } from './settle.ts';
import { findPayment, type PaymentName } from './store.ts';
import type { PaymentOutcome, TakeContext } from './take-payment.ts';

export interface ReverseContext extends TakeContext {
  readonly pool: Pool;
}

/** Writes a change, and answers after its commit. */
export type WriteChange = (change: Change) => Promise<Exclude<Changed, { kind: 'again' }> | Refused>;

/**
 * Takes a paid payment back, once. An online biller must agree before it is written; should the process end in between, the same
 * request again asks the biller again, which is idempotent there.
 */
export async function reversePayment(
  context: ReverseContext,
  name: PaymentName,
  reason: string | undefined,
  write: WriteChange = (change) => context.desk.settle(change),
): Promise<PaymentOutcome | Refused> {
  // Before the biller is asked to take it back.
  refuseWhileCommitsWait(context.pool);
  const payment = await findPayment(confirmedOne(context.pool), name);
  if (payment === undefined) return refused(NO_PAYMENT);
  if (payment.status === 'Reversed') return { payment, isReplay: true };
  if (payment.status !== 'Paid') return refused(notReversible(payment.status));
  const refusal = await askBack(context, payment);
  if (refusal !== undefined) return refused(refusal);
  const { vendorId, paymentId, billerCode } = payment;
  const cause = reason === undefined ? 'taken back' : `taken back: ${reason}`;
  const changed = await write({ vendorId, paymentId, billerCode, to: 'Reversed', cause });
  if (changed instanceof Refused) return changed;
  // The same request was faster: a paid payment can only become reversed.
  return { payment: changed.payment, isReplay: changed.kind === 'unchanged' };
}

/** Undefined: the biller takes it back. */
async function askBack(context: ReverseContext, payment: Payment): Promise<Refusal | undefined> {
  const connector = await context.connectorOf(payment.billerCode);
  if (connector === undefined) return undefined;
  const asked = await withinDeadline(
    connector.reverse(atBiller(payment, payment.createdAt), context.signal),
    context.deadlineMs,
  );
  if (asked.kind === 'answered')
    return asked.answer.kind === 'reversed' ? undefined : reversalRefused(asked.answer.reason);
  if (asked.kind === 'failed')
    context.log.warn({ err: asked.error, billerCode: payment.billerCode }, 'a biller failed');
  return billerSilent(10);
}

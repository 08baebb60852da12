import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/logging/log.ts';
import { withinDeadline } from '../connectors/deadline.ts';
import type { OnlineConnector, PayAnswer, PaymentAtBiller } from '../connectors/port.ts';
import type { Payment } from '../core/payment.ts';
import type { PaymentDesk } from './payment-desk.ts';
import type { Change } from './settle.ts';

export interface AskContext {
  readonly desk: PaymentDesk;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a vendor waits for the biller. */
  readonly deadlineMs: number;
  /** Ends with the service. */
  readonly signal: AbortSignal;
}

export function atBiller(payment: Omit<PaymentAtBiller, 'askedAt'>, askedAt: Date): PaymentAtBiller {
  const { billPayReference, billerCode, memberNumber, memberName, currency, amount, products, metaData } = payment;
  return { billPayReference, billerCode, memberNumber, memberName, currency, amount, products, metaData, askedAt };
}

/**
 * Asks the biller to take a payment that is recorded as BeingPaid, and waits for it until the deadline. An answer that comes
 * later is written as well: whichever is first, it or the inquiry, settles the payment, and the other changes nothing.
 */
export async function askBiller(context: AskContext, connector: OnlineConnector, payment: Payment): Promise<Payment> {
  const { clock, log, deadlineMs, signal } = context;
  const { billPayReference } = payment;
  const asked = connector.pay(atBiller(payment, clock()), signal);
  const inTime = await withinDeadline(asked, deadlineMs);
  const write = (answer: PayAnswer) => writeAnswer(context, payment, answer, 'the biller answered');
  if (inTime.kind === 'answered') return write(inTime.answer);
  // Nothing is known of a payment that failed on its way; the inquiry will find out.
  if (inTime.kind === 'failed') log.warn({ err: inTime.error, billPayReference }, 'a biller failed');
  else {
    asked.then(write).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ err: error, billPayReference }, 'a biller failed, and too late');
    });
  }
  return payment;
}

/** The payment as it stands after the answer. */
export async function writeAnswer(
  { desk, log }: Pick<AskContext, 'desk' | 'log'>,
  payment: Payment,
  answer: PayAnswer,
  cause: string,
): Promise<Payment> {
  if (answer.kind === 'pending') return payment;
  const { vendorId, paymentId, billerCode } = payment;
  const outcome = outcomeOf(answer);
  const changed = await desk.settle({ vendorId, paymentId, billerCode, ...outcome, cause });
  const { status } = changed.payment;
  if (status !== outcome.to && !(status === 'Reversed' && outcome.to === 'Paid')) {
    const { billPayReference } = payment;
    log.error({ billPayReference, status, answer: outcome.to }, 'a biller contradicts what a payment was settled as');
  }
  return changed.payment;
}

function outcomeOf(answer: Exclude<PayAnswer, { kind: 'pending' }>): Pick<Change, 'to' | 'narration'> {
  if (answer.kind === 'paid') return { to: 'Paid' };
  return { to: answer.kind === 'failed' ? 'Failed' : 'Flagged', narration: answer.reason };
}

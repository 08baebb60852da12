import type { Pool } from 'pg';
import { DueWork } from '../../platform/work/due.ts';
import { withinDeadline } from '../connectors/deadline.ts';
import type { OnlineConnector, PayAnswer } from '../connectors/port.ts';
import { atBiller, writeAnswer } from './ask-biller.ts';
import { claimDuePayments, type DuePayment, postponePayment } from './settle-store.ts';
import type { TakeContext } from './take-payment.ts';

const CONCURRENCY = 10;
const POLL_MS = 1000;
const MAX_PAUSE_MS = 10 * 60_000;

export interface InquireContext extends TakeContext {
  readonly pool: Pool;
  readonly firstPauseMs: number;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** Settles, in the background, payments whose biller has not said what became of them. */
export function createInquiry(context: InquireContext): DueWork<DuePayment> {
  const { pool, clock, log, deadlineMs } = context;
  return new DueWork<DuePayment>({
    claim: (most) => claimDuePayments(pool, clock(), leaseMs(deadlineMs), most),
    run: (due) => inquirePayment(context, due),
    concurrency: CONCURRENCY,
    pollMs: POLL_MS,
    log,
  });
}

/** Two questions and the writing fit into it: a second instance asks only when the first is gone. */
function leaseMs(deadlineMs: number): number {
  return 2 * deadlineMs + 10_000;
}

async function inquirePayment(context: InquireContext, due: DuePayment): Promise<void> {
  const { payment } = due;
  const connector = await context.connectorOf(payment.billerCode);
  const answer = connector === undefined ? NOBODY_TO_ASK : await ask(context, connector, due);
  if (answer.kind !== 'pending') {
    await writeAnswer(context, payment, answer, 'the biller was asked what became of it');
    return;
  }
  const pauseMs = pauseAfter(due.attempts, context.firstPauseMs) * (0.8 + 0.4 * context.random());
  await postponePayment(context.pool, payment, new Date(context.clock().getTime() + pauseMs));
}

/** The biller's connector was changed while this payment was in progress: there is no one left to ask. */
const NOBODY_TO_ASK: PayAnswer = {
  kind: 'flagged',
  reason: 'The biller is not reached online any more, and what became of this payment is not known.',
};

/** Doubles with every attempt. */
function pauseAfter(attempts: number, firstPauseMs: number): number {
  return Math.min(MAX_PAUSE_MS, firstPauseMs * 2 ** Math.min(20, attempts - 1));
}

/** Silence and failures decide nothing. A payment the biller never got is sent to it again, under the same reference. */
async function ask(context: InquireContext, connector: OnlineConnector, due: DuePayment): Promise<PayAnswer> {
  const { log, signal, deadlineMs } = context;
  const told = atBiller(due.payment, due.askedAt);
  const inquired = await withinDeadline(connector.inquire(told, signal), deadlineMs);
  const answered =
    inquired.kind === 'answered' && inquired.answer.kind === 'unknown'
      ? await withinDeadline(connector.pay(told, signal), deadlineMs)
      : inquired;
  if (answered.kind === 'failed' && !signal.aborted) {
    log.warn({ err: answered.error, billPayReference: due.payment.billPayReference }, 'a biller failed');
  }
  if (answered.kind !== 'answered' || answered.answer.kind === 'unknown') return { kind: 'pending' };
  return answered.answer;
}

import { type Refusal, type Refused, refused } from '../../kernel/refusal.ts';
import { withinDeadline } from '../connectors/deadline.ts';
import type { OnlineConnector } from '../connectors/port.ts';
import type { Connectors } from '../connectors/registry.ts';
import type { Payment, PaymentRequest } from '../core/payment.ts';
import { billerSilent, memberRefused } from '../core/payment-refusals.ts';
import type { Admission } from './admit-payments.ts';
import { type AskContext, askBiller, atBiller } from './ask-biller.ts';
import type { DraftPayment } from './settle.ts';

export interface TakeContext extends AskContext {
  readonly connectors: Connectors;
  readonly connectorOf: (billerCode: string) => Promise<OnlineConnector | undefined>;
}

/** The payment as it stands, and whether that was so before. */
export interface PaymentOutcome {
  readonly payment: Payment;
  readonly isReplay: boolean;
}

const RETRY_AFTER_SECONDS = 10;

/**
 * Authorises or pays. A biller that settles here needs one transaction. An online biller is asked whether it would take the payment
 * before anything is recorded, and asked to take it after that is durable: no lock is held meanwhile, and a crash at any moment
 * leaves a payment that the inquiry settles.
 */
export async function takePayment(
  context: TakeContext,
  vendorId: string,
  wants: Admission['wants'],
  request: PaymentRequest,
): Promise<PaymentOutcome | Refused> {
  let admitted = await context.desk.admit({ vendorId, wants, request, isAuthorised: false });
  if (admitted.kind === 'unauthorised') {
    const refusal = await authorise(context, admitted.draft);
    if (refusal !== undefined) return refused(refusal);
    admitted = await context.desk.admit({ vendorId, wants, request, isAuthorised: true });
  }
  if (admitted.kind === 'refused') return refused(admitted.refusal);
  if (admitted.kind === 'unauthorised') throw new Error('a payment was authorised and is not taken for it');
  if (admitted.kind === 'replayed') return { payment: admitted.payment, isReplay: true };
  const { payment } = admitted;
  const connector = payment.status === 'BeingPaid' ? await context.connectorOf(payment.billerCode) : undefined;
  const answered = connector === undefined ? payment : await askBiller(context, connector, payment);
  return { payment: answered, isReplay: false };
}

/** Undefined: the biller would take it. */
async function authorise(context: TakeContext, draft: DraftPayment): Promise<Refusal | undefined> {
  const { log, clock, signal, deadlineMs } = context;
  const connector = await context.connectorOf(draft.billerCode);
  if (connector === undefined) return undefined;
  const asked = await withinDeadline(connector.authorise(atBiller(draft, clock()), signal), deadlineMs);
  if (asked.kind === 'answered') {
    return asked.answer.kind === 'accepted' ? undefined : memberRefused(asked.answer.reason);
  }
  if (asked.kind === 'failed') log.warn({ err: asked.error, billerCode: draft.billerCode }, 'a biller failed');
  return billerSilent(RETRY_AFTER_SECONDS);
}

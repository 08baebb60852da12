import type { Pool } from 'pg';
import { webhookHeaders } from '../../kernel/webhook-signature.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/database/database.ts';
import type { Log } from '../../platform/logging/log.ts';
import type { OutgoingOutcome, SendOutgoing } from '../../platform/network/outgoing.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { clearVendorAlert } from '../alerts/store.ts';
import { readVendorSecret } from '../vendors/secrets.ts';
import { alertExhausted } from './claim-deliveries.ts';
import { ANSWER_BYTES, answerText } from './core/answer-text.ts';
import { type AttemptEnd, type ClaimedAttempt, endAttempt, markDelivered, markFailed } from './store.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

export interface SendContext {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  readonly log: Log;
  readonly send: SendOutgoing;
  readonly timeoutMs: number;
  readonly intervalMs: number;
  readonly metrics: WebhookMetrics | undefined;
  /** The service stops: what is under way ends now. */
  readonly stopping: AbortSignal;
}

/** Sends an attempt that has been recorded, and writes down what became of it. Whether there will be another. */
export async function sendDelivery(context: SendContext, attempt: ClaimedAttempt): Promise<{ isToRetry: boolean }> {
  const { pool, clock, metrics } = context;
  const outcome = await post(context, attempt);
  const end = describeEnd(outcome, clock());
  const isDelivered = end.error === undefined;
  const state = await inTransaction(pool, async (tx) => {
    await endAttempt(tx, attempt, end);
    if (isDelivered) {
      await markDelivered(tx, attempt, end.endedAt);
      await clearVendorAlert(tx, attempt.vendorId, 'WebhookExhausted', attempt.deliveryId);
      return 'Delivered';
    }
    const next = await markFailed(tx, attempt, new Date(end.endedAt.getTime() + context.intervalMs));
    if (next === 'Exhausted') await alertExhausted(tx, attempt, end.error ?? '');
    return next;
  });
  metrics?.observeAttempt(
    isDelivered ? 'delivered' : outcome.kind === 'answered' ? 'refused' : 'failed',
    (end.endedAt.getTime() - attempt.startedAt.getTime()) / 1000,
  );
  if (state === 'Delivered' || state === 'Exhausted') metrics?.observeDelivery(state, attempt.number);
  return { isToRetry: state === 'Pending' };
}

async function post(context: SendContext, attempt: ClaimedAttempt): Promise<OutgoingOutcome> {
  const { vendorId, deliveryId, callbackUrl } = attempt;
  if (callbackUrl === null) return failed('the vendor has no callback URL any more');
  const body = JSON.stringify(attempt.billerCodes);
  try {
    const headers = await authenticatingHeaders(context, vendorId, deliveryId, body);
    return await context.send({
      url: callbackUrl,
      headers: { 'Content-type': 'application/json', 'User-Agent': 'Tillseal-Webhook', ...headers },
      body,
      timeoutMs: context.timeoutMs,
      answerBytes: ANSWER_BYTES,
      signal: context.stopping,
    });
  } catch (error) {
    context.log.error({ err: error, vendorId, deliveryId }, 'a webhook could not be sent');
    return failed("the request could not be made; the service's log says why");
  }
}

async function authenticatingHeaders(context: SendContext, vendorId: string, deliveryId: string, body: string) {
  const { pool, masterKeys, clock } = context;
  const bearer = await readVendorSecret(pool, masterKeys, vendorId, 'callbackToken');
  const secret = await readVendorSecret(pool, masterKeys, vendorId, 'webhookSecret');
  if (secret === undefined) throw new Error('the vendor has no webhook secret');
  return {
    ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
    ...webhookHeaders(secret, { id: deliveryId, atSeconds: seconds(clock()), body }),
  };
}

function failed(reason: string): OutgoingOutcome {
  return { kind: 'failed', reason, status: undefined };
}

/** Only 200 is success: 204 and 302 are answers like 500. */
function describeEnd(outcome: OutgoingOutcome, endedAt: Date): AttemptEnd {
  if (outcome.kind === 'failed') {
    return { endedAt, statusCode: outcome.status, answer: undefined, error: outcome.reason };
  }
  const error = outcome.status === 200 ? undefined : `answered ${outcome.status} instead of 200`;
  return { endedAt, statusCode: outcome.status, answer: answerText(outcome.answer), error };
}

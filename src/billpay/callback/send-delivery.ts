import type { Pool } from 'pg';
import { settle } from '../../platform/alerts/store.ts';
import type { Clock } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/database/database.ts';
import type { Log } from '../../platform/logging/log.ts';
import type { SendOutgoing } from '../../platform/network/outgoing.ts';
import { type MessageSecrets, type PostResult, postSigned } from '../../platform/network/post-signed.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { readVendorSecret } from '../vendors/secrets.ts';
import type { CallbackMetrics } from './callback-metrics.ts';
import { alertExhausted } from './claim-deliveries.ts';
import { type ClaimedAttempt, endAttempt, markDelivered, markFailed } from './store.ts';

export interface SendContext {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  readonly log: Log;
  readonly send: SendOutgoing;
  readonly timeoutMs: number;
  readonly intervalMs: number;
  readonly metrics: CallbackMetrics;
}

/** Sends an attempt that has been recorded, and writes down what became of it. Whether there will be another. */
export async function sendDelivery(
  context: SendContext,
  attempt: ClaimedAttempt,
  stopping: AbortSignal,
): Promise<{ isToRetry: boolean }> {
  const { pool, clock, metrics } = context;
  const { statusCode, answer, failure } = await post(context, attempt, stopping);
  const endedAt = clock();
  // Only 200 is success: 204 and 302 are answers like 500.
  const error = failure ?? (statusCode === 200 ? undefined : `answered ${statusCode} instead of 200`);
  const state = await inTransaction(pool, async (tx) => {
    await endAttempt(tx, attempt, { endedAt, statusCode, answer, error });
    if (error === undefined) {
      await markDelivered(tx, attempt, endedAt);
      await settle(tx, 'WebhookExhausted', attempt, attempt.deliveryId);
      return 'Delivered';
    }
    const next = await markFailed(tx, attempt, new Date(endedAt.getTime() + context.intervalMs));
    if (next === 'Exhausted') await alertExhausted(tx, attempt, error);
    return next;
  });
  const answered = failure === undefined ? statusCode : undefined;
  const durationMs = endedAt.getTime() - attempt.startedAt.getTime();
  metrics.observeAttempt({ isTaken: error === undefined, statusCode: answered }, durationMs);
  if (state === 'Delivered' || state === 'Exhausted') metrics.observeDelivery(state, attempt.number);
  return { isToRetry: state === 'Pending' };
}

async function post(context: SendContext, attempt: ClaimedAttempt, signal: AbortSignal): Promise<PostResult> {
  const { vendorId, deliveryId, callbackUrl } = attempt;
  if (callbackUrl === null) {
    return { statusCode: undefined, answer: undefined, failure: 'the vendor has no callback URL any more' };
  }
  return postSigned(context, {
    id: deliveryId,
    url: callbackUrl,
    body: JSON.stringify(attempt.billerCodes),
    timeoutMs: context.timeoutMs,
    signal,
    readSecrets: () => readSecrets(context, vendorId),
  });
}

async function readSecrets({ pool, masterKeys }: SendContext, vendorId: string): Promise<MessageSecrets> {
  const bearer = await readVendorSecret(pool, masterKeys, vendorId, 'callbackToken');
  const secret = await readVendorSecret(pool, masterKeys, vendorId, 'webhookSecret');
  if (secret === undefined) throw new Error('the vendor has no callback secret');
  return { signing: [secret], headers: bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` } };
}

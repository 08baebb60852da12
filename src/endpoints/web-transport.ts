import type { Pool } from 'pg';
import { writeExactJson } from '../kernel/exact-json.ts';
import type { Clock } from '../platform/clock.ts';
import { eventPage } from '../platform/events/event-page.ts';
import type { Log } from '../platform/logging/log.ts';
import { createOutgoing, type OutgoingOptions } from '../platform/network/outgoing.ts';
import { type MessageSecrets, postSigned } from '../platform/network/post-signed.ts';
import type { MasterKeys } from '../platform/secrets/master-keys.ts';
import type { ObserveAttempt } from '../platform/work/delivery-metrics.ts';
import type { Endpoint } from './core/endpoint.ts';
import { outcomeOf, wishedSeconds } from './core/policy.ts';
import { readSecrets } from './secrets.ts';
import type { Transport } from './transport.ts';

const TIMEOUT_MS = 15_000;

export interface WebTransportOptions extends OutgoingOptions {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  readonly log: Log;
  readonly observe?: ObserveAttempt | undefined;
  /** Only tests are in a greater hurry. */
  readonly timeoutMs?: number | undefined;
}

/** Posts events as Standard Webhooks say; the body is the answer of `GET /api/events`. */
export function createWebTransport(options: WebTransportOptions): Transport {
  const { pool, masterKeys, clock, timeoutMs = TIMEOUT_MS } = options;
  const outgoing = createOutgoing(options);
  /** Of those that are sent something just now: opened once, not for every event. */
  const opened = new Map<string, { readonly revision: number; readonly secrets: MessageSecrets; readonly at: Date }>();
  const secretsOf = async (endpoint: Endpoint): Promise<MessageSecrets> => {
    const { endpointId, revision, oldSecretUntil } = endpoint;
    const now = clock();
    const known = opened.get(endpointId);
    const hasRunOut =
      oldSecretUntil !== null && known !== undefined && known.at < oldSecretUntil && oldSecretUntil <= now;
    if (known?.revision === revision && !hasRunOut) return known.secrets;
    const secrets = await readSecrets(pool, masterKeys, endpoint, now);
    opened.set(endpointId, { revision, secrets, at: now });
    return secrets;
  };
  return {
    waitMs: () => 0,
    timeoutMs,
    send: async ({ endpoint, messageId, events, isInLine, signal }) => {
      const startedMs = performance.now();
      const posted = await postSigned(
        { ...options, send: outgoing.send },
        {
          id: messageId,
          url: endpoint.address,
          body: writeExactJson(eventPage(events, 0n)),
          timeoutMs,
          signal,
          connectionOf: isInLine ? endpoint.endpointId : undefined,
          readSecrets: () => secretsOf(endpoint),
        },
      );
      const { answer, failure } = posted;
      const statusCode = failure === undefined ? posted.statusCode : undefined;
      const outcome = outcomeOf(statusCode);
      options.observe?.({ isTaken: outcome === 'Taken', statusCode }, performance.now() - startedMs);
      const error = outcome === 'Taken' ? undefined : (failure ?? `answered ${statusCode}`);
      const retryAfterSeconds = wishedSeconds(posted.retryAfter, clock());
      return { outcome, statusCode: posted.statusCode, answer, error, retryAfterSeconds };
    },
    forget: (endpointId) => {
      opened.delete(endpointId);
      outgoing.forget(endpointId);
    },
    close: () => outgoing.close(),
  };
}

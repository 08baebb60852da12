import type { Pool } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/logging/log.ts';
import { createOutgoing, type SendOutgoing } from '../../platform/network/outgoing.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { DueWork } from '../../platform/work/due.ts';
import { claimDeliveries } from './claim-deliveries.ts';
import { sendDelivery } from './send-delivery.ts';
import { type ClaimedAttempt, countPending, GATHERING_MS } from './store.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

export interface WebhookOptions {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  readonly log: Log;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly allowsPrivate: boolean;
  readonly metrics?: WebhookMetrics | undefined;
  /** Tests bring their own; names are resolved and addresses guarded by default. */
  readonly send?: SendOutgoing;
}

export interface WebhookWork {
  readonly start: () => void;
  /** A biller has changed, or a delivery is to be sent again. */
  readonly poke: () => void;
  readonly stop: () => Promise<void>;
}

/**
 * A vendor that does not answer holds a place for the length of the time-out and costs nothing but a socket; no vendor holds
 * more than one. This many vendors may hang at the same moment before another one has to wait.
 */
const CONCURRENCY = 1000;
/** At a time: everyone else uses the same database connections. */
const CLAIM_AT_ONCE = 50;
const POLL_MS = 1000;
/** A stop must end in seconds. What a vendor has not answered by then is cut off, and counts as an attempt. */
const STOP_PATIENCE_MS = 2000;

export function createWebhookWork(options: WebhookOptions): WebhookWork {
  const { pool, clock, log, intervalMs, timeoutMs, metrics } = options;
  const send = options.send ?? createOutgoing({ allowsPrivate: options.allowsPrivate });
  const stopping = new AbortController();
  const context = { ...options, send, metrics, stopping: stopping.signal };
  metrics?.watchPending(() => countPending(pool));
  const work = new DueWork<ClaimedAttempt>({
    claim: async (free) => {
      const most = Math.min(free, CLAIM_AT_ONCE);
      const claimed = await claimDeliveries(pool, clock(), { most, timeoutMs });
      if (claimed.length === most) work.poke();
      for (const one of claimed) if (!one.isAttempt) metrics?.observeDelivery('Exhausted', one.number);
      return claimed.filter(({ isAttempt }) => isAttempt);
    },
    run: async (attempt) => {
      const { isToRetry } = await sendDelivery(context, attempt);
      // What waited for this request of the vendor may go now; the poll would be up to a second late for the next.
      work.poke();
      if (isToRetry) pokeAfter(intervalMs);
    },
    concurrency: CONCURRENCY,
    pollMs: POLL_MS,
    log,
  });
  const timers = new Set<NodeJS.Timeout>();
  const pokeAfter = (delayMs: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work.poke();
    }, delayMs);
    timers.add(timer.unref());
  };
  return {
    start: () => work.start(),
    poke: () => {
      work.poke();
      pokeAfter(GATHERING_MS);
    },
    stop: async () => {
      for (const timer of timers) clearTimeout(timer);
      const patience = setTimeout(() => stopping.abort(), STOP_PATIENCE_MS);
      await work.stop();
      clearTimeout(patience);
    },
  };
}

import { createOutgoing } from '../../platform/network/outgoing.ts';
import { DeliveryWork } from '../../platform/work/delivery-work.ts';
import { claimDeliveries } from './claim-deliveries.ts';
import { type SendContext, sendDelivery } from './send-delivery.ts';
import { type ClaimedAttempt, countPending, GATHERING_MS } from './store.ts';

export interface CallbackOptions extends Omit<SendContext, 'send'> {
  readonly allowsPrivate: boolean;
}

export interface CallbackWork {
  readonly start: () => void;
  /** A biller has changed, or a delivery is to be sent again. */
  readonly poke: () => void;
  readonly stop: () => Promise<void>;
}

export function createCallbackWork(options: CallbackOptions): CallbackWork {
  const { pool, clock, intervalMs, timeoutMs, metrics } = options;
  const context = { ...options, send: createOutgoing(options).send };
  metrics.watchPending(() => countPending(pool));
  const work = new DeliveryWork<ClaimedAttempt>({
    ...options,
    claim: (most) => claimDeliveries(pool, clock(), { most, timeoutMs }),
    run: async (attempt, stopping) => {
      if (!attempt.isAttempt) {
        metrics.observeDelivery('Exhausted', attempt.number);
        return undefined;
      }
      const { isToRetry } = await sendDelivery(context, attempt, stopping);
      // What waited for this request of the vendor may go now; the poll would be up to a second late for the next.
      work.poke();
      return isToRetry ? intervalMs : undefined;
    },
  });
  return {
    start: () => work.start(),
    poke: () => {
      work.poke();
      work.pokeAfter(GATHERING_MS);
    },
    stop: () => work.stop(),
  };
}

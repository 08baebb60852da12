import { Counter, Histogram, type Registry } from 'prom-client';
import { figures } from '../../platform/metrics.ts';
import { attemptMetrics, type ObserveAttempt } from '../../platform/work/delivery-metrics.ts';

/** How callbacks about changed billers reach the vendors. */
export interface CallbackMetrics {
  readonly observeAttempt: ObserveAttempt;
  readonly observeDelivery: (outcome: 'Delivered' | 'Exhausted', attempts: number) => void;
  readonly watchPending: (count: () => Promise<number>) => void;
}

export function createCallbackMetrics(registry: Registry): CallbackMetrics {
  const registers = [registry];
  const needed = new Histogram({
    name: 'tillseal_webhook_delivery_attempts',
    help: 'Attempts a delivery had taken when it was settled.',
    buckets: [1, 2, 3, 6],
    registers,
  });
  const deliveries = new Counter({
    name: 'tillseal_webhook_deliveries_total',
    help: 'Deliveries settled, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    observeAttempt: attemptMetrics(registry, 'billers'),
    observeDelivery: (outcome, count) => {
      needed.observe(count);
      deliveries.labels(outcome).inc();
    },
    watchPending: (count) =>
      figures(registry, count, [
        ['tillseal_webhook_deliveries_pending', 'Deliveries neither delivered nor given up.', (pending) => pending],
      ]),
  };
}

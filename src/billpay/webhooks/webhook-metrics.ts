import { Counter, Histogram, type Registry } from 'prom-client';
import { figures } from '../../platform/metrics.ts';

/** How webhooks about changed billers reach the vendors. */
export interface WebhookMetrics {
  readonly observeAttempt: (outcome: 'delivered' | 'refused' | 'failed', durationSeconds: number) => void;
  readonly observeDelivery: (outcome: 'Delivered' | 'Exhausted', attempts: number) => void;
  readonly watchPending: (count: () => Promise<number>) => void;
}

export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  const attempts = new Histogram({
    name: 'tillseal_webhook_attempt_duration_seconds',
    help: 'Requests to vendors by outcome, with their duration.',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
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
    observeAttempt: (outcome, durationSeconds) => attempts.labels(outcome).observe(durationSeconds),
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

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** How the news of changed billers reach the vendors. */
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
    watchPending: (count) => {
      const pending: Gauge = new Gauge({
        name: 'tillseal_webhook_deliveries_pending',
        help: 'Deliveries neither delivered nor given up.',
        registers,
        collect: async () => pending.set(await inTime(count)),
      });
    },
  };
}

const READ_PATIENCE_MS = 2000;

/** A database that is away or busy must not take the other figures with it. */
function inTime(count: () => Promise<number>): Promise<number> {
  const late = new Promise<number>((resolve) => setTimeout(resolve, READ_PATIENCE_MS, Number.NaN).unref());
  return Promise.race([count().catch(() => Number.NaN), late]);
}

import { Histogram, type Registry } from 'prom-client';

/** Changed billers to vendors, events to endpoints, or alerts by mail. */
export type DeliveryPolicy = 'billers' | 'events' | 'mail';

export type ObserveAttempt = (
  attempt: { readonly isTaken: boolean; readonly statusCode: number | undefined },
  durationMs: number,
) => void;

const NAME = 'tillseal_webhook_attempt_duration_seconds';

/** One histogram for all policies, whichever comes first. */
export function attemptMetrics(registry: Registry, policy: DeliveryPolicy): ObserveAttempt {
  const attempts =
    (registry.getSingleMetric(NAME) as Histogram<'policy' | 'outcome'> | undefined) ??
    new Histogram({
      name: NAME,
      help: 'Requests to receivers by policy and outcome, with their duration.',
      labelNames: ['policy', 'outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [registry],
    });
  return ({ isTaken, statusCode }, durationMs) => {
    const outcome = isTaken ? 'delivered' : statusCode === undefined ? 'failed' : 'refused';
    attempts.labels(policy, outcome).observe(durationMs / 1000);
  };
}

import { Counter, type Registry } from 'prom-client';
import { figures, gauge } from '../../platform/metrics.ts';

/** Bill payments as an operator watches them. Names and meaning: docs/operations/metrics.md. */
export interface PaymentMetrics {
  /** A payment got into this state. */
  readonly observeState: (status: string) => void;
  readonly watch: (payments: PaymentWatch) => void;
}

export interface PaymentWatch {
  readonly queueLength: () => number;
  /** Payments whose biller has not decided. */
  readonly backlog: () => Promise<{ readonly payments: number; readonly oldestSeconds: number }>;
}

export function createPaymentMetrics(registry: Registry): PaymentMetrics {
  const states = new Counter({
    name: 'tillseal_payments_total',
    help: 'Bill payments by the status they got into.',
    labelNames: ['status'],
    registers: [registry],
  });
  return {
    observeState: (status) => states.inc({ status }),
    watch: ({ queueLength, backlog }) => {
      gauge(registry, 'tillseal_payment_queue_length', 'Bill payments waiting to be written.', queueLength);
      figures(registry, backlog, [
        [
          'tillseal_payments_being_paid',
          'Bill payments that their billers have not decided.',
          ({ payments }) => payments,
        ],
        [
          'tillseal_payments_being_paid_oldest_seconds',
          'Age of the oldest of them.',
          ({ oldestSeconds }) => oldestSeconds,
        ],
      ]);
    },
  };
}

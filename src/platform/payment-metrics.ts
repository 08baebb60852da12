import { Counter, Gauge, type Registry } from 'prom-client';

/** Bill payments as an operator watches them. Names and meaning: docs/operations/metrics.md. */
export interface PaymentMetrics {
  /** A payment got into this state. */
  readonly observeState: (status: string) => void;
  readonly watch: (payments: PaymentWatch) => void;
}

export interface PaymentWatch {
  readonly queueLength: () => number;
  /** Payments whose biller has not decided. */
  readonly backlog: () => Promise<Backlog>;
}

interface Backlog {
  readonly payments: number;
  readonly oldestSeconds: number;
}

const READ_PATIENCE_MS = 2000;
const UNKNOWN = { payments: Number.NaN, oldestSeconds: Number.NaN };

export function createPaymentMetrics(registry: Registry): PaymentMetrics {
  const registers = [registry];
  const states = new Counter({
    name: 'tillseal_payments_total',
    help: 'Bill payments by the status they got into.',
    labelNames: ['status'],
    registers,
  });
  return {
    observeState: (status) => states.inc({ status }),
    watch: ({ queueLength, backlog }) => {
      const queue: Gauge = new Gauge({
        name: 'tillseal_payment_queue_length',
        help: 'Bill payments waiting to be written.',
        registers,
        collect: () => queue.set(queueLength()),
      });
      // Both wait for one answer: a gauge that another one sets would show what it was at the last visit.
      const read = shared(() => inTime(backlog()));
      const figure = (name: string, help: string, value: (found: Backlog) => number) =>
        new Gauge({
          name,
          help,
          registers,
          async collect() {
            this.set(value(await read()));
          },
        });
      figure(
        'tillseal_payments_being_paid',
        'Bill payments that their billers have not decided.',
        ({ payments }) => payments,
      );
      figure(
        'tillseal_payments_being_paid_oldest_seconds',
        'Age of the oldest of them.',
        ({ oldestSeconds }) => oldestSeconds,
      );
    },
  };
}

/** A database that is away or busy must not take the other figures with it: then these are not a number. */
function inTime(asked: Promise<Backlog>): Promise<Backlog> {
  const late = new Promise<Backlog>((resolve) => setTimeout(resolve, READ_PATIENCE_MS, UNKNOWN).unref());
  return Promise.race([asked.catch(() => UNKNOWN), late]);
}

/** Whoever asks while an answer is on its way gets that one: /metrics is open to all, the database is not. */
function shared<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asking: Promise<Value> | undefined;
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

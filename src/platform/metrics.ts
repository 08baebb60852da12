import type { Pool } from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createInvoiceMetrics, type InvoiceMetrics } from './invoice-metrics.ts';
import { createPaymentMetrics, type PaymentMetrics } from './payment-metrics.ts';
import { createWebhookMetrics, type WebhookMetrics } from './webhook-metrics.ts';

/** What an operator watches. Names and meaning: docs/operations/metrics.md. Never a tenant, reference or token in a label. */
export interface Metrics {
  readonly registry: Registry;
  readonly observeRequest: (method: string, route: string, status: number, durationSeconds: number) => void;
  /** A batch was committed: how many receipts it sealed and how long the transaction took. */
  readonly observeBatch: (sealed: number, durationSeconds: number) => void;
  readonly watchQueue: (length: () => number) => void;
  readonly watchPool: (pool: Pool) => void;
  readonly watchAuthority: (authority: AuthorityWatch) => void;
  /** A call to the authority was answered, refused or lost. */
  readonly observeCall: (operation: string, outcome: string, durationSeconds: number) => void;
  readonly payments: PaymentMetrics;
  readonly webhooks: WebhookMetrics;
  readonly invoices: InvoiceMetrics;
}

export interface AuthorityWatch {
  readonly breakerState: () => 'closed' | 'open' | 'half-open';
  readonly activeDevices: () => number;
  readonly backlog: () => Promise<{
    readonly receipts: number;
    readonly oldestSeconds: number;
    readonly stoppedLanes: number;
  }>;
  readonly openAlerts: () => Promise<number>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Histogram({
    name: 'tillseal_http_request_duration_seconds',
    help: 'Requests by method, route and status, with their duration.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const batchSize = new Histogram({
    name: 'tillseal_seal_batch_size',
    help: 'Receipts sealed by one transaction.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const batchDuration = new Histogram({
    name: 'tillseal_seal_batch_duration_seconds',
    help: 'Duration of a sealing transaction, commit included.',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const calls = new Histogram({
    name: 'tillseal_authority_call_duration_seconds',
    help: 'Calls to the tax authority by operation and outcome.',
    labelNames: ['operation', 'outcome'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const sealed = new Counter({ name: 'tillseal_receipts_sealed_total', help: 'Receipts sealed.', registers });
  return {
    registry,
    observeRequest: (method, route, status, durationSeconds) =>
      requests.labels(method, route, String(status)).observe(durationSeconds),
    observeBatch: (count, durationSeconds) => {
      batchSize.observe(count);
      batchDuration.observe(durationSeconds);
      sealed.inc(count);
    },
    observeCall: (operation, outcome, durationSeconds) => calls.labels(operation, outcome).observe(durationSeconds),
    payments: createPaymentMetrics(registry),
    webhooks: createWebhookMetrics(registry),
    invoices: createInvoiceMetrics(registry),
    watchAuthority: (authority) => watchAuthority(authority, registry),
    watchQueue: (length) => {
      gauge('tillseal_seal_queue_length', 'Receipts waiting to be sealed.', length, registry);
    },
    watchPool: (pool) => {
      gauge('tillseal_database_connections', 'Open database connections.', () => pool.totalCount, registry);
      gauge('tillseal_database_connections_idle', 'Idle database connections.', () => pool.idleCount, registry);
      gauge('tillseal_database_waiting', 'Requests waiting for a connection.', () => pool.waitingCount, registry);
    },
  };
}

function gauge(name: string, help: string, value: () => number, registry: Registry): Gauge {
  return new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}

function watchAuthority(authority: AuthorityWatch, registry: Registry): void {
  const states = { closed: 0, 'half-open': 1, open: 2 };
  gauge(
    'tillseal_authority_breaker',
    '0 answers, 1 being tried again, 2 down.',
    () => states[authority.breakerState()],
    registry,
  );
  gauge('tillseal_devices_active', 'Devices talking to the authority now.', authority.activeDevices, registry);
  // All four wait for one answer: a gauge that another one sets would show what it was at the last visit.
  const read = shared(() => readInTime(authority));
  const figure = (name: string, help: string, value: (figures: AuthorityFigures) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(value(await read()));
      },
    });
  figure('tillseal_submission_backlog', 'Receipts sealed and not submitted yet.', ({ backlog }) => backlog.receipts);
  figure(
    'tillseal_submission_oldest_seconds',
    'Age of the oldest receipt not submitted.',
    ({ backlog }) => backlog.oldestSeconds,
  );
  figure('tillseal_lanes_stopped', 'Devices whose lane waits for an operator.', ({ backlog }) => backlog.stoppedLanes);
  figure('tillseal_alerts_open', 'Alerts nobody has acknowledged.', ({ openAlerts }) => openAlerts);
}

interface AuthorityFigures {
  readonly backlog: Awaited<ReturnType<AuthorityWatch['backlog']>>;
  readonly openAlerts: number;
}

const UNKNOWN: AuthorityFigures = {
  backlog: { receipts: Number.NaN, oldestSeconds: Number.NaN, stoppedLanes: Number.NaN },
  openAlerts: Number.NaN,
};
const READ_PATIENCE_MS = 2000;

/** A database that is away or busy must not take the other figures with it: then these are not a number. */
async function readInTime(authority: AuthorityWatch): Promise<AuthorityFigures> {
  const late = new Promise<AuthorityFigures>((resolve) => setTimeout(resolve, READ_PATIENCE_MS, UNKNOWN).unref());
  const asked = Promise.all([authority.backlog(), authority.openAlerts()]).then(
    ([backlog, openAlerts]) => ({ backlog, openAlerts }),
    () => UNKNOWN,
  );
  return Promise.race([asked, late]);
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

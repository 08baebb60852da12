import type { Pool } from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

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
  const registers = [registry];
  const oldest = new Gauge({
    name: 'tillseal_submission_oldest_seconds',
    help: 'Age of the oldest receipt not submitted.',
    registers,
  });
  const stopped = new Gauge({
    name: 'tillseal_lanes_stopped',
    help: 'Devices whose lane waits for an operator.',
    registers,
  });
  const alerts = new Gauge({ name: 'tillseal_alerts_open', help: 'Alerts nobody has acknowledged.', registers });
  const backlogGauge = new Gauge({
    name: 'tillseal_submission_backlog',
    help: 'Receipts sealed and not submitted yet.',
    registers: [],
    async collect() {
      const backlog = await authority.backlog();
      this.set(backlog.receipts);
      oldest.set(backlog.oldestSeconds);
      stopped.set(backlog.stoppedLanes);
      alerts.set(await authority.openAlerts());
    },
  });
  registry.registerMetric(backlogGauge);
}

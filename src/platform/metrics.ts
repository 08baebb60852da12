import type { Pool } from 'pg';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * What an operator watches of the process itself; each area adds its own to the registry. Names and meaning:
 * docs/operations/metrics.md. Never a tenant, reference or token in a label.
 */
export interface Metrics {
  readonly registry: Registry;
  readonly observeRequest: (method: string, route: string, status: number, durationSeconds: number) => void;
  readonly watchPool: (pool: Pool, commitWaitSeconds?: () => number) => void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'tillseal_http_request_duration_seconds',
    help: 'Requests by method, route and status, with their duration.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return {
    registry,
    observeRequest: (method, route, status, durationSeconds) =>
      requests.labels(method, route, String(status)).observe(durationSeconds),
    watchPool: (pool, commitWaitSeconds = () => 0) => {
      gauge(registry, 'tillseal_database_connections', 'Open database connections.', () => pool.totalCount);
      gauge(registry, 'tillseal_database_connections_idle', 'Idle database connections.', () => pool.idleCount);
      gauge(registry, 'tillseal_database_waiting', 'Requests waiting for a connection.', () => pool.waitingCount);
      gauge(
        registry,
        'tillseal_database_commit_wait_seconds',
        'For how long the oldest commit has been waiting for a standby.',
        commitWaitSeconds,
      );
    },
  };
}

export function gauge(registry: Registry, name: string, help: string, value: () => number | Promise<number>): void {
  const shown: Gauge = new Gauge({ name, help, registers: [], collect: async () => shown.set(await value()) });
  registry.registerMetric(shown);
}

const READ_PATIENCE_MS = 2000;

type Figure<Found> = readonly [
  name: string,
  help: string,
  value: (found: Found) => number | Readonly<Record<string, number>>,
  label?: string,
];

/**
 * Figures that come from the database, with one question for all of them: a gauge that another one sets would show what it was
 * at the last visit. Asked once for all callers: /metrics is open to all, the database is not. A database that is down or
 * busy must not take the other figures with it: then these are not a number. With a label there is a figure for each of its words.
 */
export function figures<Found>(registry: Registry, read: () => Promise<Found>, values: readonly Figure<Found>[]): void {
  let asking: Promise<Found | undefined> | undefined;
  const found = () => {
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), READ_PATIENCE_MS).unref());
    asking ??= Promise.race([read().catch(() => undefined), late]).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  for (const [name, help, value, label] of values) {
    const collect = async () => {
      const answer = await found();
      const figure = answer === undefined ? Number.NaN : value(answer);
      shown.reset();
      if (typeof figure === 'number') shown.set(figure);
      else for (const [word, part] of Object.entries(figure)) shown.set({ [label ?? '']: word }, part);
    };
    const shown: Gauge = new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [],
      collect,
    });
    registry.registerMetric(shown);
  }
}

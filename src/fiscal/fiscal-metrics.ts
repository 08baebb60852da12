import { Counter, Histogram, type Registry } from 'prom-client';
import type { AlertKind } from '../contract/shared/kinds.ts';
import { figures, gauge } from '../platform/metrics.ts';
import type { BatchWay } from './sealing/seal-context.ts';

/** Signing and the authority as an operator watches them. Names and meaning: docs/operations/metrics.md. */
export interface FiscalMetrics {
  /** A batch was committed: how many receipts it sealed and how long the transaction took. */
  readonly observeBatch: (sealed: number, durationSeconds: number) => void;
  readonly countBatch: (way: BatchWay) => void;
  readonly watch: (service: FiscalWatch) => void;
}

export interface FiscalWatch {
  readonly queueLength: () => number;
  readonly breakerState: () => 'closed' | 'open' | 'half-open';
  readonly activeDevices: () => number;
  readonly backlog: () => Promise<{
    readonly receipts: number;
    readonly oldestSeconds: number;
    readonly stoppedLanes: number;
  }>;
  readonly openAlerts: () => Promise<{
    readonly unacknowledged: number;
    readonly byKind: Readonly<Record<AlertKind, number>>;
  }>;
}

export function createFiscalMetrics(registry: Registry): FiscalMetrics {
  const registers = [registry];
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
  const sealed = new Counter({ name: 'tillseal_receipts_sealed_total', help: 'Receipts sealed.', registers });
  const batches = new Counter({
    name: 'tillseal_seal_batches_total',
    help: 'Batches by how they were sealed: ahead of a look at their devices, not at all because a guess was wrong, or under the lock.',
    labelNames: ['way'],
    registers,
  });
  return {
    countBatch: (way) => batches.inc({ way }),
    observeBatch: (count, durationSeconds) => {
      batchSize.observe(count);
      batchDuration.observe(durationSeconds);
      sealed.inc(count);
    },
    watch: (service) => watchService(registry, service),
  };
}

/** For the gateway, which is there before the service: a call to the authority was answered, refused or lost. */
export function observeCalls(registry: Registry) {
  const calls = new Histogram({
    name: 'tillseal_authority_call_duration_seconds',
    help: 'Calls to the tax authority by operation and outcome.',
    labelNames: ['operation', 'outcome'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return (operation: string, outcome: string, durationSeconds: number) =>
    calls.labels(operation, outcome).observe(durationSeconds);
}

const BREAKER_STATES = { closed: 0, 'half-open': 1, open: 2 };

function watchService(registry: Registry, service: FiscalWatch): void {
  const { queueLength, breakerState, activeDevices } = service;
  gauge(registry, 'tillseal_seal_queue_length', 'Receipts waiting to be sealed.', queueLength);
  gauge(
    registry,
    'tillseal_authority_breaker',
    '0 answers, 1 being tried again, 2 down.',
    () => BREAKER_STATES[breakerState()],
  );
  gauge(registry, 'tillseal_devices_active', 'Devices talking to the authority now.', activeDevices);
  const read = async () => {
    const [backlog, openAlerts] = await Promise.all([service.backlog(), service.openAlerts()]);
    return { ...backlog, openAlerts };
  };
  figures(registry, read, [
    ['tillseal_submission_backlog', 'Receipts sealed and not submitted yet.', ({ receipts }) => receipts],
    ['tillseal_submission_oldest_seconds', 'Age of the oldest receipt not submitted.', (found) => found.oldestSeconds],
    ['tillseal_lanes_stopped', 'Devices whose lane waits for an operator.', ({ stoppedLanes }) => stoppedLanes],
    ['tillseal_alerts_open', 'Alerts not acknowledged yet.', ({ openAlerts }) => openAlerts.unacknowledged],
    ['tillseal_alerts_unsettled', 'Alerts not settled yet, by kind.', ({ openAlerts }) => openAlerts.byKind, 'kind'],
  ]);
}

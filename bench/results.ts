import { cpus, loadavg, totalmem } from 'node:os';
import type { HalfLoad } from './half-load.ts';
import type { IdleLatency } from './idle.ts';
import type { TwoInstances } from './instances.ts';
import type { Limits } from './limits.ts';

/** What a run has found. What a short look leaves out is missing. */
export interface Results {
  readonly date: string;
  readonly machine: Machine;
  readonly connections: number;
  readonly bodyBytes: number;
  /** The slowest of the signature probes over the run by the fastest: near 1 the machine was ours alone. */
  readonly steadiness: number;
  readonly cases: readonly CaseResult[];
  readonly idle?: IdleLatency;
  readonly halfLoad?: HalfLoad;
  readonly twoInstances?: TwoInstances;
  readonly payments?: PaymentResult;
  /** Answered but not in the table, or the other way round. */
  readonly lost: number;
  readonly seconds: number;
}

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryMb: number;
  readonly platform: string;
  readonly node: string;
  readonly postgres: string;
  /** Of the minute before the start: whatever else runs is paid for by the figures. */
  readonly loadBefore: number;
}

export interface CaseResult {
  readonly devices: number;
  readonly requests: number;
  readonly errors: number;
  readonly receiptsPerSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly ratioToComposite: number;
  readonly rssMb: number;
  /** Of the machine, measured between the pieces of this case. */
  readonly limits: Limits;
}

/** Bill payments at one biller that settles here, without invoices. */
export interface PaymentResult {
  readonly bodyBytes: number;
  readonly requests: number;
  readonly errors: number;
  readonly paymentsPerSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly rssMb: number;
}

const LOAD_BEFORE = loadavg()[0] ?? 0;

export function machineFacts(postgres: string): Machine {
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryMb: Math.round(totalmem() / 1024 ** 2),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    postgres,
    loadBefore: LOAD_BEFORE,
  };
}

export function countErrors({ cases, idle, halfLoad, twoInstances, payments, lost }: Results): number {
  const parts = [...cases, idle, halfLoad, twoInstances, payments];
  return parts.reduce((sum, part) => sum + (part?.errors ?? 0), lost);
}

/** Figures that fluctuate by percents are kept to a sensible number of digits. */
export function rounded<T>(results: T): T {
  const text = JSON.stringify(results, (_key, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value,
  );
  return JSON.parse(text) as T;
}

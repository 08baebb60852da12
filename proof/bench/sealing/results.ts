import type { Machine } from '../shared/machine.ts';
import type { HalfLoad } from './half-load.ts';
import type { IdleLatency } from './idle.ts';
import type { TwoInstances } from './instances.ts';
import type { Limits } from './limits.ts';

/** The results of a run. What a short run leaves out is missing. */
export interface Results {
  readonly date: string;
  readonly machine: Machine;
  readonly connections: number;
  readonly bodyBytes: number;
  /** The slowest signature probe of the run divided by the fastest: near 1 the machine did nothing else. */
  readonly steadiness: number;
  readonly cases: readonly CaseResult[];
  readonly idle?: IdleLatency;
  readonly halfLoad?: HalfLoad;
  readonly twoInstances?: readonly TwoInstances[];
  readonly payments?: PaymentResult;
  /** Answered but not in the table, or the other way round. */
  readonly lost: number;
  readonly seconds: number;
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

export function countErrors({ cases, idle, halfLoad, twoInstances = [], payments, lost }: Results): number {
  const parts = [...cases, idle, halfLoad, ...twoInstances, payments];
  return parts.reduce((sum, part) => sum + (part?.errors ?? 0), lost);
}

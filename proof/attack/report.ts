import type { Failure } from './answer/failures.ts';
import type { Growth } from './world/watch.ts';

export interface FuzzReport {
  readonly seed: number;
  readonly requests: number;
  readonly onTheWire: number;
  readonly operations: number;
  /** Operations that never answered 2xx: what lies behind their checks was not reached. */
  readonly neverGood: readonly string[];
  readonly statuses: ReadonlyMap<number | 'closed', number>;
  readonly failures: readonly Failure[];
  /** What is wrong with the run as a whole. */
  readonly faults: readonly string[];
  readonly growth: Growth;
  readonly logLines: number;
  readonly secrets: number;
  readonly durationMs: number;
}

export function describeFailure({ operationId, kind, fault, curl }: Failure): string {
  return `\nFAILED ${operationId} (${kind})\n  ${fault}\n  ${curl}\n`;
}

export function describeReport(report: FuzzReport): string {
  const statuses = [...report.statuses].toSorted(([a], [b]) => String(a).localeCompare(String(b)));
  const { growth } = report;
  return [
    '',
    `${report.requests} requests and ${report.onTheWire} bare connections to ${report.operations} operations in ${Math.round(report.durationMs / 1000)} s, seed ${report.seed}`,
    `answers: ${statuses.map(([status, count]) => `${status} × ${count}`).join(', ')}`,
    `memory: ${growth.meanRssMb.toFixed(0)} MB on average over the second half (most ${growth.mostRssMb.toFixed(0)} MB), which grew it by ${growth.rssMb.toFixed(1)} MB and the open files by ${growth.openFiles.toFixed(1)}; ${growth.samples} samples`,
    `log: ${report.logLines} lines at debug level, searched for ${report.secrets} secrets`,
    `never answered 2xx: ${report.neverGood.join(', ') || 'none'}`,
    ...report.faults.map((fault) => `FAILED: ${fault}`),
    ...report.failures.map(
      ({ operationId, fault, count }) => `FAILED ${operationId} × ${count}: ${fault.slice(0, 160)}`,
    ),
    report.failures.length + report.faults.length === 0 ? 'nothing failed' : '',
  ].join('\n');
}

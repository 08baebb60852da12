import { QUIET_LOAD } from '../shared/machine.ts';
import { whole } from '../shared/report.ts';
import { goals } from './goals.ts';
import type { HalfLoad } from './half-load.ts';
import type { BesideItsParts, IdleLatency } from './idle.ts';
import type { TwoInstances } from './instances.ts';
import type { PaymentResult, Results } from './results.ts';

const STEADY = 0.85;

/** What is printed at the end of a run. */
export function table(results: Results): string {
  const { machine, idle, halfLoad, twoInstances = [], payments } = results;
  return [
    `${machine.cpu}, ${machine.cores} cores, ${whole(machine.memoryMb)} MB, Node ${machine.node}, PostgreSQL ${machine.postgres}`,
    `${results.connections} connections, receipts of ${whole(results.bodyBytes)} bytes, load generator on the same machine`,
    ...disturbance(results),
    '',
    ...caseLines(results),
    '',
    ...limitLines(results),
    ...(idle === undefined ? [] : idleLines(idle)),
    ...(halfLoad === undefined ? [] : [halfLoadLine(halfLoad)]),
    ...twoInstances.map(instancesLine),
    ...(payments === undefined ? [] : [paymentLine(payments)]),
    '',
    ...goals(results),
    '',
    `All of it took ${whole(results.seconds)} s.`,
    '',
  ].join('\n');
}

/** Limits and cases take turns every few seconds, but another program in between can still spoil every ratio. */
function disturbance({ machine, steadiness }: Results): string[] {
  if (machine.loadBefore <= QUIET_LOAD && steadiness >= STEADY) return [];
  return [
    `NOT A QUIET MACHINE: load ${machine.loadBefore} before the start, and its speed fell to ${(steadiness * 100).toFixed(0)} % at times. Do not compare.`,
  ];
}

function caseLines({ cases }: Results): string[] {
  const header = ['devices', 'receipts/s', 'p50', 'p95', 'p99', 'of composite', 'RSS', 'errors'];
  const rows = cases.map((one) => [
    whole(one.devices),
    whole(one.receiptsPerSecond),
    ms(one.p50Ms),
    ms(one.p95Ms),
    ms(one.p99Ms),
    one.ratioToComposite.toFixed(2),
    `${whole(one.rssMb)} MB`,
    whole(one.errors),
  ]);
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)));
  return [header, ...rows].map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('   '));
}

function limitLines({ cases }: Results): string[] {
  return cases.map(
    ({ devices, limits }) =>
      `The machine's limits beside ${whole(devices)}: ${whole(limits.bareRequestsPerSecond)} bare requests/s, ` +
      `${whole(limits.signaturesPerSecond)} signatures/s, ${whole(limits.durableRowsPerSecond)} durable rows/s: ` +
      `composite ${whole(limits.compositePerSecond)}/s`,
  );
}

function idleLines({ afterPause, inARow }: IdleLatency): string[] {
  const beside = (one: BesideItsParts) => {
    const parts = [
      `one durable row ${one.commitMs.toFixed(2)}`,
      `one signature ${one.signatureMs.toFixed(3)}`,
      `one bare request ${one.bareRequestMs.toFixed(2)}`,
    ];
    return `${one.sealMs.toFixed(2)} ms, ${one.ratioToSum.toFixed(2)} times its parts of ${one.sumMs.toFixed(2)} ms (${parts.join(', ')}); medians of ${one.requests}`;
  };
  return [
    `One receipt on an idle service: ${beside(afterPause)}`,
    `The next as soon as it is answered: ${beside(inARow)}`,
  ];
}

function halfLoadLine(one: HalfLoad): string {
  const figures = `p50 ${ms(one.p50Ms)}, p95 ${ms(one.p95Ms)}, p99 ${ms(one.p99Ms)}, ${whole(one.errors)} errors`;
  return `Half of the load, ${whole(one.receiptsPerSecond)} receipts/s at random moments, ${whole(one.devices)} devices: ${figures}`;
}

function instancesLine(one: TwoInstances): string {
  const shared = `with all devices on both ${whole(one.sharedReceiptsPerSecond)}/s`;
  const split = `with half of them each ${whole(one.splitReceiptsPerSecond)}/s`;
  const both = `${(one.guessedWrong * 100).toFixed(1)} % of the batches guessed wrong, ${one.slowRatio.toFixed(2)} times the median of one at a low rate`;
  return `One instance, ${whole(one.devices)} devices: ${whole(one.oneReceiptsPerSecond)} receipts/s; two on the same database ${shared} (${both}), ${split}, ${whole(one.errors)} errors`;
}

function paymentLine(one: PaymentResult): string {
  return (
    `Bill payments of ${whole(one.bodyBytes)} bytes at one biller: ${whole(one.paymentsPerSecond)}/s, p50 ${ms(one.p50Ms)}, ` +
    `p95 ${ms(one.p95Ms)}, p99 ${ms(one.p99Ms)}, ${whole(one.rssMb)} MB, ${whole(one.errors)} errors`
  );
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

import { cpus, loadavg, totalmem } from 'node:os';
import type { Limits } from './limits.ts';

/** One measurement, with the names that results.json uses. */
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
}

export interface Results {
  readonly date: string;
  readonly machine: {
    readonly cores: number;
    readonly cpu: string;
    readonly memoryMb: number;
    readonly platform: string;
    readonly node: string;
    readonly postgres: string;
    /** Of the minute before the start: whatever else runs is paid for by the figures. */
    readonly loadBefore: number;
  };
  readonly connections: number;
  readonly bodyBytes: number;
  /** The slowest of the signature probes over the run by the fastest: near 1 the machine was ours alone. */
  readonly steadiness: number;
  readonly limits: Limits;
  readonly cases: readonly CaseResult[];
  readonly payments: PaymentResult;
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

const EXPECTED_RATIO = 0.5;
const EXPECTED_SPREAD = 0.2;
const EXPECTED_RSS_MB = 300;

const LOAD_BEFORE = loadavg()[0] ?? 0;
const QUIET_LOAD = 0.5;
const STEADY = 0.85;

export function machineFacts(postgres: string): Results['machine'] {
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

export function table(results: Results): string {
  const { limits, machine } = results;
  const header = ['devices', 'receipts/s', 'p50', 'p95', 'p99', 'of composite', 'RSS', 'errors'];
  const rows = results.cases.map((one) => [
    whole(one.devices),
    whole(one.receiptsPerSecond),
    `${one.p50Ms.toFixed(1)} ms`,
    `${one.p95Ms.toFixed(1)} ms`,
    `${one.p99Ms.toFixed(1)} ms`,
    one.ratioToComposite.toFixed(2),
    `${whole(one.rssMb)} MB`,
    whole(one.errors),
  ]);
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('   ');
  return [
    `${machine.cpu}, ${machine.cores} cores, ${whole(machine.memoryMb)} MB, Node ${machine.node}, PostgreSQL ${machine.postgres}`,
    `${results.connections} connections, receipts of ${whole(results.bodyBytes)} bytes, load generator on the same machine`,
    ...disturbance(results),
    '',
    line(header),
    ...rows.map(line),
    '',
    paymentLine(results.payments),
    '',
    `The machine's limits: ${whole(limits.bareRequestsPerSecond)} bare requests/s, ${whole(limits.signaturesPerSecond)} signatures/s, ` +
      `${whole(limits.durableRowsPerSecond)} durable rows/s: composite ${whole(limits.compositePerSecond)}/s`,
    ...expectations(results),
    '',
  ].join('\n');
}

function paymentLine(one: PaymentResult): string {
  return (
    `Bill payments of ${whole(one.bodyBytes)} bytes at one biller: ${whole(one.paymentsPerSecond)}/s, p50 ${one.p50Ms.toFixed(1)} ms, ` +
    `p95 ${one.p95Ms.toFixed(1)} ms, p99 ${one.p99Ms.toFixed(1)} ms, ${whole(one.rssMb)} MB, ${whole(one.errors)} errors`
  );
}

/** The limits and the cases are taken one after the other: another program in between makes any ratio possible. */
function disturbance({ machine, steadiness }: Results): string[] {
  if (machine.loadBefore <= QUIET_LOAD && steadiness >= STEADY) return [];
  return [
    `NOT A QUIET MACHINE: load ${machine.loadBefore} before the start, and its speed fell to ${(steadiness * 100).toFixed(0)} % at times. Do not compare.`,
  ];
}

function expectations({ cases }: Results): string[] {
  const rates = cases.map((one) => one.receiptsPerSecond);
  const spread = 1 - Math.min(...rates) / Math.max(...rates);
  const thousand = cases.find((one) => one.devices === 1000);
  const rssMb = Math.max(...cases.map((one) => one.rssMb));
  const mark = (isMet: boolean) => (isMet ? 'met    ' : 'NOT met');
  return [
    ...(thousand === undefined
      ? []
      : [
          `${mark(thousand.ratioToComposite >= EXPECTED_RATIO)}  1,000 devices at ${thousand.ratioToComposite.toFixed(2)} of the composite (expected: ${EXPECTED_RATIO} or more)`,
        ]),
    `${mark(spread < EXPECTED_SPREAD)}  ${(spread * 100).toFixed(0)} % between the fastest and the slowest case (expected: less than ${EXPECTED_SPREAD * 100} %)`,
    `${mark(rssMb < EXPECTED_RSS_MB)}  ${whole(rssMb)} MB at most (expected: less than ${EXPECTED_RSS_MB} MB)`,
  ];
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Figures that fluctuate by percents are kept to a sensible number of digits. */
export function rounded(results: Results): Results {
  const text = JSON.stringify(results, (_key, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value,
  );
  return JSON.parse(text) as Results;
}

/**
 * `npm run bench`: how many receipts a second this machine seals, beside what it could do at most, and how many bills it
 * pays. Exit code 0 unless an answer was wrong or missing. For a short look: `npm run bench -- --seconds 3 --devices 1000`,
 * with `--profile` for the functions that cost most; only a whole run writes results.json.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Limits } from './limits.ts';
import { CONNECTIONS } from './load.ts';
import {
  countLost,
  type Measurement,
  measureFleets,
  measureLimits,
  measurePayments,
  type PaymentMeasurement,
} from './measure.ts';
import { countLostPayments, paymentBody } from './payments.ts';
import { startService } from './processes.ts';
import { topFunctions } from './profile.ts';
import { newReference, receiptBody } from './receipt.ts';
import { machineFacts, type Results, rounded, table } from './report.ts';
import { CACHE, progress, runBench } from './run.ts';

const ALL_DEVICES = '1,1000,10000';
const ALL_SECONDS = '15';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: ALL_SECONDS },
    devices: { type: 'string', default: ALL_DEVICES },
    profile: { type: 'boolean', default: false },
  },
});
const isWhole = options.devices === ALL_DEVICES && options.seconds === ALL_SECONDS && !options.profile;

async function bench(dataDir: string, signal: AbortSignal): Promise<number> {
  const profileFolder = join(CACHE, 'bench-profile');
  if (options.profile) await rm(profileFolder, { recursive: true, force: true });
  progress('starting the service');
  const profiling = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : [];
  const service = await startService(dataDir, profiling, signal);
  let measurements: Measurement[];
  let results: Results;
  let lost: number;
  try {
    const measuring = { service, seconds: Number(options.seconds), signal, progress };
    measurements = await measureFleets(measuring, options.devices.split(',').map(Number));
    const payments = await measurePayments(measuring);
    lost = (await countLost(service, measurements)) + (await countLostPayments(service.pool, payments.answered));
    const limits = await measureLimits(measuring);
    const { rows } = await service.pool.query<{ server_version: string }>('show server_version');
    results = rounded(gather(measurements, payments, limits, rows[0]?.server_version ?? 'unknown'));
  } finally {
    await service.stop();
  }
  progress('');
  process.stdout.write(table(results));
  const errors = [...results.cases, results.payments].reduce((sum, one) => sum + one.errors, lost);
  if (errors > 0) process.stdout.write(`${errors} errors, ${lost} of them lost receipts or payments\n${service.log()}`);
  if (isWhole) await writeFile(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
  if (options.profile) {
    const spans = measurements.map(({ load }) => load);
    process.stdout.write(`${(await topFunctions(profileFolder, spans)).join('\n')}\n`);
  }
  return errors === 0 ? 0 : 1;
}

function gather(
  measurements: readonly Measurement[],
  payments: PaymentMeasurement,
  limits: Limits,
  postgres: string,
): Results {
  const probes = [limits, ...measurements].map((one) => one.signaturesPerSecond);
  return {
    date: new Date().toISOString(),
    machine: machineFacts(postgres),
    connections: CONNECTIONS,
    bodyBytes: Buffer.byteLength(receiptBody(1001, newReference())),
    steadiness: Math.min(...probes) / Math.max(...probes),
    limits,
    cases: measurements.map(({ devices, load, errors, rssMb }) => ({
      devices,
      requests: load.answered,
      errors,
      receiptsPerSecond: load.perSecond,
      p50Ms: load.p50Ms,
      p95Ms: load.p95Ms,
      p99Ms: load.p99Ms,
      ratioToComposite: load.perSecond / limits.compositePerSecond,
      rssMb,
    })),
    payments: {
      bodyBytes: Buffer.byteLength(paymentBody(newReference())),
      requests: payments.load.answered,
      errors: payments.errors,
      paymentsPerSecond: payments.load.perSecond,
      p50Ms: payments.load.p50Ms,
      p95Ms: payments.load.p95Ms,
      p99Ms: payments.load.p99Ms,
      rssMb: payments.rssMb,
    },
  };
}

process.exitCode = await runBench('bench', bench);

/**
 * `npm run bench`: how many receipts a second this machine seals, beside its own limits, and how many bill payments it takes.
 * Exit code 0 unless an answer was wrong or missing. A short run: `npm run bench -- --seconds 3 --devices 1000`, with `--extras`
 * for the idle service, half of the load, two instances and payments, and `--profile` for the most expensive functions.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { numberOption, scriptOptions } from '../../../src/platform/script-options.ts';
import type { Measuring } from '../shared/drive-warm.ts';
import { CONNECTIONS } from '../shared/load.ts';
import { machineFacts, rounded } from '../shared/machine.ts';
import { makeFleet } from '../shared/make-fleet.ts';
import { startEcho, startService } from '../shared/processes.ts';
import { topFunctions } from '../shared/profile.ts';
import { newReference, receiptBody, type Sender } from '../shared/receipt.ts';
import { CACHE, progress, runBench, whole } from '../shared/run.ts';
import { type CasesRun, measureCases, measureExtras } from './plan.ts';
import { table } from './report.ts';
import { countErrors, type Results } from './results.ts';

const ALL_DEVICES = '1,1000,10000';
const ALL_SECONDS = '12';

const USAGE = 'Usage: npm run bench -- [--seconds 12] [--devices 1,1000,10000] [--extras] [--profile]\n';
const options = scriptOptions(USAGE, {
  seconds: { type: 'string', default: ALL_SECONDS },
  devices: { type: 'string', default: ALL_DEVICES },
  extras: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
});
const seconds = numberOption(USAGE, 'seconds', options.seconds);
const devices = options.devices.split(',').map((text) => numberOption(USAGE, 'devices', text, 1));
const isWhole = options.devices === ALL_DEVICES && options.seconds === ALL_SECONDS && !options.profile;

async function bench(dataDir: string, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  const profileFolder = join(CACHE, 'bench-profile');
  if (options.profile) await rm(profileFolder, { recursive: true, force: true });
  progress('starting the service');
  const profiling = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : [];
  const service = await startService(dataDir, profiling, signal);
  const echo = await startEcho();
  let run: CasesRun;
  let results: Results;
  try {
    const measuring: Measuring = {
      service,
      bareUrl: echo.url,
      seconds,
      signal,
      progress,
      ledger: { receipts: 0 },
    };
    const fleets = await makeFleets(measuring, devices);
    run = await measureCases(measuring, fleets);
    const extras = isWhole || options.extras ? await measureExtras(measuring, run) : {};
    const { rows } = await service.pool.query<{ server_version: string }>('show server_version');
    results = rounded({
      date: new Date().toISOString(),
      machine: machineFacts(rows[0]?.server_version ?? 'unknown'),
      connections: CONNECTIONS,
      bodyBytes: Buffer.byteLength(receiptBody(1001, newReference())),
      ...run.results,
      lost: 0,
      ...extras,
      seconds: (performance.now() - startedAt) / 1000,
    });
  } finally {
    echo.stop();
    await service.stop();
  }
  progress('');
  process.stdout.write(table(results));
  const errors = countErrors(results);
  if (errors > 0) process.stdout.write(`${results.lost} of them lost receipts or payments\n${service.log()}`);
  if (options.profile) process.stdout.write(`${(await topFunctions(profileFolder, run.spans)).join('\n')}\n`);
  return errors === 0 ? 0 : 1;
}

/** All of them before the first measurement starts. */
async function makeFleets({ service, signal }: Measuring, sizes: readonly number[]): Promise<Sender[][]> {
  const fleets: Sender[][] = [];
  let firstId = 1;
  for (const size of sizes) {
    progress(`registering ${whole(size)} devices`);
    fleets.push(await makeFleet(service.pool, service.masterKey, firstId, size, signal));
    firstId += size;
  }
  return fleets;
}

process.exitCode = await runBench('bench', bench);

import type { Measuring } from '../shared/drive-warm.ts';
import { machineFacts, rounded } from '../shared/machine.ts';
import { makeFleet } from '../shared/make-fleet.ts';
import { CONNECTIONS } from '../shared/old-load.ts';
import { startEcho, startService } from '../shared/processes.ts';
import { newReference, receiptBody, type Sender } from '../shared/receipt.ts';
import { type Outcome, whole } from '../shared/report.ts';
import { type Bench, progress, type Run } from '../shared/run.ts';
import { type CasesRun, measureCases, measureExtras } from './plan.ts';
import { table } from './report.ts';
import { countErrors, type Results } from './results.ts';

export const sealing: Bench = {
  about:
    "receipts beside the machine's own limits, at half of the load, idle, on two instances, and bill payments: 3 minutes",
  parts: ['all'],
  measure,
};

async function measure({ folder, signal, seconds, devices, nodeOptions }: Run): Promise<Outcome> {
  const startedAt = performance.now();
  progress('starting the service');
  const service = await startService(folder, nodeOptions, signal);
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
    const extras = await measureExtras(measuring, run);
    const { rows } = await service.pool.query<{ server_version: string }>('show server_version');
    results = rounded({
      date: new Date().toISOString(),
      machine: machineFacts(rows[0]?.server_version ?? 'unknown'),
      connections: CONNECTIONS,
      bodyBytes: Buffer.byteLength(receiptBody(1001, newReference())),
      ...run.results,
      ...extras,
      seconds: (performance.now() - startedAt) / 1000,
    });
  } finally {
    echo.stop();
    await service.stop();
  }
  const errors = countErrors(results);
  if (errors > 0) process.stdout.write(`${results.lost} of them lost receipts or payments\n${service.log()}`);
  return { lines: [table(results)], goals: [], errors };
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

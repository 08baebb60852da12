/**
 * `npm run bench:growth`: whether reading target statistics and the feed costs the same at 3 million payments as at 10 thousand.
 * Two services with a database each are asked in turns, so that whatever else the machine does meanwhile hits both alike.
 * For a short look: `npm run bench:growth -- --large 100000 --requests 600`; only a whole run writes growth-results.json.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildTargets, countWrongFigures, findDepths, loadPayments, makeBillers } from './growth-data.ts';
import { type Asked, ask, CONNECTIONS, READS, type Read } from './growth-measure.ts';
import { type ServiceProcess, startService } from './processes.ts';
import { machineFacts, whole } from './results.ts';
import { progress, runBench } from './run.ts';

const SMALL = 10_000;
const LARGE = '3000000';
const REQUESTS = '5000';
const DEEP_PAGES = 1000;
const ROUNDS = 10;
const WARM_UP_REQUESTS = 1000;
const EXPECTED_RATIO = 1.5;
const QUIET_LOAD = 0.5;

const { values: options } = parseArgs({
  options: { large: { type: 'string', default: LARGE }, requests: { type: 'string', default: REQUESTS } },
});
const large = Number(options.large);
const requests = Number(options.requests);
const isWhole = options.large === LARGE && options.requests === REQUESTS;

interface Installation extends Asked {
  readonly payments: number;
  readonly service: ServiceProcess;
  readonly counted: { readonly seconds: number; readonly payments: number };
}

async function install(folder: string, payments: number, signal: AbortSignal): Promise<Installation> {
  const name = `${whole(payments)} payments`;
  progress(`${name}: starting the service`);
  const dataDir = join(folder, String(payments));
  await mkdir(dataDir);
  const service = await startService(dataDir, [], signal);
  try {
    const { token } = await makeBillers(service.pool, service.masterKey);
    await loadPayments(service.pool, payments, (rows) => {
      signal.throwIfAborted();
      progress(
        `${name}: loading, ${whole(rows)} of ${whole(payments)}${rows === payments ? ', making the indexes' : ''}`,
      );
    });
    const counted = await buildTargets(service.pool, signal, (billers) =>
      progress(`${name}: the service counts the targets, ${billers} of 20 billers`),
    );
    progress(`${name}: counting the targets again to compare`);
    const wrong = await countWrongFigures(service.pool);
    if (wrong !== 0) throw new Error(`${wrong} figures of targets are not those of a recount`);
    const depths = await findDepths(service.pool, DEEP_PAGES);
    return { payments, service, token, depths, counted, url: service.url };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

interface Case {
  readonly read: Read;
  readonly payments: number;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function measure(installations: readonly Installation[], signal: AbortSignal): Promise<Case[]> {
  const cases: Case[] = [];
  for (const read of READS) {
    for (const one of installations) await ask(read, one, WARM_UP_REQUESTS, signal);
    const latenciesMs = installations.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      progress(`${read}: measuring, ${round + 1} of ${ROUNDS} rounds`);
      // The other one first every time: none of the two always runs into what the other has left behind.
      const order = round % 2 === 0 ? [0, 1] : [1, 0];
      for (const index of order) {
        const one = installations[index];
        if (one !== undefined) latenciesMs[index]?.push(...(await ask(read, one, requests / ROUNDS, signal)));
      }
    }
    for (const [index, { payments }] of installations.entries()) {
      const sorted = (latenciesMs[index] ?? []).toSorted((a, b) => a - b);
      const at = (share: number) => Number((sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(2));
      cases.push({ read, payments, requests: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) });
    }
  }
  return cases;
}

function table(cases: readonly Case[]): string {
  const lines = READS.map((read) => {
    const [small, big] = cases.filter((one) => one.read === read);
    if (small === undefined || big === undefined) return read;
    const ratio = big.p99Ms / small.p99Ms;
    const figures = [small, big].map(
      (one) => `${whole(one.payments).padStart(9)}: p50 ${one.p50Ms.toFixed(2)} ms, p99 ${one.p99Ms.toFixed(2)} ms`,
    );
    const mark = ratio <= EXPECTED_RATIO ? 'met    ' : 'NOT met';
    return `${mark}  ${read.padEnd(17)} ${figures.join('   ')}   p99 ratio ${ratio.toFixed(2)}`;
  });
  return `${lines.join('\n')}\nExpected: p99 at most ${EXPECTED_RATIO} times as long with ${whole(large)} payments as with ${whole(SMALL)}.\n`;
}

async function bench(folder: string, signal: AbortSignal): Promise<number> {
  const installations: Installation[] = [];
  try {
    for (const payments of [SMALL, large]) installations.push(await install(folder, payments, signal));
    const cases = await measure(installations, signal);
    progress('');
    process.stdout.write(table(cases));
    for (const { counted } of installations) {
      const rate = whole(counted.payments / counted.seconds);
      const time = `${counted.seconds.toFixed(1)} s (${rate} a second)`;
      process.stdout.write(`The targets' ${whole(counted.payments)} payments were counted in ${time}.\n`);
    }
    const machine = await describeMachine(installations);
    if (machine.loadBefore > QUIET_LOAD) {
      process.stdout.write(
        `NOT A QUIET MACHINE: load ${machine.loadBefore} before the start. Look at the ratios, not at the times.\n`,
      );
    }
    const results = { date: new Date().toISOString(), machine, connections: CONNECTIONS, deepPages: DEEP_PAGES, cases };
    const file = join(import.meta.dirname, 'growth-results.json');
    if (isWhole) await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
    return 0;
  } finally {
    for (const { service } of installations) await service.stop();
  }
}

async function describeMachine([first]: readonly Installation[]): Promise<ReturnType<typeof machineFacts>> {
  const found = await first?.service.pool.query<{ server_version: string }>('show server_version');
  return machineFacts(found?.rows[0]?.server_version ?? 'unknown');
}

process.exitCode = await runBench('growth', bench);

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServiceProcess, startService } from '../shared/processes.ts';
import { whole } from '../shared/report.ts';
import { progress } from '../shared/run.ts';
import { type Asked, ask, CONNECTIONS, READS, type Read } from './payments-ask.ts';
import { buildTargets, countWrongFigures, findDepths, loadPayments, makeBillers } from './payments-data.ts';

const SMALL = 10_000;
const DEEP_PAGES = 1000;
const ROUNDS = 10;
const WARM_UP_REQUESTS = 1000;

interface Installation extends Asked {
  readonly payments: number;
  readonly service: ServiceProcess;
  readonly counted: { readonly seconds: number; readonly payments: number };
}

async function install(folder: string, payments: number, signal: AbortSignal): Promise<Installation> {
  const name = `${whole(payments)} payments`;
  progress(`${name}: starting the service`);
  const dataDir = join(folder, `payments-${payments}`);
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

export interface Case {
  readonly read: Read;
  readonly payments: number;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function measure(installations: readonly Installation[], requests: number, signal: AbortSignal): Promise<Case[]> {
  const cases: Case[] = [];
  for (const read of READS) {
    for (const one of installations) await ask(read, one, WARM_UP_REQUESTS, signal);
    const latenciesMs = installations.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      progress(`${read}: measuring, ${round + 1} of ${ROUNDS} rounds`);
      // They take turns at being first, so that neither always suffers from what the other has left behind.
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

export interface PaymentGrowth {
  readonly connections: number;
  readonly deepPages: number;
  readonly cases: readonly Case[];
  readonly counted: readonly { readonly payments: number; readonly seconds: number }[];
  readonly postgres: string;
}

/** Whether reading target statistics and the feed costs the same at millions of payments as at ten thousand. */
export async function measurePayments(
  folder: string,
  large: number,
  requests: number,
  signal: AbortSignal,
): Promise<PaymentGrowth> {
  const installations: Installation[] = [];
  try {
    for (const payments of [SMALL, large]) installations.push(await install(folder, payments, signal));
    const cases = await measure(installations, requests, signal);
    const found = await installations[0]?.service.pool.query<{ server_version: string }>('show server_version');
    return {
      connections: CONNECTIONS,
      deepPages: DEEP_PAGES,
      cases,
      counted: installations.map(({ counted }) => counted),
      postgres: found?.rows[0]?.server_version ?? 'unknown',
    };
  } finally {
    for (const { service } of installations) await service.stop();
  }
}

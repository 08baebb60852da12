import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { driveWarm, sealing } from './drive-warm.ts';
import { makeFleet } from './fleet.ts';
import { prepareReads, READS, type Read } from './growth-reads.ts';
import { loadReceipts } from './growth-receipts-load.ts';
import { measureSealing, type SealingResult } from './growth-sealing.ts';
import { measureStorage, type Storage } from './growth-storage.ts';
import { percentiles } from './load.ts';
import { driveOpen } from './open-loop.ts';
import { type ServiceProcess, startService } from './processes.ts';
import type { Sender } from './receipt.ts';
import { whole } from './results.ts';
import { progress } from './run.ts';

export interface ReceiptPlan {
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly isSealing: boolean;
  readonly isReading: boolean;
  /** How many receipts are stored when it is measured, one after the other. */
  readonly stages: readonly number[];
  readonly requests: number;
  readonly seconds: number;
}

export interface ReadResult {
  readonly read: Read;
  readonly receipts: number;
  readonly requests: number;
  readonly errors: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p50MsOfSmall: number;
  readonly p99MsOfSmall: number;
  readonly ratio: number;
}

export interface ReceiptResults {
  readonly sealing?: readonly SealingResult[];
  readonly reads?: { readonly small: number; readonly perSecond: number; readonly cases: readonly ReadResult[] };
  /** Of the large installation, whose indexes were made at once, and of one that has grown receipt by receipt. */
  readonly storage: readonly Storage[];
  readonly postgres: string;
}

export interface ReceiptInstallation {
  readonly service: ServiceProcess;
  readonly senders: readonly Sender[];
  /** That were loaded; sealing adds to them. */
  readonly receipts: number;
}

const SMALL = 10_000;
const READS_PER_SECOND = 100;
const ROUNDS = 3;
const WARM_UP_SHARE = 3;
const LARGE_FLEET = { devices: 1000, perTaxpayer: 10 };
/** As many taxpayers as the large one has; and so many receipts of each that a page is full. */
const SMALL_FLEET = { devices: 100, perTaxpayer: 1 };

/** Sealing, reading and storage while one installation grows, each beside another that stays small. */
export async function measureReceipts(plan: ReceiptPlan): Promise<ReceiptResults> {
  const { isSealing, isReading, stages, signal } = plan;
  const installations: ReceiptInstallation[] = [];
  const install = async (name: string, fleet: typeof LARGE_FLEET) => {
    progress(`receipts, ${name} installation: starting the service, registering ${whole(fleet.devices)} devices`);
    const one = await startInstallation(join(plan.folder, name), fleet, signal);
    installations.push(one);
    return one;
  };
  try {
    const large = await install('large', LARGE_FLEET);
    const small = isReading ? await install('small', SMALL_FLEET) : undefined;
    const zero = isSealing ? await install('new', LARGE_FLEET) : undefined;
    if (small !== undefined) await load(small, 0, SMALL, SMALL);
    const sealed: SealingResult[] = [];
    const cases: ReadResult[] = [];
    let stored = 0;
    for (const stage of stages) {
      await load(large, stored, stage, stages.at(-1) ?? stage);
      stored = stage;
      const grown = { ...large, receipts: stage };
      if (small !== undefined) cases.push(...(await measureReads(plan, grown, { ...small, receipts: SMALL })));
      if (zero !== undefined) sealed.push(await measureSealing(grown, zero, plan.seconds, signal));
    }
    progress('receipts: storage');
    const storage = [await measureStorage(large.service.pool)];
    if (zero !== undefined) storage.push(await measureStorage(zero.service.pool));
    const { rows } = await large.service.pool.query<{ server_version: string }>('show server_version');
    return {
      ...(zero === undefined ? {} : { sealing: sealed }),
      ...(small === undefined ? {} : { reads: { small: SMALL, perSecond: READS_PER_SECOND, cases } }),
      storage,
      postgres: rows[0]?.server_version ?? 'unknown',
    };
  } finally {
    for (const { service } of installations) await service.stop();
  }
}

async function startInstallation(
  dataDir: string,
  fleet: typeof LARGE_FLEET,
  signal: AbortSignal,
): Promise<ReceiptInstallation> {
  await mkdir(dataDir);
  const service = await startService(dataDir, [], signal);
  try {
    const senders = await makeFleet(service.pool, service.masterKey, 1, fleet.devices, signal, fleet.perTaxpayer);
    // The first receipts are the pattern for those that are loaded.
    const { errors } = await driveWarm({ signal, progress }, 'receipts', sealing(service, senders), 0);
    if (errors > 0) throw new Error(`${errors} receipts were not sealed`);
    return { service, senders, receipts: 0 };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function load({ service, senders }: ReceiptInstallation, from: number, to: number, total: number): Promise<void> {
  const onLoaded = (rows: number) => {
    const then = rows === to ? ', making the indexes' : '';
    progress(`receipts: loading${then}, ${whole(rows)} of ${whole(to)}`);
  };
  await loadReceipts({ pool: service.pool, senders, total, onLoaded }, from, to);
}

async function measureReads(
  { requests, signal }: ReceiptPlan,
  large: ReceiptInstallation,
  small: ReceiptInstallation,
): Promise<ReadResult[]> {
  const pair = await Promise.all(
    [large, small].map(async ({ service, senders, receipts }) => ({
      origin: service.url,
      asked: await prepareReads(service.pool, senders, receipts),
    })),
  );
  const results: ReadResult[] = [];
  for (const read of READS) {
    const latenciesMs: [number[], number[]] = [[], []];
    let errors = 0;
    let wrong = '';
    for (let round = 0; round <= ROUNDS; round += 1) {
      progress(`${read} at ${whole(large.receipts)} receipts: measuring, ${round} of ${ROUNDS} rounds`);
      for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const one = pair[index];
        if (one === undefined) throw new Error('two are compared');
        const { requestOf, isRight } = one.asked[read];
        const onWrong = (answer: string) => {
          wrong ||= answer;
        };
        const turns = Math.round(requests / ROUNDS / (round === 0 ? WARM_UP_SHARE : 1));
        const load = { origin: one.origin, perSecond: READS_PER_SECOND, requests: turns, isRight, signal, onWrong };
        const offset = round * requests;
        const found = await driveOpen({ ...load, requestOf: (turn) => requestOf(offset + turn) });
        errors += found.errors;
        // The first round warms up.
        if (round > 0) latenciesMs[index].push(...found.latenciesMs);
      }
    }
    const [ofLarge, ofSmall] = [percentiles(latenciesMs[0]), percentiles(latenciesMs[1])];
    if (errors > 0) process.stderr.write(`${read}: ${errors} wrong answers, the first: ${wrong}\n`);
    results.push({
      read,
      receipts: large.receipts,
      requests: latenciesMs[0].length,
      errors,
      p50Ms: ofLarge.p50Ms,
      p99Ms: ofLarge.p99Ms,
      p50MsOfSmall: ofSmall.p50Ms,
      p99MsOfSmall: ofSmall.p99Ms,
      ratio: ofLarge.p99Ms / ofSmall.p99Ms,
    });
  }
  return results;
}

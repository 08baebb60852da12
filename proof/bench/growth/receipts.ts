import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { askerOf } from '../shared/ask.ts';
import { driveWarm, sealing } from '../shared/drive-warm.ts';
import { makeFleet } from '../shared/make-fleet.ts';
import { percentiles } from '../shared/old-load.ts';
import { startService } from '../shared/processes.ts';
import { whole } from '../shared/report.ts';
import { progress } from '../shared/run.ts';
import { prepareReads, READS, type Read } from './reads.ts';
import { loadReceipts } from './receipts-load.ts';
import { measureSealing, type ReceiptInstallation, type SealingResult } from './sealing.ts';
import { measureStorage, type Storage } from './storage.ts';

export interface ReceiptPlan {
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly isSealing: boolean;
  readonly isReading: boolean;
  /** How many receipts are stored at each measurement. */
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
  readonly reads?: { readonly small: number; readonly cases: readonly ReadResult[] };
  /** Of the large installation, whose indexes were built at the end, and of one that has grown receipt by receipt. */
  readonly storage: readonly Storage[];
  readonly postgres: string;
}

const SMALL = 10_000;
const ROUNDS = 10;
const LARGE_FLEET = { devices: 1000, perTaxpayer: 10 };
/** As many taxpayers as the large one has, each with enough receipts for a full page. */
const SMALL_FLEET = { devices: 100, perTaxpayer: 1 };

/** Sealing, reading and storage while one installation grows, beside another one that stays small. */
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
      ...(small === undefined ? {} : { reads: { small: SMALL, cases } }),
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
    // The loaded receipts are copies of the first ones.
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
  const pair = await Promise.all([large, small].map(prepareSide));
  const results: ReadResult[] = [];
  try {
    for (const read of READS) {
      for (let round = 0; round <= ROUNDS; round += 1) {
        progress(`${read} at ${whole(large.receipts)} receipts: measuring, ${round} of ${ROUNDS} rounds`);
        signal.throwIfAborted();
        for (const side of round % 2 === 0 ? pair : pair.toReversed()) {
          // The first round warms up.
          const latenciesMs = await askInTurn(side, read, round, Math.round(requests / ROUNDS));
          if (round > 0) side.latenciesMs.push(...latenciesMs);
        }
      }
      results.push(readResult(read, large.receipts, pair));
    }
  } finally {
    for (const { asker } of pair) await asker.close();
  }
  return results;
}

async function prepareSide({ service, senders, receipts }: ReceiptInstallation) {
  const asked = await prepareReads(service.pool, senders, receipts);
  const latenciesMs: number[] = [];
  return { asker: askerOf(service.url, 1), asked, latenciesMs, errorsBefore: 0 };
}
type Side = Awaited<ReturnType<typeof prepareSide>>;

/** One after the other, so that the time of an answer is compared and not the length of a queue. */
async function askInTurn({ asker, asked }: Side, read: Read, round: number, requests: number): Promise<number[]> {
  const { requestOf, isRight } = asked[read];
  const latenciesMs: number[] = [];
  for (let turn = 0; turn < requests; turn += 1) {
    latenciesMs.push(await asker.ask(requestOf(round * requests + turn), isRight));
  }
  return latenciesMs;
}

function readResult(read: Read, receipts: number, [large, small]: readonly Side[]): ReadResult {
  if (large === undefined || small === undefined) throw new Error('two are compared');
  const [ofLarge, ofSmall] = [percentiles(large.latenciesMs), percentiles(small.latenciesMs)];
  const requests = large.latenciesMs.length;
  let errors = 0;
  for (const side of [large, small]) {
    errors += side.asker.errors() - side.errorsBefore;
    side.errorsBefore = side.asker.errors();
    side.latenciesMs.length = 0;
  }
  if (errors > 0)
    process.stderr.write(`${read}: ${errors} wrong, such as: ${large.asker.wrong() || small.asker.wrong()}\n`);
  return {
    read,
    receipts,
    requests,
    errors,
    p50Ms: ofLarge.p50Ms,
    p99Ms: ofLarge.p99Ms,
    p50MsOfSmall: ofSmall.p50Ms,
    p99MsOfSmall: ofSmall.p99Ms,
    ratio: ofLarge.p99Ms / ofSmall.p99Ms,
  };
}

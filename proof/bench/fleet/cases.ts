import { setTimeout as delay } from 'node:timers/promises';
import { collectGarbage, nextReceipt, SEALED } from '../shared/drive-warm.ts';
import { type LoadResult, monotonicMs, percentiles } from '../shared/old-load.ts';
import { driveOpen } from '../shared/open-loop.ts';
import type { Sender } from '../shared/receipt.ts';
import { whole } from '../shared/report.ts';
import { progress } from '../shared/run.ts';
import { watchLag } from './lag.ts';
import type { PerReceipt } from './results.ts';
import type { Stage } from './stage.ts';
import { startTills, type TillsResult } from './tills.ts';
import { difference, readUsage, topStatements, type Usage } from './usage.ts';

/**
 * The most receipts that are sealed and not yet accepted. With fewer, a fleet whose authority takes a second would have nothing to
 * submit; without a limit, sealing, which is faster, would use the whole machine.
 */
const ALLOWED_BEHIND = 2000;
const SETTLE_MS = 15_000;

function count({ notes }: Stage, { errors, wrong }: Pick<TillsResult, 'errors' | 'wrong'>): void {
  notes.errors += errors;
  notes.wrong ||= wrong;
}

/** As fast as possible, on devices whose receipts are not submitted. */
export async function measureSealing(
  stage: Stage,
  senders: readonly Sender[],
  warmUpSeconds: number,
  seconds: number,
): Promise<TillsResult> {
  progress('sealing alone');
  collectGarbage();
  const tills = startTills(stage.service.url, senders);
  await delay(warmUpSeconds * 1000, undefined, { signal: stage.signal });
  tills.measure();
  await delay(seconds * 1000, undefined, { signal: stage.signal });
  const result = await tills.stop();
  count(stage, result);
  return result;
}

export interface Through extends PerReceipt {
  readonly submittedPerSecond: number;
  readonly connections: number;
  readonly rssMb: number;
}

/** As fast as possible through everything: sealed, submitted, accepted, stored. */
export async function measureThrough(
  stage: Stage,
  senders: readonly Sender[],
  answerMs: number,
  { warmUpSeconds, seconds }: { readonly warmUpSeconds: number; readonly seconds: number },
): Promise<Through> {
  const { service, authority, signal, notes } = stage;
  const name = nameOf(senders, answerMs);
  authority.behave({ answerMs });
  const acceptedBefore = authority.counts().accepted;
  const accepted = () => authority.counts().accepted - acceptedBefore;
  const usage = () => readUsage({ ...stage, pool: service.pool, serviceId: service.id });
  collectGarbage();
  const tills = startTills(service.url, senders, (sealed) => sealed - accepted() < ALLOWED_BEHIND);
  // Every device twice: it has then made its connection and used it.
  const warm = Math.max(2 * senders.length, 3000);
  const warmUntilMs = monotonicMs() + warmUpSeconds * 1000;
  while (monotonicMs() < warmUntilMs && accepted() < warm) {
    progress(`${name}: warming up, ${whole(accepted())} of ${whole(warm)}`);
    await delay(200, undefined, { signal });
  }
  if (notes.statements !== undefined) await service.pool.query('select pg_stat_statements_reset()');
  const before = await usage();
  const startedAtMs = monotonicMs();
  for (let second = 0; second < seconds; second += 1) {
    progress(`${name}: measuring, ${second} of ${seconds} s`);
    await delay(startedAtMs + (second + 1) * 1000 - monotonicMs(), undefined, { signal });
  }
  const spent = difference(before, await usage());
  notes.statements?.push(`${name}:`, ...(await topStatements(service.pool, spent.submitted)));
  const [rssMb, { connections }] = [await service.rssMb(), authority.counts()];
  const result = await tills.stop();
  count(stage, result);
  await settle(stage, () => accepted() >= result.sealed);
  return { submittedPerSecond: (spent.submitted / spent.atMs) * 1000, ...perReceipt(spent), connections, rssMb };
}

function nameOf(senders: readonly Sender[], answerMs: number): string {
  return `${whole(senders.length)} devices, authority answering in ${whole(answerMs)} ms`;
}

/** Waits until a case is over before the next one begins, but not for ever. */
async function settle({ signal }: Stage, isSettled: () => boolean): Promise<void> {
  const deadline = monotonicMs() + SETTLE_MS;
  while (!isSettled() && monotonicMs() < deadline) await delay(50, undefined, { signal });
}

function perReceipt(spent: Usage): PerReceipt {
  return {
    commitsPerReceipt: spent.commits / spent.submitted,
    flushesPerReceipt: spent.flushes / spent.submitted,
    transactionsPerReceipt: spent.transactions / spent.submitted,
    statementsPerReceipt: spent.statements / spent.submitted,
    rowUpdatesPerReceipt: spent.rowUpdates / spent.submitted,
    rowInsertsPerReceipt: spent.rowInserts / spent.submitted,
    serviceCpuMsPerReceipt: spent.serviceCpuMs / spent.submitted,
    postgresCpuMsPerReceipt: spent.postgresCpuMs / spent.submitted,
    authorityCpuMsPerReceipt: spent.authorityCpuMs / spent.submitted,
    generatorCpuMsPerReceipt: spent.generatorCpuMs / spent.submitted,
  };
}

export interface HalfLoadThrough {
  readonly lagP50Ms: number;
  readonly lagP99Ms: number;
  readonly sealingP99Ms: number;
  readonly sealingP99MsUnsubmitted: number;
}

const ROUNDS = 2;

/** At a fixed rate, in turns on devices whose receipts are submitted and on others. */
export async function measureHalfLoad(
  stage: Stage,
  senders: readonly Sender[],
  unsubmitted: readonly Sender[],
  answerMs: number,
  perSecond: number,
  seconds: number,
): Promise<HalfLoadThrough> {
  const { service } = stage;
  const name = nameOf(senders, answerMs);
  const submittedLoads: LoadResult[] = [];
  const otherLoads: LoadResult[] = [];
  const lagsMs: number[] = [];
  const requests = Math.max(1, Math.round(perSecond * seconds));
  let turn = 0;
  const drive = async (among: readonly Sender[]) => {
    collectGarbage();
    const from = turn;
    turn += requests;
    const load = await driveOpen({
      origin: service.url,
      perSecond,
      requests,
      requestOf: (nth) => nextReceipt(among, from + nth),
      isRight: (answer) => answer.includes(SEALED),
      signal: stage.signal,
    });
    count(stage, load);
    return load;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`${name}: half of the load, ${round + 1} of ${ROUNDS}`);
    const patienceMs = 2000 + 5 * answerMs;
    // Watching uses some of the two cores, so it runs with both: otherwise it would count as a cost of submission.
    for (const [among, loads] of [
      [unsubmitted, otherLoads],
      [senders, submittedLoads],
    ] as const) {
      const load = async () => {
        loads.push(await drive(among));
      };
      lagsMs.push(...(await watchLag(service.pool, driven(senders, turn, requests), patienceMs, load)));
    }
  }
  const p99Ms = (loads: readonly LoadResult[]) => percentiles(loads.flatMap(({ latenciesMs }) => latenciesMs)).p99Ms;
  const lag = percentiles(lagsMs);
  return {
    lagP50Ms: lag.p50Ms,
    lagP99Ms: lag.p99Ms,
    sealingP99Ms: p99Ms(submittedLoads),
    sealingP99MsUnsubmitted: p99Ms(otherLoads),
  };
}

/** The senders whose turn is next. */
function driven(senders: readonly Sender[], from: number, requests: number): Sender[] {
  const first = from % senders.length;
  return [...senders.slice(first), ...senders.slice(0, first)].slice(0, requests);
}

/** Seals while the authority is away, then measures how fast it gets the receipts once it is back, from the first one on. */
export async function measureDrain(
  stage: Stage,
  senders: readonly Sender[],
  answerMs: number,
  most: number,
  maxSeconds: number,
): Promise<number> {
  const { service, authority, signal } = stage;
  authority.behave({ answerMs, isAway: true });
  const tills = startTills(service.url, senders, (sealed) => sealed < most);
  const sealUntilMs = monotonicMs() + maxSeconds * 1000;
  while (tills.sealed() < most && monotonicMs() < sealUntilMs) {
    progress(`backlog: sealing, ${whole(tills.sealed())} of ${whole(most)}`);
    await delay(200, undefined, { signal });
  }
  const result = await tills.stop();
  count(stage, result);
  const backlog = result.sealed;
  const before = authority.counts().accepted;
  authority.behave({ isAway: false });
  const drained = () => authority.counts().accepted - before;
  const deadline = monotonicMs() + maxSeconds * 1000;
  let first: { readonly atMs: number; readonly drained: number } | undefined;
  while (drained() < backlog && monotonicMs() < deadline) {
    if (drained() > 0) first ??= { atMs: monotonicMs(), drained: drained() };
    progress(`backlog: draining, ${whole(drained())} of ${whole(backlog)}`);
    await delay(20, undefined, { signal });
  }
  const perSecond = ((drained() - (first?.drained ?? 0)) / (monotonicMs() - (first?.atMs ?? 0))) * 1000;
  await settle(stage, () => drained() >= backlog);
  return perSecond;
}

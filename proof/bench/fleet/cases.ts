import { setTimeout as delay } from 'node:timers/promises';
import { inTurns, type LoadResult, startLoad, together } from '../shared/load.ts';
import type { Sender } from '../shared/receipt.ts';
import { whole } from '../shared/report.ts';
import { progress } from '../shared/run.ts';
import type { Stage } from '../shared/stage.ts';
import type { Authority } from './authority.ts';
import { watchLag } from './lag.ts';
import { readUsage, usagePerReceipt } from './usage.ts';

/**
 * The most receipts that are sealed and not yet accepted. With fewer, a fleet whose authority takes a second would have nothing to
 * submit; without a limit, sealing, which is faster, would use the whole machine.
 */
const ALLOWED_BEHIND = 2000;
const SETTLE_MS = 15_000;
const MAX_DRAIN_MS = 45_000;
const HALF_LOAD_ROUNDS = 2;

/** A service, its authority, a fleet whose receipts are submitted, and one whose are not. */
export interface Scene {
  readonly stage: Stage;
  readonly authority: Authority;
  readonly fleet: readonly Sender[];
  readonly unsubmitted: readonly Sender[];
  readonly answerMs: number;
  readonly name: string;
}

/** As fast as possible, on devices whose receipts are not submitted. */
export async function measureSealing(
  stage: Stage,
  senders: readonly Sender[],
  warmUpSeconds: number,
  seconds: number,
): Promise<LoadResult> {
  progress('sealing alone');
  const load = await startLoad(stage.receiptsOf(senders));
  await delay(warmUpSeconds * 1000, undefined, { signal: stage.signal });
  load.measure();
  await delay(seconds * 1000, undefined, { signal: stage.signal });
  return stage.count(await load.stop());
}

/** As fast as possible through everything: sealed, submitted, accepted, stored. */
export async function measureThrough(scene: Scene, warmUpSeconds: number, seconds: number) {
  const { stage, authority, fleet, answerMs, name } = scene;
  authority.behave(answerMs);
  const acceptedBefore = authority.counts().accepted;
  const accepted = () => authority.counts().accepted - acceptedBefore;
  const mayGo = (sealed: number) => sealed - accepted() < ALLOWED_BEHIND;
  const load = await startLoad({ ...stage.receiptsOf(fleet), mayGo });
  // Every device twice: it has then made its connection and used it.
  const warm = Math.max(2 * fleet.length, 3000);
  await until(stage, warmUpSeconds * 1000, () => {
    progress(`${name}: warming up, ${whole(accepted())} of ${whole(warm)}`);
    return accepted() >= warm;
  });
  const before = await readUsage(stage, authority);
  progress(`${name}: measuring`);
  await delay(seconds * 1000, undefined, { signal: stage.signal });
  const after = await readUsage(stage, authority);
  const [rssMb, { connections }] = [await stage.service.rssMb(), authority.counts()];
  stage.count(await load.stop());
  await until(stage, SETTLE_MS, () => accepted() >= load.answered());
  const submittedPerSecond = ((after.submitted - before.submitted) / (after.atMs - before.atMs)) * 1000;
  return { submittedPerSecond, each: usagePerReceipt(before, after), connections, rssMb };
}

/** Waits for something, but not for ever. */
async function until({ signal }: Stage, patienceMs: number, isSo: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  while (!isSo() && performance.now() < deadlineMs) await delay(20, undefined, { signal });
}

/** At a fixed rate, in turns on devices whose receipts are submitted and on others. */
export async function measureHalfLoad(scene: Scene, perSecond: number, seconds: number) {
  const { stage, fleet, unsubmitted, answerMs, name } = scene;
  const requests = Math.max(1, Math.round(perSecond * seconds));
  const patienceMs = 2000 + 5 * answerMs;
  const lagsMs: number[] = [];
  let turn = 0;
  const loads = await inTurns(['without', 'with'], HALF_LOAD_ROUNDS, async (way, round) => {
    progress(`${name}: half of the load, ${round + 1} of ${HALF_LOAD_ROUNDS}`);
    const senders = way === 'with' ? fleet : unsubmitted;
    const load = () => stage.sealAtRate(senders, perSecond, seconds, stage.receiptsOf(senders, turn));
    // Watching uses some of the two cores, so it runs with both: otherwise it would count as a cost of submission.
    const { result, lagsMs: some } = await watchLag(stage.pool, nextOf(fleet, turn, requests), patienceMs, load);
    turn += requests;
    lagsMs.push(...some);
    return result;
  });
  return { lagsMs, sealing: together(loads.with), unsubmitted: together(loads.without) };
}

/** The senders whose turn is next. */
function nextOf(senders: readonly Sender[], from: number, requests: number): Sender[] {
  const first = from % senders.length;
  return [...senders.slice(first), ...senders.slice(0, first)].slice(0, requests);
}

/** Seals while the authority is away, then measures how fast it gets the receipts once it is back, from the first one on. */
export async function measureDrain({ stage, authority, fleet, answerMs }: Scene, backlog: number): Promise<number> {
  authority.behave(answerMs, true);
  const load = await startLoad({ ...stage.receiptsOf(fleet), mayGo: (sealed) => sealed < backlog });
  await until(stage, MAX_DRAIN_MS, () => {
    progress(`backlog: sealing, ${whole(load.answered())} of ${whole(backlog)}`);
    return load.answered() >= backlog;
  });
  stage.count(await load.stop());
  const before = authority.counts().accepted;
  authority.behave(answerMs);
  const drained = () => authority.counts().accepted - before;
  let first: { readonly atMs: number; readonly drained: number } | undefined;
  await until(stage, MAX_DRAIN_MS, () => {
    if (drained() > 0) first ??= { atMs: performance.now(), drained: drained() };
    progress(`backlog: draining, ${whole(drained())} of ${whole(load.answered())}`);
    return drained() >= load.answered();
  });
  const perSecond = ((drained() - (first?.drained ?? 0)) / (performance.now() - (first?.atMs ?? 0))) * 1000;
  await until(stage, SETTLE_MS, () => drained() >= load.answered());
  return perSecond;
}

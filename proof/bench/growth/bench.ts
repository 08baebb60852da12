/**
 * Whether sealing, reading receipts and reading payments cost the same with millions stored as with few. Installations of two sizes are
 * asked in turns, so that anything else the machine does affects both.
 */
import { join } from 'node:path';
import { inTurns, sum, together } from '../shared/load.ts';
import type { Sender } from '../shared/receipt.ts';
import { atLeast, figure, type Goal, ms, type Outcome, whole } from '../shared/report.ts';
import { type Bench, progress, type Run } from '../shared/run.ts';
import { Stage } from '../shared/stage.ts';
import { addVendors } from '../shared/vendors.ts';
import { measureReads, type ReadResult, readGoals, readLines } from './measure-reads.ts';
import { paymentReads } from './payment-reads.ts';
import { billers, buildTargets, countWrongFigures, loadPayments } from './payments-load.ts';
import { receiptReads } from './receipt-reads.ts';
import { loadReceipts } from './receipts-load.ts';
import { storageLines } from './storage.ts';

const SMALL = 10_000;
const ROUNDS = 4;
const REQUESTS_PER_SECOND = 3000;
const LARGE_FLEET = { devices: 1000, perTaxpayer: 10 };
/** As many taxpayers as the large one has, each with enough receipts for a full page. */
const SMALL_FLEET = { devices: 100, perTaxpayer: 1 };
/** Reading payments is fast enough for five times as many requests. */
const PAYMENT_READS_EACH = 5;
const VENDORS = 3;

export const growth: Bench = {
  about: 'sealing and reading receipts and payments with millions stored: 15 minutes',
  parts: ['sealing', 'receipts', 'payments'],
  measure: async (run) => {
    const outcomes: Outcome[] = [];
    if (run.parts.some((part) => part !== 'payments')) outcomes.push(await measureReceipts(run));
    if (run.parts.includes('payments')) outcomes.push(await measurePayments(run));
    return {
      lines: outcomes.flatMap(({ lines }) => lines),
      goals: outcomes.flatMap(({ goals }) => goals),
      errors: sum(outcomes.map(({ errors }) => errors)),
    };
  },
};

interface Installation {
  readonly stage: Stage;
  readonly senders: readonly Sender[];
  [Symbol.asyncDispose](): Promise<void>;
}

async function install(run: Run, name: string, fleet: typeof LARGE_FLEET): Promise<Installation> {
  const stage = await Stage.start({ ...run, folder: join(run.folder, name) });
  const senders = await stage.addDevices(fleet.devices, fleet.perTaxpayer);
  // The loaded receipts are copies of the first ones.
  await stage.warmUp(senders);
  return { stage, senders, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() };
}

/** Sealing, reading and storage while one installation grows, beside one that stays small and one that is new. */
async function measureReceipts(run: Run): Promise<Outcome> {
  await using large = await install(run, 'large', LARGE_FLEET);
  await using small = run.parts.includes('receipts') ? await install(run, 'small', SMALL_FLEET) : undefined;
  await using fresh = run.parts.includes('sealing') ? await install(run, 'new', LARGE_FLEET) : undefined;
  if (small !== undefined) await loadReceipts(small, 0, SMALL, SMALL);
  const lines: string[] = [];
  const goals: Goal[] = [];
  let stored = 0;
  for (const rows of [Math.round(run.large / 3), run.large]) {
    await loadReceipts(large, stored, rows, run.large);
    stored = rows;
    if (small !== undefined) {
      const sides = {
        small: { stage: small.stage, reads: await receiptReads(small, SMALL) },
        large: { stage: large.stage, reads: await receiptReads(large, rows) },
      };
      const results = await measureReads(sides, { requests: run.requests, connections: 1 });
      const name = `${whole(rows)} receipts`;
      lines.push(...readLines(name, SMALL, results), '');
      goals.push(...readGoals(name, results));
    }
    if (fresh !== undefined) goals.push(await measureSealing({ large, fresh }, rows, run.seconds));
  }
  lines.push(...(await storageLines(large.stage.pool, 'whose indexes were built at the end')));
  if (fresh !== undefined) lines.push(...(await storageLines(fresh.stage.pool, 'that came one by one')));
  return { lines, goals, errors: sum([large, small, fresh].map((one) => one?.stage.errors ?? 0)) };
}

async function measureSealing(
  both: Readonly<Record<'large' | 'fresh', Installation>>,
  rows: number,
  seconds: number,
): Promise<Goal> {
  const name = `sealing at ${whole(rows)} receipts`;
  for (const { stage, senders } of Object.values(both)) await stage.warmUp(senders);
  const loads = await inTurns(['large', 'fresh'], ROUNDS, (way, round) => {
    progress(`${name}: measuring, ${round + 1} of ${ROUNDS} rounds`);
    const { stage, senders } = both[way];
    return stage.seal(senders, REQUESTS_PER_SECOND * seconds);
  });
  const [large, fresh] = [together(loads.large), together(loads.fresh)];
  const rates = `${figure(large.perSecond)}/s (p99 ${ms(large.p99Ms)}) and ${figure(fresh.perSecond)}/s (p99 ${ms(fresh.p99Ms)})`;
  return atLeast(`${name}, by that of a new installation: ${rates}`, large.perSecond / fresh.perSecond, 0.8);
}

async function measurePayments(run: Run): Promise<Outcome> {
  await using small = await installPayments(run, SMALL);
  await using large = await installPayments(run, run.large);
  const sides = {
    small: { stage: small.stage, reads: await paymentReads(small.stage.pool, small.token) },
    large: { stage: large.stage, reads: await paymentReads(large.stage.pool, large.token) },
  };
  const requests = run.requests * PAYMENT_READS_EACH;
  const results: ReadResult[] = await measureReads(sides, { requests, connections: 4 });
  const name = `${whole(run.large)} payments`;
  return {
    lines: [...readLines(name, SMALL, results), '', small.counted, large.counted, ''],
    goals: readGoals(name, results),
    errors: small.stage.errors + large.stage.errors,
  };
}

async function installPayments(run: Run, payments: number) {
  const stage = await Stage.start({ ...run, folder: join(run.folder, `payments-${payments}`) });
  const token = await addVendors(stage, VENDORS, billers);
  await loadPayments(stage, payments);
  const counted = await buildTargets(stage);
  progress(`${whole(payments)} payments: counting the targets again to compare`);
  stage.errors += await countWrongFigures(stage.pool);
  return { stage, token, counted, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() };
}

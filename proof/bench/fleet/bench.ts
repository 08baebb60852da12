/**
 * How many receipts a second go through to the authority, beside how many are only sealed, and what each of them costs. The
 * authority is a lean process on the same machine.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type LoadResult, mean, percentiles } from '../shared/load.ts';
import type { Sender } from '../shared/receipt.ts';
import { atLeast, atMost, type Goal, ms, type Outcome, table, whole } from '../shared/report.ts';
import { type Bench, progress, type Run } from '../shared/run.ts';
import { Stage } from '../shared/stage.ts';
import { type Authority, startAuthority } from './authority.ts';
import { measureDrain, measureHalfLoad, measureSealing, measureThrough, type Scene } from './cases.ts';

const CASES = [
  { devices: 1000, answerMs: 0 },
  { devices: 1000, answerMs: 50, isDrained: true },
  { devices: 1000, answerMs: 1000 },
  { devices: 10_000, answerMs: 50 },
];
const UNSUBMITTED = 1000;
const SEALING_SECONDS = 4;
/** In a few seconds two or three slow moments would decide the tail. */
const HALF_LOAD_SECONDS = 10;
/** The service compiles its code and loads every device. */
const FIRST_WARM_UP_SECONDS = 6;
/** The first receipt of a device opens its connection: both sides of the handshake on the same two cores, about 4 ms. */
const warmUpSecondsOf = (devices: number) => 15 + devices / 100;
/** The last acceptances and signatures may not have been stored and verified yet. */
const PROOF_MS = 20_000;

const QUICK_MS = 50;
const SLOW_MS = 1000;

export const fleet: Bench = {
  about: 'through to the authority, what a receipt costs, the lag, and a backlog: 7 minutes',
  parts: CASES.map(partOf),
  measure,
};

function partOf({ devices, answerMs }: (typeof CASES)[number]): string {
  return `${devices}x${answerMs}`;
}

async function measure(run: Run): Promise<Outcome> {
  await using authority = await startAuthority(run.folder);
  await countStatements(run);
  await using stage = await Stage.start(run, authority.settings);
  await stage.pool.query('create extension if not exists pg_stat_statements');
  const unsubmitted = await stage.addDevices(UNSUBMITTED);
  const fleets = new Map<number, readonly Sender[]>();
  // Before and after every case, because the machine's speed changes.
  const sealing = [await measureSealing(stage, unsubmitted, FIRST_WARM_UP_SECONDS, SEALING_SECONDS)];
  const cases: Case[] = [];
  for (const one of CASES.filter((each) => run.parts.includes(partOf(each)))) {
    const { devices, answerMs, isDrained = false } = one;
    // Not all at the start: ten thousand devices would need care while a thousand are measured.
    const submitted = fleets.get(devices) ?? (await addSubmitted(stage, authority, devices));
    fleets.set(devices, submitted);
    const name = `${whole(devices)} devices, ${whole(answerMs)} ms`;
    const scene = { stage, authority, fleet: submitted, unsubmitted, answerMs, name };
    cases.push({ ...one, name, ...(await measureCase(scene, sealing, run, isDrained)) });
  }
  progress('looking for what was lost');
  const { waiting, unproved } = await check(stage);
  const { repeated, astray } = authority.counts();
  const goals = [
    ...goalsOf(cases, mean(sealing.map(({ perSecond }) => perSecond))),
    atMost('receipts out of order, or with a signature that is not proved', astray + unproved, 0),
  ];
  const ends = `${whole(repeated)} receipts were sent again, ${whole(waiting)} were still waiting at the end.`;
  return { lines: [...linesOf(cases, sealing), ends], goals, errors: stage.errors + astray };
}

/** PostgreSQL loads the library only at its start: a first start configures it, and from the second on it counts. */
async function countStatements(run: Run): Promise<void> {
  await using stage = await Stage.start(run);
  await stage.pool.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
}

/** Devices that the authority knows: their receipts are submitted, and they get care from now on. */
async function addSubmitted(stage: Stage, authority: Authority, size: number): Promise<Sender[]> {
  const senders = await stage.addDevices(size);
  progress(`issuing ${whole(size)} certificates`);
  await authority.join(stage.pool, senders);
  return senders;
}

async function measureCase(
  scene: Scene,
  sealing: LoadResult[],
  { seconds, backlog, isShort }: Run,
  isDrained: boolean,
) {
  const { stage, fleet: submitted, unsubmitted } = scene;
  const through = await measureThrough(scene, warmUpSecondsOf(submitted.length), seconds);
  sealing.push(await measureSealing(stage, unsubmitted, 0.5, SEALING_SECONDS));
  const half = await measureHalfLoad(scene, through.submittedPerSecond / 2, isShort ? 1 : HALF_LOAD_SECONDS);
  return {
    ...through,
    ratioToSealing: through.submittedPerSecond / mean(sealing.slice(-2).map(({ perSecond }) => perSecond)),
    lag: percentiles(half.lagsMs),
    half,
    drainPerSecond: isDrained ? await measureDrain(scene, backlog) : undefined,
  };
}

type Case = (typeof CASES)[number] & { readonly name: string } & Awaited<ReturnType<typeof measureCase>>;

async function check({ pool, signal }: Stage): Promise<{ readonly waiting: number; readonly unproved: number }> {
  const deadlineMs = performance.now() + PROOF_MS;
  for (;;) {
    const { rows } = await pool.query<{ waiting: number; unproved: number }>(
      `select (select coalesce(sum(h.global_counter - l.submitted_through), 0)::integer
                 from device_lanes l join device_heads h using (taxpayer_id, device_id)) as waiting,
              (select count(*)::integer from submissions where is_server_signature_valid is not true) as unproved`,
    );
    const [found] = rows;
    if (found === undefined) throw new Error('nothing was counted');
    if (found.waiting + found.unproved === 0 || performance.now() > deadlineMs) return found;
    await delay(500, undefined, { signal });
  }
}

/** Each a ratio within the run. */
function goalsOf(cases: readonly Case[], sealedPerSecond: number): Goal[] {
  const quick = cases.filter(({ answerMs }) => answerMs === QUICK_MS);
  /** A device submits one receipt at a time. */
  const allowed = ({ devices, answerMs }: Case) =>
    Math.min((devices * 1000) / answerMs, quick[0]?.submittedPerSecond ?? Number.POSITIVE_INFINITY);
  return [
    ...quick.map((one) => atLeast(`${one.name}: submitted, of what sealing alone does`, one.ratioToSealing, 0.4)),
    ...cases
      .filter(({ answerMs }) => answerMs === SLOW_MS)
      .map((one) => [one.name, one.submittedPerSecond / allowed(one)] as const)
      .map(([name, ratio]) => atLeast(`${name}: submitted, of what such an authority allows`, ratio, 0.9)),
    ...cases
      .filter(({ isDrained }) => isDrained)
      .map(({ name, drainPerSecond = 0 }) => [name, drainPerSecond / sealedPerSecond] as const)
      .map(([name, ratio]) => atLeast(`${name}: a backlog drains, by what sealing alone does`, ratio, 0.5)),
    ...quick.map(({ name, each }) => atMost(`${name}: commits for a receipt`, each.commits, 0.3)),
    ...cases
      .filter(({ answerMs }) => answerMs > 0)
      .map(({ name, lag, answerMs }) => [name, lag.p99Ms / answerMs] as const)
      .map(([name, ratio]) => atMost(`${name}: p99 of the lag at half of the load, by the authority's time`, ratio, 5)),
    ...cases
      .map(({ name, half }) => [name, half.sealing.p99Ms / half.unsubmitted.p99Ms] as const)
      .map(([name, ratio]) =>
        atMost(`${name}: p99 of sealing at half of the load, by that without submission`, ratio, 2),
      ),
  ];
}

function linesOf(cases: readonly Case[], sealing: readonly LoadResult[]): string[] {
  const alone = (read: (load: LoadResult) => number) => mean(sealing.map(read));
  const two = (value: number) => value.toFixed(2);
  return [
    `Sealing alone, ${whole(UNSUBMITTED)} devices: ${whole(alone((one) => one.perSecond))} receipts/s, p50 and p99 ${ms(
      alone((one) => one.p50Ms),
      alone((one) => one.p99Ms),
    )}.`,
    'Commits (transactions that write), statements, rows and CPU are for one receipt, sealing included.',
    '',
    ...table(
      [
        'devices, authority answers in',
        'submitted/s',
        'of sealing alone',
        'commits',
        'statements',
        'rows updated',
        'CPU of the service, of PostgreSQL',
        'lag p50, p99',
        'drains at',
        'RSS',
      ],
      cases.map(({ name, each, lag, drainPerSecond, ...one }) => [
        name,
        whole(one.submittedPerSecond),
        two(one.ratioToSealing),
        two(each.commits),
        two(each.statements),
        two(each.rowUpdates),
        `${two(each.serviceCpuMs)}, ${two(each.postgresCpuMs)} ms`,
        ms(lag.p50Ms, lag.p99Ms),
        drainPerSecond === undefined ? '' : `${whole(drainPerSecond)}/s`,
        `${whole(one.rssMb)} MB`,
      ]),
    ),
    '',
    ...table(
      [
        'devices, authority answers in',
        'transactions',
        'flushes',
        'rows inserted',
        'CPU of the authority, of the load',
        'p99 of sealing at half of the load, without submission',
        'connections',
      ],
      cases.map(({ name, each, half, connections }) => [
        name,
        two(each.transactions),
        two(each.flushes),
        two(each.rowInserts),
        `${two(each.authorityCpuMs)}, ${two(each.generatorCpuMs)} ms`,
        ms(half.sealing.p99Ms, half.unsubmitted.p99Ms),
        whole(connections),
      ]),
    ),
    '',
  ];
}

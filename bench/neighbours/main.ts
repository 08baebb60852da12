/**
 * `npm run bench:neighbours`: what a till loses to a neighbour that asks much of the service. Sealing is measured with and without the
 * neighbour in turns, so that the machine's moods hit both alike. `--only waiting` does those whose name has this word; only a whole
 * run writes results.json. Exit code 0 unless a receipt was answered wrongly.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { collectGarbage, nextReceipt, SEALED, sealing } from '../drive-warm.ts';
import { disturbance } from '../growth/report.ts';
import { CONNECTIONS, drive, type LoadResult, percentiles } from '../load.ts';
import { makeFleet } from '../make-fleet.ts';
import { driveOpen } from '../open-loop.ts';
import { type ServiceProcess, startService } from '../processes.ts';
import type { Sender } from '../receipt.ts';
import { machineFacts, rounded } from '../results.ts';
import { progress, runBench, whole } from '../run.ts';
import { FLOODS } from './floods.ts';
import { type Neighbour, type NeighbourAnswers, startNeighbour } from './neighbour.ts';
import { printing } from './printing.ts';
import { waitingPolls } from './waiting.ts';

/** Those of one group in turns; where there are several, the first is what the others are compared with. */
const GROUPS: readonly (readonly Neighbour[])[] = [[waitingPolls], [printing], ...FLOODS];

const DEVICES = 200;
const WARM_UP_REQUESTS = 12_000;
const ROUNDS = 3;
/** At a fifth of what the machine can do: at its limit everything costs its share, and nobody runs tills there. */
const SHARE = 0.2;
const SECONDS_AT_RATE = 2.5;
const SECONDS_AT_MOST = 1.5;
/** Beside a flood there is no fifth to spare on a small machine, and no limit to measure: tills as a small tenant has them. */
const BESIDE_A_FLOOD = { perSecond: 20, seconds: 5 };
/** Thousands of connections that are made or cut at once are not what is measured. */
const SETTLE_MS = 2000;
const ALLOWED = 1.1;
/** Of a flood: what it slows sealing by, divided by what the same flood of requests that ask nothing does. */
const ALLOWED_FLOOD = 2;

/** As operators run it: refusals are logged, and a proxy tells where they come from. */
const ENVIRONMENT = { LOG_LEVEL: 'info', TRUST_PROXY: '1' };

interface Figures {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** As many as it can, over all connections. Not beside floods. */
  readonly receiptsPerSecond: number | undefined;
  /** In the first round: what a neighbour has taken is kept for the next one. */
  readonly rssMb: number;
}

interface NeighbourResult extends NeighbourAnswers {
  readonly neighbour: string;
  readonly without: Figures;
  readonly with: Figures;
  /** Of the median while tills send a fifth of what the machine can do, or few beside a flood: with the neighbour by without. */
  readonly latencyRatio: number;
  /** Of the time a receipt takes when tills send all they can. */
  readonly rateRatio: number | undefined;
  readonly isControl: boolean;
  /** Of a flood: its latency ratio by that of the control. */
  readonly ofControl: number | undefined;
  /** Of the neighbour's own requests. */
  readonly refused: number;
  /** Of the tills' receipts. */
  readonly errors: number;
}

interface Stage {
  readonly service: ServiceProcess;
  readonly senders: readonly Sender[];
  readonly perSecond: number;
  readonly signal: AbortSignal;
}

const { values: options } = parseArgs({ options: { only: { type: 'string', default: '' } } });

async function bench(dataDir: string, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  const chosen = GROUPS.filter((group) => group.some(({ name }) => name.includes(options.only)));
  if (chosen.length === 0) throw new Error(`no neighbour has ${options.only} in its name`);
  progress('starting the service');
  const service = await startService(dataDir, [], signal, ENVIRONMENT);
  const results: NeighbourResult[] = [];
  const { rows } = await service.pool.query<{ server_version: string }>('show server_version');
  const machine = machineFacts(rows[0]?.server_version ?? '');
  try {
    progress(`registering ${whole(DEVICES)} devices`);
    const senders = await makeFleet(service.pool, service.masterKey, 1, DEVICES, signal);
    progress('warming up');
    const warm = await sealMost({ service, senders, signal }, WARM_UP_REQUESTS);
    for (const group of chosen) {
      results.push(...(await measure({ service, senders, signal, perSecond: warm.perSecond }, group)));
    }
  } finally {
    await service.stop();
  }
  progress('');
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(
    `${[...disturbance(machine), ...results.flatMap(lines)].join('\n')}\nAll of it took ${whole(seconds)} s.\n`,
  );
  if (options.only === '') {
    const text = JSON.stringify(
      rounded({ date: new Date().toISOString(), machine, neighbours: results, seconds }),
      null,
      2,
    );
    await writeFile(join(import.meta.dirname, 'results.json'), `${text}\n`);
  }
  return results.every(({ errors }) => errors === 0) ? 0 : 1;
}

async function measure(stage: Stage, group: readonly Neighbour[]): Promise<NeighbourResult[]> {
  const { service, signal } = stage;
  const isFlood = group.some(({ isControl }) => isControl);
  const without: Round[] = [];
  const measured = [];
  for (const neighbour of group) {
    progress(`${neighbour.name}: preparing`);
    const load = await startNeighbour(service.url, await neighbour.prepare(service, signal));
    const beside: Round[] = [];
    measured.push({ neighbour, load, beside });
  }
  const results: NeighbourResult[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      progress(`${group[0]?.name} and alike: measuring, ${round + 1} of ${ROUNDS}`);
      without.push(await measureRound(stage, isFlood));
      for (const { load, beside } of measured) {
        await load.begin();
        await delay(SETTLE_MS, undefined, { signal });
        beside.push(await measureRound(stage, isFlood));
        await load.end();
        await delay(SETTLE_MS, undefined, { signal });
      }
    }
  } finally {
    for (const { neighbour, load, beside } of measured) {
      results.push(resultOf(neighbour, without, beside, await load.close(), results[0]));
    }
  }
  return results;
}

function resultOf(
  neighbour: Neighbour,
  without: readonly Round[],
  beside: readonly Round[],
  answers: NeighbourAnswers,
  control: NeighbourResult | undefined,
): NeighbourResult {
  const alone = figuresOf(without);
  const together = figuresOf(beside);
  const refused = Object.entries(answers.answers).filter(([status]) => Number(status) !== neighbour.expects);
  const latencyRatio = together.p50Ms / alone.p50Ms;
  return {
    neighbour: neighbour.name,
    without: alone,
    with: together,
    latencyRatio,
    rateRatio:
      alone.receiptsPerSecond && together.receiptsPerSecond && alone.receiptsPerSecond / together.receiptsPerSecond,
    isControl: neighbour.isControl === true,
    ofControl: control && latencyRatio / control.latencyRatio,
    ...answers,
    refused: refused.reduce((sum, [, count]) => sum + count, 0),
    errors: [...without, ...beside].reduce((sum, { atRate, most }) => sum + atRate.errors + (most?.errors ?? 0), 0),
  };
}

interface Round {
  readonly atRate: LoadResult;
  readonly most: LoadResult | undefined;
  readonly rssMb: number;
}

async function measureRound({ service, senders, perSecond, signal }: Stage, isFlood: boolean): Promise<Round> {
  collectGarbage();
  const rate = isFlood ? BESIDE_A_FLOOD : { perSecond: perSecond * SHARE, seconds: SECONDS_AT_RATE };
  const atRate = await driveOpen({
    origin: service.url,
    perSecond: rate.perSecond,
    requests: Math.round(rate.perSecond * rate.seconds),
    requestOf: (turn) => nextReceipt(senders, turn),
    isRight: (answer) => answer.includes(SEALED),
    signal,
  });
  const most = isFlood
    ? undefined
    : await sealMost({ service, senders, signal }, Math.round(perSecond * SECONDS_AT_MOST));
  return { atRate, most, rssMb: await service.rssMb() };
}

function sealMost(
  { service, senders, signal }: Pick<Stage, 'service' | 'senders' | 'signal'>,
  requests: number,
): Promise<LoadResult> {
  return drive({
    ...sealing(service, senders),
    requests,
    connections: CONNECTIONS,
    signal,
    onProgress: () => {},
  });
}

function figuresOf(rounds: readonly Round[]): Figures {
  const limits = rounds.flatMap(({ most }) => most ?? []);
  const answered = limits.reduce((sum, most) => sum + most.answered, 0);
  const durationMs = limits.reduce((sum, most) => sum + most.endedAtMs - most.startedAtMs, 0);
  return {
    ...percentiles(rounds.flatMap(({ atRate }) => atRate.latenciesMs)),
    receiptsPerSecond: limits.length === 0 ? undefined : (answered / durationMs) * 1000,
    rssMb: rounds[0]?.rssMb ?? Number.NaN,
  };
}

function lines(one: NeighbourResult): string[] {
  const figures = ({ p50Ms, p95Ms, p99Ms, receiptsPerSecond, rssMb }: Figures) =>
    `p50 ${p50Ms.toFixed(1)}, p95 ${p95Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms;${receiptsPerSecond === undefined ? '' : ` at most ${whole(receiptsPerSecond)}/s;`} ${whole(rssMb)} MB`;
  const counts = Object.entries(one.answers).map(
    ([status, count]) => `${(count / one.seconds).toFixed(1)} × ${status}`,
  );
  const atTheLimit =
    one.rateRatio === undefined ? '' : `, time per receipt at the limit ${one.rateRatio.toFixed(2)} times`;
  return [
    `${goalOf(one)}  ${one.neighbour}: latency ${one.latencyRatio.toFixed(2)} times${atTheLimit}`,
    `         without: ${figures(one.without)}`,
    `         with:    ${figures(one.with)}`,
    `         its own answers per second: ${counts.join(', ') || 'none'}; ${whole(one.broken)} cut; ${one.errors} wrong answers to tills`,
  ];
}

function goalOf({ isControl, latencyRatio, ofControl }: NeighbourResult): string {
  if (isControl) return 'control';
  const met = (ratio: number, allowed: number, of: string) =>
    `${ratio <= allowed ? 'met    ' : 'NOT met'}  ${ratio.toFixed(2)} ${of} (expected: ${allowed} or less)`;
  return ofControl === undefined
    ? met(latencyRatio, ALLOWED, 'of the latency without')
    : met(ofControl, ALLOWED_FLOOD, 'of what the control does');
}

process.exitCode = await runBench('neighbours', bench);

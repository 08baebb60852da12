import { setTimeout as delay } from 'node:timers/promises';
import { collectGarbage, nextReceipt, SEALED, sealing } from '../shared/drive-warm.ts';
import { CONNECTIONS, drive, type LoadResult, percentiles } from '../shared/load.ts';
import { makeFleet } from '../shared/make-fleet.ts';
import { driveOpen } from '../shared/open-loop.ts';
import { type ServiceProcess, startService } from '../shared/processes.ts';
import type { Sender } from '../shared/receipt.ts';
import { type Outcome, whole } from '../shared/report.ts';
import { type Bench, progress, type Run } from '../shared/run.ts';
import { type Neighbour, type NeighbourAnswers, startNeighbour } from './neighbour.ts';
import { printing } from './printing.ts';
import { waitingPolls } from './waiting.ts';

const NEIGHBOURS: readonly Neighbour[] = [waitingPolls, printing];

const DEVICES = 200;
const WARM_UP_REQUESTS = 12_000;
const ROUNDS = 3;
/** At a fifth of the machine's maximum: at its limit everything slows down everything else, and no installation runs there. */
const SHARE = 0.2;
const SECONDS_AT_RATE = 2.5;
const SECONDS_AT_MOST = 1.5;
/** Opening or cutting thousands of connections at once is not what is measured. */
const SETTLE_MS = 2000;
const ALLOWED = 1.2;

/** As operators run it, with refusals logged. */
const ENVIRONMENT = { LOG_LEVEL: 'info' };

interface Figures {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** At the maximum, over all connections. */
  readonly receiptsPerSecond: number;
  /** In the first round, because the process keeps memory that a neighbour has used. */
  readonly rssMb: number;
}

interface NeighbourResult extends NeighbourAnswers {
  readonly neighbour: string;
  readonly without: Figures;
  readonly with: Figures;
  /** The median with the neighbour divided by that without, at a fifth of the machine's maximum. */
  readonly latencyRatio: number;
  /** The same for the time per receipt at the maximum. */
  readonly rateRatio: number;
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

export const neighbours: Bench = {
  about: 'a till beside ten thousand waiting polls, and beside long invoices being printed: 3 minutes',
  parts: NEIGHBOURS.map(({ name }) => name),
  measure: measureAll,
};

async function measureAll({ folder, signal, parts, nodeOptions }: Run): Promise<Outcome> {
  progress('starting the service');
  const service = await startService(folder, nodeOptions, signal, ENVIRONMENT);
  const results: NeighbourResult[] = [];
  try {
    progress(`registering ${whole(DEVICES)} devices`);
    const senders = await makeFleet(service.pool, service.masterKey, 1, DEVICES, signal);
    progress('warming up');
    const warm = await sealMost({ service, senders, signal }, WARM_UP_REQUESTS);
    for (const neighbour of NEIGHBOURS.filter(({ name }) => parts.includes(name))) {
      results.push(await measure({ service, senders, signal, perSecond: warm.perSecond }, neighbour));
    }
  } finally {
    await service.stop();
  }
  const errors = results.reduce((sum, one) => sum + one.errors, 0);
  return { lines: results.flatMap(lines), goals: [], errors };
}

async function measure(stage: Stage, neighbour: Neighbour): Promise<NeighbourResult> {
  const { service, signal } = stage;
  progress(`${neighbour.name}: preparing`);
  const load = await startNeighbour(service.url, await neighbour.prepare(service, signal));
  const without: Round[] = [];
  const beside: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`${neighbour.name}: measuring, ${round + 1} of ${ROUNDS}`);
    without.push(await measureRound(stage));
    await load.begin();
    await delay(SETTLE_MS, undefined, { signal });
    beside.push(await measureRound(stage));
    await load.end();
    await delay(SETTLE_MS, undefined, { signal });
  }
  const answers = await load.close();
  const [alone, together] = [figuresOf(without), figuresOf(beside)];
  const refused = Object.entries(answers.answers).filter(([status]) => Number(status) !== neighbour.expects);
  return {
    neighbour: neighbour.name,
    without: alone,
    with: together,
    latencyRatio: together.p50Ms / alone.p50Ms,
    rateRatio: alone.receiptsPerSecond / together.receiptsPerSecond,
    ...answers,
    refused: refused.reduce((sum, [, count]) => sum + count, 0),
    errors: [...without, ...beside].reduce((sum, { atRate, most }) => sum + atRate.errors + most.errors, 0),
  };
}

interface Round {
  readonly atRate: LoadResult;
  readonly most: LoadResult;
  readonly rssMb: number;
}

async function measureRound({ service, senders, perSecond, signal }: Stage): Promise<Round> {
  collectGarbage();
  const rate = perSecond * SHARE;
  const atRate = await driveOpen({
    origin: service.url,
    perSecond: rate,
    requests: Math.round(rate * SECONDS_AT_RATE),
    requestOf: (turn) => nextReceipt(senders, turn),
    isRight: (answer) => answer.includes(SEALED),
    signal,
  });
  const most = await sealMost({ service, senders, signal }, Math.round(perSecond * SECONDS_AT_MOST));
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
  const limits = rounds.map(({ most }) => most);
  const answered = limits.reduce((sum, most) => sum + most.answered, 0);
  const durationMs = limits.reduce((sum, most) => sum + most.endedAtMs - most.startedAtMs, 0);
  return {
    ...percentiles(rounds.flatMap(({ atRate }) => atRate.latenciesMs)),
    receiptsPerSecond: (answered / durationMs) * 1000,
    rssMb: rounds[0]?.rssMb ?? Number.NaN,
  };
}

function lines(one: NeighbourResult): string[] {
  const figures = ({ p50Ms, p95Ms, p99Ms, receiptsPerSecond, rssMb }: Figures) =>
    `p50 ${p50Ms.toFixed(1)}, p95 ${p95Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms; at most ${whole(receiptsPerSecond)}/s; ${whole(rssMb)} MB`;
  const counts = Object.entries(one.answers).map(
    ([status, count]) => `${(count / one.seconds).toFixed(1)} × ${status}`,
  );
  return [
    `${one.latencyRatio <= ALLOWED ? 'met    ' : 'NOT met'}  ${one.neighbour}: latency ${one.latencyRatio.toFixed(2)} times (expected: ${ALLOWED} or less), time per receipt at the limit ${one.rateRatio.toFixed(2)} times`,
    `         without: ${figures(one.without)}`,
    `         with:    ${figures(one.with)}`,
    `         its own answers per second: ${counts.join(', ') || 'none'}; ${whole(one.broken)} cut; ${one.errors} wrong answers to tills`,
  ];
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { answerOf } from '../../../test/support/ask.ts';
import { collectGarbage, nextReceipt, SEALED, sealing } from '../shared/drive-warm.ts';
import { CONNECTIONS, drive, type LoadResult, percentiles } from '../shared/load.ts';
import { makeFleet } from '../shared/make-fleet.ts';
import { driveOpen } from '../shared/open-loop.ts';
import { type ServiceProcess, startService } from '../shared/processes.ts';
import type { Sender } from '../shared/receipt.ts';
import { type Outcome, whole } from '../shared/report.ts';
import { type Bench, progress, type Run } from '../shared/run.ts';
import type { Arrival, Arrivals } from './receiver.ts';

/** The tills that are measured have no endpoints. Of those that have one, each is alone with its taxpayer. */
const TILLS = 200;
const ENDPOINTS = 1000;
const NEVER_ONE_IN = 10;
const WARM_UP_REQUESTS = 12_000;
const ROUNDS = 5;
/** Of the machine's maximum: at its limit everything slows down everything else, and no installation runs there. */
const SHARE = 0.2;
/** The same for receipts that an endpoint is told of. */
const TOLD_SHARE = 0.05;
const SECONDS_AT_RATE = 4;
const SECONDS_AT_MOST = 3;
const SETTLE_MS = 1500;
const ALLOWED = 1.1;

const BATCH = 100;
const BACKLOG = 3000;
const EXPECTED_PER_SECOND = 100;

/** Which endpoints are active. */
const PHASES = ['none', 'those that answer', 'all'] as const;
type Phase = (typeof PHASES)[number];

interface Stage {
  readonly service: ServiceProcess;
  readonly receiver: Receiver;
  readonly tills: readonly Sender[];
  readonly shops: readonly Sender[];
  readonly perSecond: number;
  readonly signal: AbortSignal;
}

interface Receiver {
  readonly url: string;
  /** Everything since the last question; `cut` ends what hangs. */
  arrived(how?: 'cut'): Promise<Arrivals>;
  stop(): void;
}

export const endpoints: Bench = {
  about: 'a till beside 1,000 endpoints of which a tenth never answer: 4 minutes',
  parts: ['all'],
  measure: measureAll,
};

async function measureAll({ folder, signal, nodeOptions }: Run): Promise<Outcome> {
  progress('starting the service');
  const receiver = await startReceiver();
  const service = await startService(folder, nodeOptions, signal, { WEBHOOK_ALLOW_PRIVATE: 'true' });
  try {
    progress(`registering ${whole(TILLS + ENDPOINTS)} devices and ${whole(ENDPOINTS)} endpoints`);
    const tills = await makeFleet(service.pool, service.masterKey, 1, TILLS, signal);
    const shops = await makeFleet(service.pool, service.masterKey, TILLS + 1, ENDPOINTS, signal, 1);
    for (const [place, { token }] of shops.entries())
      await addEndpoint(service, token, {
        Address: `${receiver.url}/${place % NEVER_ONE_IN === 0 ? 'never' : 'at-once'}`,
      });
    await service.pool.query('vacuum analyze endpoints, data_keys');
    progress('warming up');
    await activate({ service, receiver }, 'none');
    const { perSecond } = await sealMost({ service, tills, signal }, WARM_UP_REQUESTS);
    const stage = { service, receiver, tills, shops, signal, perSecond };
    const rounds = await measure(stage);
    progress('one endpoint with a backlog');
    const taken = await measureBatches(stage);
    const errors = PHASES.flatMap((phase) => rounds[phase]).reduce((sum, one) => sum + one.errors, 0);
    return { lines: [...lines(rounds, perSecond), batchLine(taken)], goals: [], errors };
  } finally {
    await service.stop();
    receiver.stop();
  }
}

async function startReceiver(): Promise<Receiver> {
  const child = fork(join(import.meta.dirname, 'receiver.ts'), { execArgv: [] });
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    arrived: async (how) => {
      child.send(how ?? 'keep');
      return ((await once(child, 'message')) as [Arrivals])[0];
    },
    stop: () => child.disconnect(),
  };
}

async function addEndpoint(service: ServiceProcess, token: string, settings: object): Promise<string> {
  const body = { EventTypes: ['receipt.signed'], ...settings };
  const made = await answerOf<{ EndpointId: string }>({ url: service.url, token }, 'POST', '/api/endpoints', body);
  return made.EndpointId;
}

/** The others are paused. What was missed is left out, and what has failed begins anew, because the pauses after it are long. */
async function activate({ service, receiver }: Pick<Stage, 'service' | 'receiver'>, phase: Phase): Promise<void> {
  await service.pool.query(
    `with chosen as (select e.endpoint_id, c.last_number, $1 = 'all' or $1 <> 'none' and e.address like '%/at-once' as is_active
                       from endpoints e join event_counters c using (tenant_id))
     update endpoints e set state = case when is_active then 'Active' else 'Paused' end,
            pause_reason = case when not is_active then 'bench' end, paused_at = case when not is_active then now() end,
            cursor = last_number, batch_last = null, attempts = 0, next_attempt_at = now(), locked_until = null, revision = revision + 1
       from chosen c where c.endpoint_id = e.endpoint_id`,
    [phase],
  );
  await receiver.arrived('cut');
}

async function measure(stage: Stage): Promise<Record<Phase, Round[]>> {
  const rounds: Record<Phase, Round[]> = { none: [], 'those that answer': [], all: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`measuring, ${round + 1} of ${ROUNDS}`);
    for (const phase of round % 2 === 0 ? PHASES : PHASES.toReversed()) {
      await activate(stage, phase);
      rounds[phase].push(await measureRound(stage));
    }
  }
  await activate(stage, 'none');
  return rounds;
}

interface Round {
  readonly atRate: LoadResult;
  readonly most: LoadResult;
  /** Of events at endpoints that answer. */
  readonly delaysMs: readonly number[];
  readonly hanging: number;
  readonly errors: number;
}

async function measureRound(stage: Stage): Promise<Round> {
  const { service, tills, shops, perSecond, signal } = stage;
  collectGarbage();
  const seal = (senders: readonly Sender[], share: number, requests: number) =>
    driveOpen({
      origin: service.url,
      perSecond: perSecond * share,
      requests: Math.round(requests),
      requestOf: (turn) => nextReceipt(senders, turn),
      isRight: (answer) => answer.includes(SEALED),
      signal,
    });
  // One event for each, so that those that never answer hang, and the others have a connection.
  const first = await seal(shops, SHARE, ENDPOINTS);
  const { '/never': never = [] } = await allArrived(stage);
  const told = perSecond * TOLD_SHARE;
  const [atRate, events] = await Promise.all([
    seal(tills, SHARE, perSecond * SHARE * SECONDS_AT_RATE),
    seal(shops, TOLD_SHARE, told * SECONDS_AT_RATE),
  ]);
  const { '/at-once': atOnce = [] } = await allArrived(stage);
  const [most, beside] = await Promise.all([
    sealMost(stage, Math.round(perSecond * SECONDS_AT_MOST)),
    seal(shops, TOLD_SHARE, told * SECONDS_AT_MOST),
  ]);
  const errors = [first, atRate, events, most, beside].reduce((sum, one) => sum + one.errors, 0);
  return { atRate, most, delaysMs: atOnce.flatMap(({ delaysMs }) => delaysMs), hanging: never.length, errors };
}

/** Until nothing comes any more. */
async function allArrived({ receiver, signal }: Stage): Promise<Arrivals> {
  const all: Arrivals = {};
  for (;;) {
    await delay(SETTLE_MS, undefined, { signal });
    const some = Object.entries(await receiver.arrived());
    if (some.length === 0) return all;
    for (const [url, requests] of some) all[url] = [...(all[url] ?? []), ...requests];
  }
}

function sealMost(stage: Pick<Stage, 'service' | 'tills' | 'signal'>, requests: number): Promise<LoadResult> {
  const { service, tills, signal } = stage;
  return drive({ ...sealing(service, tills), requests, connections: CONNECTIONS, signal, onProgress: () => {} });
}

/** How many events per second one endpoint takes from a backlog. */
async function measureBatches({ service, receiver, tills, signal }: Stage): Promise<number> {
  const one = tills.slice(0, 1);
  const id = await addEndpoint(service, one[0]?.token ?? '', { Address: `${receiver.url}/slow`, BatchSize: BATCH });
  const due = (at: string) =>
    service.pool.query('update endpoints set next_attempt_at = $2 where endpoint_id = $1', [id, at]);
  await due('infinity');
  await sealMost({ service, tills: one, signal }, BACKLOG);
  await due('now');
  const requests: Arrival[] = [];
  const countOf = (some: readonly Arrival[]) => some.reduce((sum, { delaysMs }) => sum + delaysMs.length, 0);
  while (countOf(requests) < BACKLOG) {
    await delay(100, undefined, { signal });
    requests.push(...((await receiver.arrived())['/slow'] ?? []));
  }
  const tookMs = (requests.at(-1)?.atMs ?? 0) - (requests[0]?.atMs ?? 0);
  return (countOf(requests.slice(0, -1)) / tookMs) * 1000;
}

/** Medians of the rounds: one bad second of the machine decides the p99 of its own round only. */
function figuresOf(rounds: readonly Round[]) {
  const seals = rounds.map(({ atRate }) => percentiles(atRate.latenciesMs));
  const tells = rounds.map(({ delaysMs }) => percentiles(delaysMs));
  return {
    seal: { p50Ms: median(seals.map(({ p50Ms }) => p50Ms)), p99Ms: median(seals.map(({ p99Ms }) => p99Ms)) },
    perSecond: median(rounds.map(({ most }) => (most.answered / (most.endedAtMs - most.startedAtMs)) * 1000)),
    told: { p50Ms: median(tells.map(({ p50Ms }) => p50Ms)), p99Ms: median(tells.map(({ p99Ms }) => p99Ms)) },
    hanging: Math.min(...rounds.map(({ hanging }) => hanging)),
  };
}
const median = (values: readonly number[]) => percentiles(values).p50Ms;
type Figures = ReturnType<typeof figuresOf>;

function lines(rounds: Readonly<Record<Phase, readonly Round[]>>, perSecond: number): string[] {
  const [none, some, all] = [figuresOf(rounds.none), figuresOf(rounds['those that answer']), figuresOf(rounds.all)];
  const goal = (what: string, ratio: number) =>
    `${ratio <= ALLOWED ? 'met    ' : 'NOT met'}  ${what}: ${ratio.toFixed(2)} times (expected: ${ALLOWED} or less)`;
  const figures = (name: string, { seal, told, ...one }: Figures) =>
    `         ${name}: sealing p50 ${seal.p50Ms.toFixed(1)}, p99 ${seal.p99Ms.toFixed(1)} ms, at most ${whole(one.perSecond)}/s; told after p50 ${told.p50Ms}, p99 ${told.p99Ms} ms; ${one.hanging} hang`;
  return [
    goal('p50 of sealing beside all endpoints', all.seal.p50Ms / none.seal.p50Ms),
    goal('p99 of sealing beside all endpoints', all.seal.p99Ms / none.seal.p99Ms),
    goal('time per receipt at the limit beside all endpoints', none.perSecond / all.perSecond),
    goal('p99 of sealing because of those that never answer', all.seal.p99Ms / some.seal.p99Ms),
    goal('time per receipt at the limit because of those that never answer', some.perSecond / all.perSecond),
    goal('p50 until the others are told because of those that never answer', all.told.p50Ms / some.told.p50Ms),
    goal('p99 until the others are told because of those that never answer', all.told.p99Ms / some.told.p99Ms),
    `         ${whole(perSecond * SHARE)} receipts a second, and ${whole(perSecond * TOLD_SHARE)} of which an endpoint is told`,
    figures('no endpoints', none),
    figures('those that answer', some),
    figures('all', all),
  ];
}

function batchLine(perSecond: number): string {
  const isMet = perSecond >= EXPECTED_PER_SECOND;
  return `${isMet ? 'met    ' : 'NOT met'}  one endpoint, ${BATCH} events a request, 250 ms each: ${whole(perSecond)} events a second (expected: ${EXPECTED_PER_SECOND} or more)`;
}

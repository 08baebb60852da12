import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { answerOf } from '../../../test/support/ask.ts';
import { inTurns, median, percentiles, sum } from '../shared/load.ts';
import type { Sender } from '../shared/receipt.ts';
import { atLeast, atMost, ms, type Outcome, table, whole } from '../shared/report.ts';
import { type Bench, progress, type Run } from '../shared/run.ts';
import { startSide } from '../shared/side-process.ts';
import { Stage } from '../shared/stage.ts';
import type { Arrival, Arrivals } from './receiver.ts';
import { figuresOf, HEADER, measureRound, type Pace, type Round, ratioRow, row, SHARE } from './round.ts';

/** The tills that are measured have no endpoints. Of those that have one, each is alone with its taxpayer. */
const TILLS = 200;
const ENDPOINTS = 1000;
const NEVER_ONE_IN = 10;
const WARM_UP_REQUESTS = 12_000;
/** Of the machine's maximum, in receipts that an endpoint is told of. */
const TOLD_SHARE = 0.05;
const SETTLE_MS = 1500;
const ALLOWED = 1.1;

const BATCH = 100;
const BACKLOG = 3000;
const EXPECTED_PER_SECOND = 100;

/** Which endpoints are active. */
const PHASES = ['none', 'those that answer', 'all'] as const;

export const endpoints: Bench = {
  about: 'a till beside 1,000 endpoints of which a tenth never answer, and how much a slow one takes: 4 minutes',
  parts: ['sealing beside', 'a backlog'],
  measure,
};

async function measure(run: Run): Promise<Outcome> {
  await using side = startSide(join(import.meta.dirname, 'receiver.ts'));
  const receiver = await side.answer<string>();
  await using stage = await Stage.start(run, { WEBHOOK_ALLOW_PRIVATE: 'true' });
  const world = {
    stage,
    receiver,
    tills: await stage.addDevices(TILLS),
    /** Everything since the last question; `cut` ends what hangs. */
    arrived: (how: 'keep' | 'cut' = 'keep') => side.ask<Arrivals>(how),
  };
  const { perSecond } = await stage.warmUp(world.tills, WARM_UP_REQUESTS);
  const pace = run.isShort
    ? { perSecond, rounds: 1, secondsAtRate: 1, secondsAtMaximum: 1 }
    : { perSecond, rounds: 5, secondsAtRate: 4, secondsAtMaximum: 3 };
  const [beside, backlog] = endpoints.parts.map((part) => run.parts.includes(part));
  const { lines, goals } = beside ? await measureBeside(world, pace) : { lines: [], goals: [] };
  return { lines, goals: backlog ? [...goals, await measureBacklog(world)] : goals, errors: stage.errors };
}

interface World {
  readonly stage: Stage;
  readonly receiver: string;
  readonly tills: readonly Sender[];
  readonly arrived: (how?: 'cut') => Promise<Arrivals>;
}

async function addEndpoint({ stage }: World, { token }: Sender, settings: object): Promise<string> {
  const body = { EventTypes: ['receipt.signed'], ...settings };
  return (await answerOf<{ EndpointId: string }>({ url: stage.url, token }, 'POST', '/api/endpoints', body)).EndpointId;
}

async function measureBeside(world: World, pace: Pace): Promise<Pick<Outcome, 'lines' | 'goals'>> {
  const { stage, tills } = world;
  const shops = await stage.addDevices(ENDPOINTS, 1);
  progress(`adding ${whole(ENDPOINTS)} endpoints`);
  for (const [place, shop] of shops.entries()) {
    const path = place % NEVER_ONE_IN === 0 ? 'never' : 'at-once';
    await addEndpoint(world, shop, { Address: `${world.receiver}/${path}` });
  }
  await stage.pool.query('vacuum analyze endpoints, data_keys');
  const rounds = await inTurns(PHASES, pace.rounds, async (phase, round) => {
    progress(`measuring beside ${phase}, ${round + 1} of ${pace.rounds}`);
    await activate(world, phase);
    // One event for each, so that those that never answer hang, and the others have a connection.
    await stage.sealAtRate(shops, pace.perSecond * SHARE, ENDPOINTS / (pace.perSecond * SHARE));
    const { '/never': never = [] } = await allArrived(world);
    const measured = await measureRound(stage, tills, pace, async (seconds) => {
      await stage.sealAtRate(shops, pace.perSecond * TOLD_SHARE, seconds);
      const { '/at-once': atOnce = [] } = await allArrived(world);
      return percentiles(atOnce.flatMap(({ delaysMs }) => delaysMs));
    });
    return { ...measured, hanging: never.length };
  });
  await activate(world, 'none');
  return report(rounds, pace);
}

type Rounds = readonly (Round<ReturnType<typeof percentiles>> & { readonly hanging: number })[];

function report(rounds: Readonly<Record<(typeof PHASES)[number], Rounds>>, { perSecond }: Pace) {
  const [none, some, all] = [figuresOf(rounds.none), figuresOf(rounds['those that answer']), figuresOf(rounds.all)];
  const told = (of: Rounds) => ({
    p50Ms: median(of.map(({ seen }) => seen.p50Ms)),
    p99Ms: median(of.map(({ seen }) => seen.p99Ms)),
  });
  const [someTold, allTold] = [told(rounds['those that answer']), told(rounds.all)];
  const goal = (name: string, beside: number, without: number) => atMost(name, beside / without, ALLOWED, ' times');
  const because = 'because of those that never answer';
  return {
    lines: [
      `Tills seal ${whole(perSecond * SHARE)} receipts a second, and others ${whole(perSecond * TOLD_SHARE)} of which an endpoint is told.`,
      '',
      ...table(
        [...HEADER, 'told after p50, p99', 'hanging'],
        [
          [...row('no endpoints', none), '', ''],
          [...row('those that answer', some), ms(someTold.p50Ms, someTold.p99Ms), ''],
          [
            ...row('all', all),
            ms(allTold.p50Ms, allTold.p99Ms),
            String(Math.min(...rounds.all.map((one) => one.hanging))),
          ],
          [...ratioRow('all, by no endpoints', all, none), '', ''],
        ],
      ),
    ],
    goals: [
      goal('p50 of sealing beside all endpoints', all.p50Ms, none.p50Ms),
      goal('p99 of sealing beside all endpoints', all.p99Ms, none.p99Ms),
      goal('time per receipt at the maximum beside all endpoints', none.perSecond, all.perSecond),
      goal(`p99 of sealing ${because}`, all.p99Ms, some.p99Ms),
      goal(`time per receipt at the maximum ${because}`, some.perSecond, all.perSecond),
      goal(`p50 until the others are told ${because}`, allTold.p50Ms, someTold.p50Ms),
      goal(`p99 until the others are told ${because}`, allTold.p99Ms, someTold.p99Ms),
    ],
  };
}

/** The others are paused. What was missed is left out, and what has failed begins anew, because the pauses after it are long. */
async function activate({ stage, arrived }: World, phase: (typeof PHASES)[number]): Promise<void> {
  await stage.pool.query(
    `with chosen as (select e.endpoint_id, c.last_number, $1 = 'all' or $1 <> 'none' and e.address like '%/at-once' as is_active
                       from endpoints e join event_counters c using (tenant_id))
     update endpoints e set state = case when is_active then 'Active' else 'Paused' end,
            pause_reason = case when not is_active then 'bench' end, paused_at = case when not is_active then now() end,
            cursor = last_number, batch_last = null, attempts = 0, next_attempt_at = now(), locked_until = null, revision = revision + 1
       from chosen c where c.endpoint_id = e.endpoint_id`,
    [phase],
  );
  await arrived('cut');
}

/** Until nothing comes any more. */
async function allArrived({ stage, arrived }: World): Promise<Arrivals> {
  const all: Arrivals = {};
  for (;;) {
    await delay(SETTLE_MS, undefined, { signal: stage.signal });
    const some = Object.entries(await arrived());
    if (some.length === 0) return all;
    for (const [url, requests] of some) all[url] = [...(all[url] ?? []), ...requests];
  }
}

/** How many events a second one endpoint takes that needs 250 ms for a request. */
async function measureBacklog(world: World) {
  progress('one endpoint with a backlog');
  const { stage, receiver, tills, arrived } = world;
  const [till = { deviceId: 0, token: '' }] = tills;
  const id = await addEndpoint(world, till, { Address: `${receiver}/slow`, BatchSize: BATCH });
  const due = (at: string) =>
    stage.pool.query('update endpoints set next_attempt_at = $2 where endpoint_id = $1', [id, at]);
  await due('infinity');
  await stage.seal([till], BACKLOG);
  await due('now');
  const requests: Arrival[] = [];
  const countOf = (some: readonly Arrival[]) => sum(some.map(({ delaysMs }) => delaysMs.length));
  while (countOf(requests) < BACKLOG) {
    await delay(100, undefined, { signal: stage.signal });
    requests.push(...((await arrived())['/slow'] ?? []));
  }
  const tookMs = (requests.at(-1)?.atMs ?? 0) - (requests[0]?.atMs ?? 0);
  const perSecond = (countOf(requests.slice(0, -1)) / tookMs) * 1000;
  return atLeast(`one endpoint, ${BATCH} events a request, 250 ms each`, perSecond, EXPECTED_PER_SECOND, ' events/s');
}

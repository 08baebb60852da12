import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Clock } from '../platform/clock.ts';
import { GroupCommit, inOneTransaction } from '../platform/database/group-commit.ts';
import type { Feed, TenantEvent } from '../platform/events/feed.ts';
import type { Log } from '../platform/logging/log.ts';
import { DeliveryWork } from '../platform/work/delivery-work.ts';
import { type AttemptRecord, deleteOldAttempts } from './attempt-store.ts';
import { chooseBatch, READ_AT_ONCE } from './core/batch.ts';
import type { Endpoint } from './core/endpoint.ts';
import { afterAttempt, isFailing } from './core/policy.ts';
import { settleAlerts } from './endpoint-alerts.ts';
import { sendEvents } from './send-events.ts';
import { SEND_TIMEOUT_MS, type Transports, transportOf } from './transport.ts';
import { claimEndpoints, releaseEndpoint, type Step, writeSteps } from './work-store.ts';

export interface PushOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Log;
  /** The feed that an endpoint reads. */
  readonly feedOf: (endpoint: Endpoint) => Feed;
  readonly transports: Transports;
}

export interface PushWork {
  readonly start: () => void;
  /** An endpoint is new, was changed or resumed. */
  readonly poke: () => void;
  readonly stop: () => Promise<void>;
}

/** More than a request and the pause that MaxPerSecond puts before it may take: only a crash lets a lease run out. */
const LEASE_MS = SEND_TIMEOUT_MS + 5000;
const STEPS_AT_ONCE = 500;
const TIDY_EVERY_MS = 3_600_000;

/** Pauses up to this, which MaxPerSecond asks for, are waited for in place. */
const SHORT_PAUSE_MS = 1000;

/** One request that was made, and what follows from it; not written down yet. */
interface Made {
  readonly endpoint: Endpoint;
  readonly attempt: AttemptRecord;
  readonly setAsideType: string | undefined;
}

/** What comes next for an endpoint. */
interface Plan {
  /** As it is to be written down before that. */
  readonly endpoint: Endpoint;
  readonly events: readonly TenantEvent[];
  /** All that was read, so that the next batch need not be. */
  readonly read: readonly TenantEvent[];
  /** There is more to read or to send at once. */
  readonly goesOn: boolean;
}

/**
 * Sends every endpoint its events. Who has claimed an endpoint goes on with it while something waits: it reads what comes after the
 * cursor, writes down which batch it is going to send, together with what became of the one before, and only then sends it. So a
 * batch that was under way when a process died is sent again by the next one, the same events under the same id.
 */
export function createPushWork(options: PushOptions): PushWork {
  const { pool, clock, log, feedOf, transports } = options;
  const watches = new Map<string, () => void>();
  let isStopping = false;
  let tidiedAtMs = Number.NEGATIVE_INFINITY;
  const steps = new GroupCommit<Step, boolean>({
    name: 'endpoints',
    work: inOneTransaction(pool, async (tx, given) => {
      const ours = await writeSteps(tx, given);
      await settleAlerts(
        tx,
        given.filter((_step, place) => ours[place]),
      );
      return ours;
    }),
    maxPerBatch: STEPS_AT_ONCE,
  });

  const work = new DeliveryWork<Endpoint>({
    claim: async (most) => {
      await tidy();
      const now = clock();
      return claimEndpoints(pool, now, new Date(now.getTime() + LEASE_MS), most);
    },
    run: serve,
    log,
  });

  async function tidy(): Promise<void> {
    const now = clock();
    if (now.getTime() - tidiedAtMs < TIDY_EVERY_MS) return;
    tidiedAtMs = now.getTime();
    await deleteOldAttempts(pool, now);
  }

  /** In how many milliseconds there is more to do, where that is known. */
  async function serve(claimed: Endpoint, stopping: AbortSignal): Promise<number | undefined> {
    watches.get(claimed.endpointId)?.();
    watches.delete(claimed.endpointId);
    let held = claimed;
    let made: Made | undefined;
    let read: readonly TenantEvent[] = [];
    for (;;) {
      const plan = await planNext(made?.endpoint ?? held, read);
      ({ read } = plan);
      // A batch that is tried again was written down when it was chosen.
      const isWritten = made === undefined && plan.events.length > 0 && plan.endpoint.batchLast === held.batchLast;
      if (!isWritten) {
        const heldUntil = plan.goesOn ? new Date(clock().getTime() + LEASE_MS) : null;
        const endpoint = { ...plan.endpoint, lockedUntil: held.lockedUntil };
        const { attempt, setAsideType } = made ?? {};
        if (!(await steps.run({ endpoint, heldUntil, attempt, setAsideType, wasFailing: isFailing(held) })))
          return leave(held);
        held = { ...endpoint, lockedUntil: heldUntil };
      }
      if (!plan.goesOn) return rest(held);
      made = plan.events.length === 0 ? undefined : await sendBatch(held, plan.events, stopping);
    }
  }

  async function planNext(endpoint: Endpoint, before: readonly TenantEvent[]): Promise<Plan> {
    const now = clock();
    const isToWait = endpoint.nextAttemptAt.getTime() - now.getTime() > SHORT_PAUSE_MS;
    if (isStopping || endpoint.state === 'Paused' || isToWait) return { endpoint, events: [], read: [], goesOn: false };
    const left = before.filter(({ number }) => number > endpoint.cursor);
    const isEnough = left.length >= endpoint.batchSize;
    const read = isEnough ? left : await feedOf(endpoint).list(endpoint.tenantId, endpoint.cursor, READ_AT_ONCE);
    const { cursor, events } = chooseBatch(endpoint, read);
    const moved = { ...endpoint, cursor, batchLast: null };
    const [first] = events;
    if (first === undefined) {
      return { endpoint: moved, events, read, goesOn: isEnough || read.length === READ_AT_ONCE };
    }
    const { gatherMs } = transportOf(transports, endpoint);
    const gatheredAt = new Date(first.at.getTime() + gatherMs);
    if (gatherMs > 0 && endpoint.batchLast === null && gatheredAt > now) {
      return { endpoint: { ...moved, nextAttemptAt: gatheredAt }, events: [], read, goesOn: false };
    }
    return { endpoint: { ...moved, batchLast: events.at(-1)?.number ?? null }, events, read, goesOn: true };
  }

  async function sendBatch(endpoint: Endpoint, events: readonly TenantEvent[], stopping: AbortSignal): Promise<Made> {
    const pauseMs = endpoint.nextAttemptAt.getTime() - clock().getTime();
    if (pauseMs > 0) await delay(pauseMs, undefined, { signal: stopping }).catch(() => {});
    const transport = transportOf(transports, endpoint);
    const { attempt, result } = await sendEvents(transport, clock, {
      endpoint,
      events,
      isInLine: true,
      signal: stopping,
    });
    // Cut off because the service stops: that says nothing of the receiver.
    if (stopping.aborted && result.outcome === 'Failed') return { endpoint, attempt, setAsideType: undefined };
    const endedAt = clock();
    const last = attempt.lastNumber;
    const tried = { ...result, startedAt: attempt.startedAt, endedAt, last, count: events.length };
    const verdict = afterAttempt(endpoint, tried, Math.random());
    return { endpoint: verdict.endpoint, attempt, setAsideType: verdict.isSetAside ? events[0]?.type : undefined };
  }

  /** Nobody's again, until there is something for it. */
  function rest(endpoint: Endpoint): number | undefined {
    const { endpointId, tenantId, state, cursor } = endpoint;
    if (state === 'Paused') transportOf(transports, endpoint).forget(endpointId);
    if (isStopping || state === 'Paused') return undefined;
    const waitMs = endpoint.nextAttemptAt.getTime() - clock().getTime();
    if (waitMs > 0) return waitMs;
    const onEvents = (hasEvents: boolean) => hasEvents && work.poke();
    watches.set(endpointId, feedOf(endpoint).watch.watch(tenantId, cursor, onEvents));
    return undefined;
  }

  /** Its owner has changed it: it begins again with what it is now. */
  async function leave(endpoint: Endpoint): Promise<number> {
    await releaseEndpoint(pool, endpoint);
    transportOf(transports, endpoint).forget(endpoint.endpointId);
    return 0;
  }

  return {
    start: () => work.start(),
    poke: () => work.poke(),
    stop: async () => {
      isStopping = true;
      for (const end of watches.values()) end();
      await work.stop();
      await steps.drain();
    },
  };
}

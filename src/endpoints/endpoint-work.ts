import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Clock } from '../platform/clock.ts';
import { GroupCommit, inOneTransaction, together } from '../platform/database/group-commit.ts';
import { refuseWhileCommitsWait } from '../platform/database/writing.ts';
import type { Feed, TenantEvent } from '../platform/events/feed.ts';
import type { Log } from '../platform/logging/log.ts';
import { DeliveryWork } from '../platform/work/delivery-work.ts';
import type { AttemptRecord } from './attempt-store.ts';
import { chooseBatch, isOneChoice, isWanted, readAtOnce } from './core/batch.ts';
import type { Endpoint } from './core/endpoint.ts';
import { afterAttempt, isFailing } from './core/policy.ts';
import { settleAlerts } from './endpoint-alerts.ts';
import { sendEvents } from './send-events.ts';
import { type Transports, transportOf } from './transport.ts';
import { claimEndpoints, releaseEndpoint, type Step, writeSteps } from './work-store.ts';

export interface EndpointWorkOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Log;
  readonly feed: Feed;
  readonly transports: Transports;
}

export interface EndpointWork {
  readonly start: () => void;
  /** An endpoint is new, was changed or resumed. */
  readonly poke: () => void;
  readonly stop: () => Promise<void>;
  /** What is still under way some time after the stop began is cut off. */
  readonly stopping: AbortSignal;
}

/** Until the first batch is read and written down; and for a mail, which has a minute. */
const LEASES = { firstMs: 20_000, longestMs: 65_000 };
/** Beside the request itself: the pause that MaxPerSecond puts before it, and what is written down. */
const LEASE_MARGIN_MS = 5000;
const STEPS_AT_ONCE = 500;
/** Between two of these transactions, because each takes time from sealing. */
const STEPS_APART_MS = 25;
/** Sealing uses the same database connections. */
const FEEDS_AT_ONCE = 4;

/** Pauses up to this, which MaxPerSecond asks for, are waited for in place. */
const SHORT_PAUSE_MS = 1000;

/** Held here at least until then, by this process's monotonic clock. */
type Claimed = Endpoint & { readonly heldUntilMs: number };

/** One request that was made, and what follows from it; not written down yet. */
interface Made {
  readonly endpoint: Endpoint;
  readonly attempt: AttemptRecord;
  readonly setAsideType: string | undefined;
}

/** Beside the next batch: a thousand endpoints may have a backlog, and an event takes half a kilobyte or more. */
const KEPT_AHEAD = 50;

/** What was read of a feed, so that the next batch need not be. */
interface Read {
  /** The first that are wanted. */
  readonly wanted: readonly TenantEvent[];
  /** The newest number of all, where nothing came after it and all that are wanted are here. */
  readonly end: bigint | undefined;
}
const NOTHING_READ: Read = { wanted: [], end: undefined };

/** What comes next for an endpoint. */
interface Plan {
  /** As it is to be written down before that. */
  readonly endpoint: Endpoint;
  readonly events: readonly TenantEvent[];
  readonly read: Read;
  /** There is more to read or to send at once. */
  readonly goesOn: boolean;
}

/**
 * Sends every endpoint its events. Who has claimed an endpoint goes on with it while something waits: it reads what comes after the
 * cursor, writes down which batch it is going to send, together with what became of the one before, and only then sends it. So a
 * batch that was under way when a process died is sent again by the next one, the same events under the same id. A batch that
 * everybody would choose need not be written down before.
 */
export function createEndpointWork(options: EndpointWorkOptions): EndpointWork {
  const { pool, clock, log, feed, transports } = options;
  const watches = new Map<string, () => void>();
  let isStopping = false;
  const steps = new GroupCommit<Step, Date | null | undefined>({
    name: 'endpoints',
    work: inOneTransaction(pool, async (tx, given) => {
      const leases = await writeSteps(tx, given);
      await settleAlerts(
        tx,
        given.filter((_step, place) => leases[place] !== undefined),
      );
      return leases;
    }),
    maxPerBatch: STEPS_AT_ONCE,
    apartMs: STEPS_APART_MS,
  });

  const work = new DeliveryWork<Claimed>({
    claim: async (most, endpointIds) => {
      // What became of a request could not be written down, and it would be sent again and again.
      refuseWhileCommitsWait(pool);
      const heldUntilMs = performance.now() + LEASES.firstMs;
      const claimed = await claimEndpoints(pool, clock(), LEASES, most, endpointIds);
      return claimed.map((endpoint) => ({ ...endpoint, heldUntilMs }));
    },
    run: serve,
    receiverOf: ({ endpointId }) => endpointId,
    log,
  });

  const reads = new GroupCommit<Endpoint, readonly TenantEvent[]>({
    name: 'read events for endpoints',
    work: together((endpoints) =>
      Promise.all(endpoints.map((one) => feed.list(one.tenantId, one.cursor, readAtOnce(one)))),
    ),
    maxPerBatch: FEEDS_AT_ONCE,
  });

  /** In how many milliseconds there is more to do, where that is known. */
  async function serve(claimed: Claimed, stopping: AbortSignal): Promise<number | undefined> {
    watches.get(claimed.endpointId)?.();
    watches.delete(claimed.endpointId);
    let held: Endpoint = claimed;
    let { heldUntilMs } = claimed;
    const isHeldFor = (requestMs: number) => heldUntilMs - performance.now() >= requestMs + SHORT_PAUSE_MS;
    let made: Made | undefined;
    let read = NOTHING_READ;
    for (;;) {
      const plan = await planNext(made?.endpoint ?? held, read);
      ({ read } = plan);
      const { timeoutMs } = transportOf(transports, held);
      const endpoint = { ...plan.endpoint, lockedUntil: held.lockedUntil };
      const isKnown = made === undefined && plan.events.length > 0 && isOneChoice(held) && isHeldFor(timeoutMs);
      if (isKnown) held = endpoint;
      else {
        const heldMs = plan.goesOn ? timeoutMs + LEASE_MARGIN_MS : null;
        const { attempt, setAsideType } = made ?? {};
        // Also before a batch is tried again: the endpoint may have been lost while its events were read.
        const step = { endpoint, heldMs, attempt, setAsideType, wasFailing: isFailing(held) };
        heldUntilMs = performance.now() + (heldMs ?? 0);
        const lockedUntil = await steps.run(step);
        if (lockedUntil === undefined) return leave(held);
        held = { ...endpoint, lockedUntil };
        if (lockedUntil === null) return rest(held);
        if (!isHeldFor(timeoutMs)) return leave(held);
      }
      made = plan.events.length === 0 ? undefined : await sendBatch(held, plan.events, stopping);
    }
  }

  async function planNext(endpoint: Endpoint, before: Read): Promise<Plan> {
    const now = clock();
    const isToWait = endpoint.nextAttemptAt.getTime() - now.getTime() > SHORT_PAUSE_MS;
    if (isStopping || endpoint.state !== 'Active' || isToWait)
      return { endpoint, events: [], read: NOTHING_READ, goesOn: false };
    const left = before.wanted.filter(({ number }) => number > endpoint.cursor);
    // What has come since then wakes it.
    if (left.length === 0 && before.end !== undefined)
      return { endpoint: { ...endpoint, cursor: before.end }, events: [], read: NOTHING_READ, goesOn: false };
    const isEnough = left.length >= endpoint.batchSize;
    const listed = isEnough ? left : await reads.run(endpoint);
    const { cursor, events } = chooseBatch(endpoint, listed);
    const wanted = listed.filter((event) => isWanted(endpoint, event));
    const most = endpoint.batchSize + KEPT_AHEAD;
    const isAll = listed.length < readAtOnce(endpoint) && wanted.length <= most;
    const end = isEnough ? before.end : isAll ? listed.at(-1)?.number : undefined;
    const read = { wanted: wanted.slice(0, most), end };
    const moved = { ...endpoint, cursor, batchLast: null };
    if (events.length === 0) return { endpoint: moved, events, read, goesOn: listed.length === readAtOnce(endpoint) };
    const waitMs = endpoint.batchLast === null ? transportOf(transports, endpoint).waitMs(endpoint, events, now) : 0;
    if (waitMs > 0) {
      const nextAttemptAt = new Date(now.getTime() + waitMs);
      return { endpoint: { ...moved, nextAttemptAt }, events: [], read, goesOn: false };
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

  /** This process no longer holds the endpoint, and only watches its feed: the next event has it claimed again. */
  function rest(endpoint: Endpoint): number | undefined {
    const { endpointId, tenantId, state, cursor } = endpoint;
    if (state !== 'Active') transportOf(transports, endpoint).forget(endpointId);
    if (isStopping || state !== 'Active') return undefined;
    const waitMs = endpoint.nextAttemptAt.getTime() - clock().getTime();
    if (waitMs > 0) return waitMs;
    const onEvents = (hasEvents: boolean) => hasEvents && work.poke(endpointId);
    watches.set(endpointId, feed.watch.watch(tenantId, cursor, onEvents));
    return undefined;
  }

  /** Its owner has changed it, or its lease is too short for a request: it begins again with what it is now. */
  async function leave(endpoint: Endpoint): Promise<number> {
    await releaseEndpoint(pool, endpoint);
    transportOf(transports, endpoint).forget(endpoint.endpointId);
    return 0;
  }

  return {
    start: () => work.start(),
    poke: () => work.poke(),
    stopping: work.stopping,
    stop: async () => {
      isStopping = true;
      for (const end of watches.values()) end();
      await work.stop();
      await steps.drain();
    },
  };
}

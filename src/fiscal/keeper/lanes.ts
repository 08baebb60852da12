import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { seconds } from '../../platform/clock.ts';
import { epochOf, passBarrier } from '../../platform/database/barrier.ts';
import { GroupCommit, together } from '../../platform/database/group-commit.ts';
import { FairQueue } from '../../platform/work/fair-queue.ts';
import {
  AWAY,
  isHeld,
  isTickDue,
  type Lane,
  type LaneCommand,
  type LaneEvent,
  type Moment,
  next,
  quietSeconds,
} from '../core/held-lane.ts';
import { type DeviceKey, deviceText, type ReceiptKey } from '../core/keys.ts';
import { type Lease, RENEW_EVERY_MS } from '../core/lease.ts';
import { claimLanes, releaseLeases, renewLeases, wakeHeldLanes } from '../lanes/lease-store.ts';
import { Acceptances } from '../submission/acceptances.ts';
import { type NextReceipt, type NextWanted, readNextReceipts } from '../submission/store.ts';
import type { KeeperContext, KeeperOptions } from './context.ts';
import { readSituations } from './situation-store.ts';
import { onError, takeStep } from './take-step.ts';

type Event = LaneEvent<NextReceipt>;
type Command = LaneCommand<NextReceipt>;
type Keys = readonly DeviceKey[];

/** This many receipts wait in memory, about 3 kB each; those of a lane that has more are read when their turn comes. */
const MAX_AHEAD = 5000;
const READ_AT_ONCE = 8;
const TICK_MS = 250;
const WAKE_AT_ONCE = 100;

/** Taking lanes, looking at them and waking them: what comes within a moment shares a statement. */
function shared<Item, Result>(
  name: string,
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  apartMs: number,
) {
  return new GroupCommit<Item, Result>({ name, work: together(work), maxPerBatch: 500, apartMs });
}

/** Carries out what core/held-lane.ts decides, for the lanes of all devices: statements that they share, places, and time. */
export class Lanes {
  readonly #context: KeeperContext;
  readonly #stopping: AbortSignal;
  readonly #lanes = new Map<string, { readonly key: DeviceKey; readonly lane: Lane<NextReceipt> }>();
  /** What is wanted waits for a place, by taxpayer in turn. */
  readonly #queue = new FairQueue<DeviceKey>({ total: Number.POSITIVE_INFINITY, perHolder: Number.POSITIVE_INFINITY });
  readonly #claims = shared('take lanes', (keys: Keys) => this.#claim(keys), 30);
  /** Lanes that were taken together are looked at together anyway. */
  readonly #looks = shared('read lanes', (leases: readonly Lease[]) => readSituations(this.#context, leases), 0);
  readonly #marks = shared('wake lanes', (keys: Keys) => this.#wakeHolders(keys), 30);
  readonly #reads: GroupCommit<NextWanted, NextReceipt[]>;
  readonly #underWay = new Set<Promise<void>>();
  #renewals: Lease[] = [];
  #releases: Extract<Command, { kind: 'release' }>[] = [];
  #claiming = 0;
  #held = 0;
  #working = 0;
  #ahead = 0;
  #timer: NodeJS.Timeout | undefined;
  #ticking: Promise<void> | undefined;

  constructor(options: KeeperOptions, stopping: AbortSignal) {
    const { pool, clock, log } = options;
    const poke = (keys: Keys) => this.poke(keys);
    this.#context = {
      ...options,
      acceptances: new Acceptances({ pool, clock, log, onWaiting: poke }),
      readReceipt: (key) => this.#read(key),
      quietSeconds: (key) => quietSeconds(this.get(key), seconds(clock())),
      keepQuiet: (key, seconds) => this.tell(key, { kind: 'quiet', seconds }),
      poke,
    };
    this.#stopping = stopping;
    const read = together((wanted: readonly NextWanted[]) => readConfirmed(pool, wanted));
    this.#reads = new GroupCommit({ name: 'read receipts', work: read, maxPerBatch: 200 });
  }

  get workingCount(): number {
    return this.#working;
  }

  /** No lane is being taken, worked on or given back. */
  get isAtRest(): boolean {
    return [...this.#lanes.values()].every(({ lane }) => lane.mode === 'away' || lane.mode === 'resting');
  }

  get heldCount(): number {
    return this.#held;
  }

  get freePlaces(): number {
    return this.#context.devicesAtOnce - this.#working - this.#claiming;
  }

  get(key: DeviceKey): Lane<NextReceipt> {
    return this.#lanes.get(deviceText(key))?.lane ?? AWAY;
  }

  start(): void {
    this.#timer = setInterval(() => {
      // A connection that is stuck must not keep the leases from being renewed over another.
      this.#ticking ??= Promise.race([this.#tick(), delay(RENEW_EVERY_MS, undefined, { ref: false })])
        .catch((error: unknown) => this.#context.log.warn({ err: error }, 'could not renew or release lanes'))
        .finally(() => {
          this.#ticking = undefined;
        });
    }, TICK_MS);
  }

  /** Waits for what is under way, and releases everything for other instances. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    await Promise.allSettled([this.#ticking, this.#claims.drain(), this.#marks.drain()]);
    this.tellAll({ kind: 'tick', hasRoom: false });
    await this.#release().catch(() => {});
  }

  tell(key: DeviceKey, event: Event): void {
    const before = this.get(key);
    const { lane, commands } = this.#next(before, event);
    if (lane === AWAY) this.#lanes.delete(deviceText(key));
    else if (lane !== before) this.#lanes.set(deviceText(key), { key, lane });
    this.#ahead += lane.ahead.length - before.ahead.length;
    this.#held += Number(isHeld(lane)) - Number(isHeld(before));
    this.#working += Number(lane.mode === 'working') - Number(before.mode === 'working');
    for (const command of commands) this.#carryOut(key, command);
    if (before.mode === 'working' && lane.mode !== 'working') this.#takeNext();
  }

  tellAll(event: Event): void {
    for (const { key } of this.#lanes.values()) this.tell(key, event);
  }

  poke(keys: Keys): void {
    for (const key of keys) this.tell(key, { kind: 'poked' });
  }

  sealed(key: DeviceKey, globalCounter: number, next: NextReceipt | undefined): void {
    this.tell(key, { kind: 'sealed', globalCounter, receipt: this.#ahead < MAX_AHEAD ? next : undefined });
  }

  mark(key: DeviceKey): void {
    this.#marks.run(key).catch((error: unknown) => {
      const { deviceId } = key;
      this.#context.log.warn({ err: error, deviceId }, 'could not wake the lane of a device; the next check will');
    });
  }

  /** A bug in a decision costs its own lane a pause, as one in a step does, and others nothing. */
  #next(lane: Lane<NextReceipt>, event: Event) {
    try {
      return next(lane, event, this.#now());
    } catch (error) {
      if (!isHeld(lane)) throw error;
      this.#work(lane.lease, () => Promise.reject(error));
      return { lane: { ...lane, mode: 'working' as const }, commands: [] };
    }
  }

  #now(): Moment {
    return { ms: performance.now(), seconds: seconds(this.#context.clock()), isStopping: this.#stopping.aborted };
  }

  #carryOut(key: DeviceKey, command: Command): void {
    switch (command.kind) {
      case 'want':
        this.#queue.push(key.taxpayerId, key);
        this.#takeNext();
        break;
      case 'mark':
        this.mark(key);
        break;
      case 'look':
        this.#work(command.lease, async () => ({ kind: 'looked', seen: await this.#looks.run(command.lease) }));
        break;
      case 'step':
        this.#work(command.lease, () => takeStep(this.#context, command));
        break;
      case 'renew':
        this.#renewals.push(command.lease);
        break;
      case 'release':
        this.#releases.push(command);
    }
  }

  #work(lease: Lease, work: () => Promise<Event>): void {
    const underWay = this.#workAndTell(lease, work).finally(() => this.#underWay.delete(underWay));
    this.#underWay.add(underWay);
  }

  async #workAndTell(lease: Lease, work: () => Promise<Event>): Promise<void> {
    const event = await work().catch((error: unknown) => onError(this.#context, lease, error));
    this.tell(lease, event);
    if (event.kind === 'failed') this.#context.waiters.releaseDevice(lease.deviceId);
  }

  #takeNext(): void {
    while (this.freePlaces > 0) {
      const key = this.#queue.shift();
      if (key === undefined) return;
      if (this.get(key).mode === 'wanted') void this.#take(key);
    }
  }

  async #take(key: DeviceKey): Promise<void> {
    this.#claiming += 1;
    const sinceMs = performance.now();
    const lease = await this.#claims.run(key).catch((error: unknown) => {
      const { deviceId } = key;
      this.#context.log.warn({ err: error, deviceId }, 'could not take a device immediately; the next check will');
    });
    this.#claiming -= 1;
    this.tell(key, lease ? { kind: 'taken', lease, sinceMs } : { kind: 'missed' });
    this.#takeNext();
  }

  /** What another instance holds is woken, so that its holder looks. */
  async #claim(keys: Keys): Promise<(Lease | undefined)[]> {
    const { pool, clock } = this.#context;
    const leases = new Map((await claimLanes(pool, keys, clock())).map((lease) => [lease.deviceId, lease]));
    const missed = keys.filter((key) => !leases.has(key.deviceId) && !isHeld(this.get(key)));
    if (missed.length > 0) await wakeHeldLanes(pool, missed);
    return keys.map(({ deviceId }) => leases.get(deviceId));
  }

  async #wakeHolders(keys: Keys): Promise<undefined[]> {
    await wakeHeldLanes(this.#context.pool, keys);
    return keys.map(() => undefined);
  }

  async #read(key: ReceiptKey): Promise<NextReceipt | undefined> {
    const [first, ...others] = await this.#reads.run({ ...key, count: this.#ahead < MAX_AHEAD ? READ_AT_ONCE : 1 });
    const isThere = first?.globalCounter === key.globalCounter;
    const ahead = isThere ? others.filter((one, index) => one.globalCounter === key.globalCounter + 1 + index) : [];
    this.tell(key, { kind: 'read', ahead });
    return isThere ? first : undefined;
  }

  async #tick(): Promise<void> {
    // Each takes a connection to the database for its steps: what has to wait for one could as well be a request.
    let room = this.#context.pool.waitingCount > 0 ? 0 : WAKE_AT_ONCE;
    const now = this.#now();
    for (const { key, lane } of this.#lanes.values()) {
      if (!isTickDue(lane, now)) continue;
      this.tell(key, { kind: 'tick', hasRoom: room > 0 });
      if (lane.mode === 'resting' && this.get(key).mode === 'working') room -= 1;
    }
    await Promise.all([this.#renew(), this.#release()]);
  }

  async #renew(): Promise<void> {
    const leases = this.#renewals.splice(0);
    const sinceMs = performance.now();
    if (leases.length > 0) await renewLeases(this.#context.pool, leases);
    for (const lease of leases) this.tell(lease, { kind: 'renewed', lease, sinceMs });
  }

  async #release(): Promise<void> {
    const releases = this.#releases.splice(0);
    if (releases.length === 0) return;
    let free: Keys = [];
    try {
      free = await releaseLeases(
        this.#context.pool,
        releases.map(({ lease, dueAtSeconds }) => ({ ...lease, nextStepAt: new Date(dueAtSeconds * 1000) })),
      );
    } finally {
      const texts = new Set(free.map(deviceText));
      for (const { lease } of releases) {
        this.tell(lease, { kind: 'released', lease, isFree: texts.has(deviceText(lease)) });
      }
    }
  }
}

/** Nothing is sent to the authority before the standby has it. */
async function readConfirmed(pool: Pool, wanted: readonly NextWanted[]): Promise<NextReceipt[][]> {
  const epoch = epochOf(pool);
  const found = await readNextReceipts(pool, wanted);
  await passBarrier(pool, epoch);
  return found;
}

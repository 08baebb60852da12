import { setTimeout as delay } from 'node:timers/promises';
import { GroupCommit, together } from '../../platform/database/group-commit.ts';
import { FairQueue } from '../../platform/work/fair-queue.ts';
import { type DeviceKey, deviceText } from '../core/keys.ts';
import {
  claimDueLanes,
  claimLanes,
  findWoken,
  type Lease,
  noticeWoken,
  type Portion,
  wakeHeldLanes,
} from '../lanes/lease-store.ts';
import { resumeAfterOutage } from '../lanes/store.ts';
import { Acceptances } from '../submission/acceptances.ts';
import type { NextReceipt } from '../submission/store.ts';
import type { Lanes, Queued } from '../submission/submit-receipt.ts';
import type { KeeperContext } from './context.ts';
import { duePortion } from './due-portion.ts';
import { HeldLanes } from './held-lanes.ts';
import { ReceiptsAhead } from './receipts-ahead.ts';
import { readSituations } from './situation-store.ts';

/** How often the tables are asked for lanes that are due, and for those held here that were woken elsewhere. */
const LOOK_FOR_DUE_MS = 1000;
const LOOK_FOR_WOKEN_MS = 100;
const PORTION_PAUSE_MS = 250;
/** Twice as many as shake hands at a time. */
const MAX_CONNECTING = 64;
const PER_STATEMENT = 500;
/** Taking a lane and looking at it: what comes within this time shares a statement. */
const APART_MS = 30;

type Given = Omit<KeeperContext, 'stopping' | 'poke' | 'look' | 'acceptances' | 'ahead'>;

export interface KeeperOptions extends Given {
  /** How many devices may talk to the authority at once. */
  readonly devicesAtOnce: number;
}

/**
 * Keeps every device going with the authority: one actor per device over all instances. Any instance takes what is due; the
 * one that sealed a receipt takes its device at once, and keeps it for a while after its last receipt.
 */
export class Keeper implements Lanes {
  readonly #context: KeeperContext;
  readonly #held: HeldLanes;
  readonly #claims: GroupCommit<DeviceKey, Lease | undefined>;
  readonly #marks: GroupCommit<DeviceKey, undefined>;
  /** Lanes that are being taken, or wait for a place: by taxpayer in turn. Their newest receipt, as far as it was sealed here. */
  readonly #wanted = new Map<string, number>();
  readonly #queue = new FairQueue<DeviceKey>({ total: Number.POSITIVE_INFINITY, perHolder: Number.POSITIVE_INFINITY });
  readonly #devicesAtOnce: number;
  #claiming = 0;
  /** False on an instance that only seals: another one talks to the authority. */
  #isKeeping = false;
  #used = performance.eventLoopUtilization();
  readonly #stopping = new AbortController();
  #loops: Promise<unknown> = Promise.resolve();
  #stopListening = () => {};

  constructor({ devicesAtOnce, ...given }: KeeperOptions) {
    const { pool, clock, log } = given;
    const poke = (lanes: readonly DeviceKey[]) => {
      for (const { taxpayerId, deviceId } of lanes) this.poke(taxpayerId, deviceId);
    };
    const looks = new GroupCommit({
      name: 'read lanes',
      work: together((lanes: readonly DeviceKey[]) => readSituations(given, lanes)),
      maxPerBatch: PER_STATEMENT,
      apartMs: APART_MS,
    });
    this.#context = {
      ...given,
      stopping: this.#stopping.signal,
      poke,
      look: (lane) => looks.run(lane),
      acceptances: new Acceptances({ pool, clock, log, onWaiting: poke }),
      ahead: new ReceiptsAhead(pool),
    };
    this.#devicesAtOnce = devicesAtOnce;
    this.#held = new HeldLanes(this.#context, () => this.#takeNext());
    this.#claims = new GroupCommit({
      name: 'take lanes',
      work: together((keys: readonly DeviceKey[]) => this.#claim(keys)),
      maxPerBatch: PER_STATEMENT,
      apartMs: APART_MS,
    });
    this.#marks = new GroupCommit({
      name: 'wake lanes',
      work: together(async (keys: readonly DeviceKey[]) => {
        await wakeHeldLanes(pool, keys);
        return keys.map(() => undefined);
      }),
      maxPerBatch: PER_STATEMENT,
      apartMs: APART_MS,
    });
  }

  get activeCount(): number {
    return this.#held.runningCount;
  }

  start(): void {
    this.#isKeeping = true;
    const { breaker, waiters, pool, log } = this.#context;
    this.#stopListening = breaker.onChange(() => {
      if (breaker.state === 'closed') {
        log.info({}, 'the authority answers again');
        this.#held.forgetPauses();
        resumeAfterOutage(pool)
          .then(() => this.#takeDue())
          .catch((error: unknown) => log.warn({ err: error }, 'could not resume after an outage'));
      } else {
        log.warn({ reason: breaker.reason }, 'the authority does not answer: sealing continues, submissions wait');
        waiters.releaseAll();
      }
    });
    this.#loops = Promise.all([
      this.#repeat(() => this.#takeDue(), LOOK_FOR_DUE_MS),
      this.#repeat(() => this.#noticeWoken(), LOOK_FOR_WOKEN_MS),
    ]);
    this.#held.start();
    this.#context.evidence.start();
  }

  /** The device is to look at the tables now: something in them is new, or another time has come. */
  poke(taxpayerId: string, deviceId: number): void {
    if (this.#isKeeping && !this.#held.poke({ taxpayerId, deviceId })) this.#want({ taxpayerId, deviceId }, 0);
  }

  sealed(taxpayerId: string, deviceId: number, globalCounter: number, next: NextReceipt | undefined): void {
    const key = { taxpayerId, deviceId };
    // Whoever else holds the lane, perhaps since it was paused here, is to look at it.
    if (!this.#isKeeping || this.#held.isPaused(key)) {
      this.#marks.run(key).catch((error: unknown) => {
        this.#context.log.warn({ err: error, deviceId }, 'could not wake the lane of a device; the next check will');
      });
      return;
    }
    if (next !== undefined) this.#context.ahead.add(key, next);
    if (!this.#held.sealed(key, globalCounter)) this.#want(key, globalCounter);
  }

  queuedBefore(taxpayerId: string, deviceId: number, globalCounter: number): Queued | undefined {
    const lane = this.#held.get({ taxpayerId, deviceId });
    if (lane !== undefined) return lane.queuedBefore(globalCounter);
    return this.#wanted.has(deviceText({ taxpayerId, deviceId })) ? 'being taken' : undefined;
  }

  async stop(): Promise<void> {
    this.#stopListening();
    this.#stopping.abort();
    this.#context.gateway.stopConnecting();
    await Promise.all([this.#loops, this.#marks.drain()]);
    await this.#held.stop();
    await this.#context.evidence.stop();
  }

  #want(key: DeviceKey, globalCounter: number): void {
    if (this.#stopping.signal.aborted) return; // a lane taken now would be held for nothing
    const name = deviceText(key);
    const wanted = this.#wanted.get(name);
    this.#wanted.set(name, Math.max(wanted ?? 0, globalCounter));
    if (wanted !== undefined) return;
    this.#queue.push(key.taxpayerId, key);
    this.#takeNext();
  }

  get #freePlaces(): number {
    return this.#devicesAtOnce - this.#held.runningCount - this.#claiming;
  }

  #takeNext(): void {
    while (this.#freePlaces > 0) {
      const key = this.#queue.shift();
      if (key === undefined) return;
      this.#claiming += 1;
      void this.#take(key);
    }
  }

  async #take(key: DeviceKey): Promise<void> {
    const name = deviceText(key);
    let lease: Lease | undefined;
    const sinceMs = performance.now();
    try {
      lease = await this.#claims.run(key);
    } catch (error) {
      const { deviceId } = key;
      this.#context.log.warn({ err: error, deviceId }, 'could not take a device immediately; the next check will');
    }
    this.#claiming -= 1;
    const globalCounter = this.#wanted.get(name) ?? 0;
    this.#wanted.delete(name);
    if (lease) this.#held.add(lease, globalCounter, sinceMs);
    // The look-out was faster: it may have seen the lane before the news was there.
    else if (!this.#held.poke(key)) this.#context.ahead.forget(key);
  }

  /** What another instance holds is woken, so that its holder looks. */
  async #claim(keys: readonly DeviceKey[]): Promise<(Lease | undefined)[]> {
    const { pool, clock } = this.#context;
    const leases = new Map((await claimLanes(pool, keys, clock())).map((lease) => [lease.deviceId, lease]));
    const missed = keys.filter((key) => !leases.has(key.deviceId) && this.#held.get(key) === undefined);
    if (missed.length > 0) await wakeHeldLanes(pool, missed);
    return keys.map(({ deviceId }) => leases.get(deviceId));
  }

  async #takeDue(): Promise<void> {
    const { pool, gateway, clock, stopping: signal } = this.#context;
    while (!signal.aborted) {
      const portion = this.#portion();
      if (portion.others === 0) return;
      // More would only wait for their turn to connect, and pass for devices that the authority does not answer.
      if (gateway.waiting() <= MAX_CONNECTING) {
        const sinceMs = performance.now();
        const leases = await claimDueLanes(pool, clock(), portion);
        for (const lease of leases) this.#held.add(lease, 0, sinceMs);
        const selling = leases.filter(({ hasReceipts }) => hasReceipts).length;
        // Under load some lanes with receipts are always on their way to be taken: no reason to look again at once.
        if (selling < portion.withReceipts && leases.length - selling < portion.others) return;
      }
      await delay(PORTION_PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }

  #portion(): Portion {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#used);
    this.#used = now;
    return duePortion({ utilization, waiting: this.#context.pool.waitingCount, freePlaces: this.#freePlaces });
  }

  async #noticeWoken(): Promise<void> {
    const { pool } = this.#context;
    const woken = this.#held.size === 0 ? [] : await findWoken(pool);
    const own = woken.filter((lease) => this.#held.get(lease)?.lease.fencingToken === lease.fencingToken);
    if (own.length > 0) {
      await noticeWoken(pool, own);
      for (const lease of own) this.#held.poke(lease);
    }
  }

  async #repeat(look: () => Promise<void>, everyMs: number): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await look().catch((error: unknown) => this.#context.log.warn({ err: error }, 'could not look for due work'));
      await delay(everyMs, undefined, { signal }).catch(() => {});
    }
  }
}

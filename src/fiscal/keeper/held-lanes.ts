import { setTimeout as delay } from 'node:timers/promises';
import { seconds } from '../../platform/clock.ts';
import { type DeviceKey, deviceText } from '../core/keys.ts';
import {
  LEASE_MS,
  type Lease,
  LONGEST_REST_SECONDS,
  RENEW_EVERY_MS,
  releaseLeases,
  renewLeases,
} from '../lanes/lease-store.ts';
import type { KeeperContext } from './context.ts';
import { HeldLane } from './held-lane.ts';
import { runDevice, type TurnEnd } from './run-device.ts';

const TICK_MS = 250;
const WAKE_AT_ONCE = 100;
/** A lane at rest is not renewed but released, in good time before its lease ends. */
const KEEP_MS = LEASE_MS - RENEW_EVERY_MS;

/**
 * The lanes that this instance holds: at work, or kept for a while after their last receipt, so that a shop that sells every second
 * does not have its lane taken and released each time. All their leases are renewed by one statement, and released by one.
 */
export class HeldLanes {
  readonly #context: KeeperContext;
  readonly #onRest: () => void;
  readonly #lanes = new Map<string, HeldLane>();
  readonly #running = new Set<Promise<void>>();
  /** Lanes that pause after a failure: until when nothing sealed here has to try them. */
  readonly #pausedUntil = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #ticking: Promise<void> | undefined;

  constructor(context: KeeperContext, onRest: () => void) {
    this.#context = context;
    this.#onRest = onRest;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  get size(): number {
    return this.#lanes.size;
  }

  get(key: DeviceKey): HeldLane | undefined {
    return this.#lanes.get(deviceText(key));
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

  /** Takes nothing new, waits for what is under way, and releases everything for other instances. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled(this.#running);
    await this.#ticking;
    await this.#release([...this.#lanes.values()]).catch(() => {});
  }

  /** Its lease was asked for at `sinceMs`. */
  add(lease: Lease, sealedThrough: number, sinceMs: number): void {
    if (this.get(lease)?.state === 'runs') {
      // Our own lease ran out with a call under way. A second call must not begin beside it: the first ends before this is due again.
      releaseLeases(this.#context.pool, [{ ...lease, nextStepAt: this.#context.clock() }]).catch(() => {});
      return;
    }
    const lane = new HeldLane(lease, sinceMs);
    lane.sealed(sealedThrough);
    this.#lanes.set(deviceText(lease), lane);
    this.#pausedUntil.delete(deviceText(lease));
    this.#run(lane);
  }

  /** It is to look at the tables. False when it is not held here. */
  poke(key: DeviceKey): boolean {
    this.#pausedUntil.delete(deviceText(key));
    const lane = this.get(key);
    lane?.poke();
    return lane !== undefined && this.#wake(lane);
  }

  sealed(key: DeviceKey, globalCounter: number): boolean {
    const lane = this.get(key);
    lane?.sealed(globalCounter);
    return lane !== undefined && this.#wake(lane);
  }

  isPaused(key: DeviceKey): boolean {
    const remaining = (this.#pausedUntil.get(deviceText(key)) ?? 0) - seconds(this.#context.clock());
    return remaining > 0 && remaining <= LONGEST_REST_SECONDS;
  }

  /** What they waited for is over. */
  forgetPauses(): void {
    this.#pausedUntil.clear();
  }

  #wake(lane: HeldLane): true {
    if (lane.state === 'rests') this.#run(lane);
    return true;
  }

  #run(lane: HeldLane): void {
    if (this.#context.stopping.aborted) {
      // Released as what is due at once.
      lane.dueAtSeconds = seconds(this.#context.clock());
      return;
    }
    if (this.get(lane.lease) !== lane || performance.now() - lane.renewedAtMs >= LEASE_MS) {
      // A statement took longer than the lease. The device may be at work under another one: two calls of it must not be under way.
      this.#drop(lane);
      const { pool, clock, poke } = this.#context;
      releaseLeases(pool, [{ ...lane.lease, nextStepAt: clock() }])
        .catch(() => {})
        .finally(() => poke([lane.lease]));
      return;
    }
    lane.state = 'runs';
    const run = this.#turn(lane).finally(() => {
      this.#running.delete(run);
      this.#onRest();
    });
    this.#running.add(run);
  }

  async #turn(lane: HeldLane): Promise<void> {
    const { lease } = lane;
    let end: TurnEnd;
    do end = await runDevice(this.#context, lane);
    while (end.kind === 'idle' && lane.hasNews && !this.#context.stopping.aborted);
    lane.state = 'rests';
    if (end.kind === 'idle') lane.dueAtSeconds = end.untilSeconds;
    else {
      this.#drop(lane);
      this.#context.waiters.releaseDevice(lease.deviceId);
      if (end.kind === 'pause') this.#pausedUntil.set(deviceText(lease), seconds(this.#context.clock()) + end.seconds);
      if (lane.isPoked) this.#context.poke([lease]);
    }
  }

  async #tick(): Promise<void> {
    const nowMs = performance.now();
    const nowSeconds = seconds(this.#context.clock());
    const running: HeldLane[] = [];
    const kept: HeldLane[] = [];
    // Each takes a connection to the database for its steps: what has to wait for one could as well be a request.
    let room = this.#context.pool.waitingCount > 0 ? 0 : WAKE_AT_ONCE;
    for (const lane of this.#lanes.values()) {
      const ageMs = nowMs - lane.renewedAtMs;
      if (lane.state === 'runs') {
        if (ageMs >= RENEW_EVERY_MS) running.push(lane);
      } else if (ageMs >= LEASE_MS) this.#drop(lane);
      else if (nowSeconds >= lane.dueAtSeconds && room > 0) {
        room -= 1;
        this.poke(lane.lease);
      } else if (ageMs >= KEEP_MS) kept.push(lane);
    }
    if (running.length > 0) {
      await renewLeases(
        this.#context.pool,
        running.map(({ lease }) => lease),
      );
      for (const lane of running) lane.renewedAtMs = nowMs;
    }
    await this.#release(kept);
  }

  async #release(lanes: readonly HeldLane[]): Promise<void> {
    const resting = lanes.filter(({ state }) => state === 'rests');
    if (resting.length === 0) return;
    for (const lane of resting) lane.state = 'is released';
    let free: readonly DeviceKey[] = [];
    try {
      const released = resting.map(({ lease, dueAtSeconds }) => ({
        ...lease,
        nextStepAt: new Date(dueAtSeconds * 1000),
      }));
      free = await releaseLeases(this.#context.pool, released);
    } finally {
      const names = new Set(free.map(deviceText));
      for (const lane of resting) this.#released(lane, names.has(deviceText(lane.lease)));
    }
  }

  #released(lane: HeldLane, isFree: boolean): void {
    lane.state = 'rests';
    if (isFree) this.#drop(lane);
    if (!lane.hasNews) return;
    if (isFree) this.#context.poke([lane.lease]);
    else this.#run(lane);
  }

  #drop(lane: HeldLane): void {
    if (this.get(lane.lease) !== lane) return;
    this.#lanes.delete(deviceText(lane.lease));
    this.#context.ahead.forget(lane.lease);
  }
}

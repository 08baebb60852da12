import { setTimeout as delay } from 'node:timers/promises';
import { isOf, queuedBefore } from '../core/held-lane.ts';
import type { DeviceKey } from '../core/keys.ts';
import { claimDueLanes, findWoken, type Portion } from '../lanes/lease-store.ts';
import { resumeAfterOutage } from '../lanes/store.ts';
import type { NextReceipt } from '../submission/store.ts';
import type { Queued, SubmissionLanes } from '../submission/submit-receipt.ts';
import type { KeeperOptions } from './context.ts';
import { duePortion } from './due-portion.ts';
import { Lanes } from './lanes.ts';

/** How often the tables are asked for lanes that are due, and for those held here that were woken elsewhere. */
const LOOK_FOR_DUE_MS = 1000;
const LOOK_FOR_WOKEN_MS = 100;
const PORTION_PAUSE_MS = 250;
/** Twice as many as shake hands at a time. */
const MAX_CONNECTING = 64;

/**
 * Keeps every device going with the authority: one actor per device over all instances. Any instance takes what is due; the
 * one that sealed a receipt takes its device at once, and keeps it for a while after its last receipt.
 */
export class Keeper implements SubmissionLanes {
  readonly #options: KeeperOptions;
  readonly #lanes: Lanes;
  /** False on an instance that only seals: another one talks to the authority. */
  #isKeeping = false;
  #used = performance.eventLoopUtilization();
  readonly #stopping = new AbortController();
  #loops: Promise<unknown> = Promise.resolve();
  #stopListening = () => {};

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#lanes = new Lanes(options, this.#stopping.signal);
  }

  get activeCount(): number {
    return this.#lanes.workingCount;
  }

  get isAtRest(): boolean {
    return this.#lanes.isAtRest;
  }

  start(): void {
    this.#isKeeping = true;
    const { breaker, waiters, pool, log } = this.#options;
    this.#stopListening = breaker.onChange(() => {
      if (breaker.state === 'closed') {
        log.info({}, 'the authority answers again');
        this.#lanes.tellAll({ kind: 'resumed' });
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
      this.#repeat(() => this.#pokeWoken(), LOOK_FOR_WOKEN_MS),
    ]);
    this.#lanes.start();
    this.#options.evidence.start();
  }

  /** The device is to look at the tables now: something in them is new, or another time has come. */
  poke(key: DeviceKey): void {
    if (this.#isKeeping) this.#lanes.poke([key]);
  }

  sealed(key: DeviceKey, globalCounter: number, next: NextReceipt | undefined): void {
    if (this.#isKeeping) this.#lanes.sealed(key, globalCounter, next);
    else this.#lanes.mark(key);
  }

  queuedBefore(key: DeviceKey, globalCounter: number): Queued | undefined {
    return queuedBefore(this.#lanes.get(key), globalCounter);
  }

  async stop(): Promise<void> {
    this.#stopListening();
    this.#stopping.abort();
    this.#options.gateway.stopConnecting();
    await this.#loops;
    await this.#lanes.stop();
    await this.#options.evidence.stop();
  }

  async #takeDue(): Promise<void> {
    const { pool, gateway, clock } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const portion = this.#portion();
      if (portion.others === 0) return;
      // More would only wait for their turn to connect, and pass for devices that the authority does not answer.
      if (gateway.waiting() <= MAX_CONNECTING) {
        const sinceMs = performance.now();
        const leases = await claimDueLanes(pool, clock(), portion);
        for (const lease of leases) this.#lanes.tell(lease, { kind: 'taken', lease, sinceMs });
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
    return duePortion({ utilization, waiting: this.#options.pool.waitingCount, freePlaces: this.#lanes.freePlaces });
  }

  async #pokeWoken(): Promise<void> {
    const woken = this.#lanes.heldCount === 0 ? [] : await findWoken(this.#options.pool);
    this.#lanes.poke(woken.filter((fence) => isOf(this.#lanes.get(fence), fence)));
  }

  async #repeat(look: () => Promise<void>, everyMs: number): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await look().catch((error: unknown) => this.#options.log.warn({ err: error }, 'could not look for due work'));
      await delay(everyMs, undefined, { signal }).catch(() => {});
    }
  }
}

import type { Log } from '../logging/log.ts';
import { DueWork } from './due.ts';

/**
 * A receiver that does not answer holds a place for the length of the time-out and costs nothing but a socket; none holds more than
 * one. While fewer than this hang at the same moment, nobody else waits for them.
 */
const CONCURRENCY = 1000;
/** At a time: everyone else uses the same database connections. */
const CLAIM_AT_ONCE = 50;
const POLL_MS = 1000;
/** Receivers that wake within a moment are claimed together: a claim writes, and takes the machine from sealing. */
const GATHER_MS = 25;
/** What is due later than this is found by the poll, a moment late. */
const MAX_TIMER_MS = 60_000;
/** A stop must end in seconds. What a receiver has not answered by then is cut off, and is sent again. */
const STOP_PATIENCE_MS = 2000;

export interface DeliveryWorkOptions<Item> {
  /** Claims up to `most` that are due, one of each receiver; only of these receivers where they are named. */
  readonly claim: (most: number, receivers: readonly string[] | undefined) => Promise<readonly Item[]>;
  /** Sends one and writes down what became of it. In how many milliseconds there will be more to do, where that is known. */
  readonly run: (item: Item, stopping: AbortSignal) => Promise<number | undefined>;
  /** Where `claim` can look for one receiver alone. */
  readonly receiverOf?: (item: Item) => string;
  readonly log: Log;
}

/** Sends what is due to the addresses of others. What is sent, and what becomes of it, is up to its policy. */
export class DeliveryWork<Item> {
  readonly #work: DueWork<Item>;
  readonly #claim: DeliveryWorkOptions<Item>['claim'];
  readonly #stopping = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Receivers for whom something is known to be due. All of them are looked through once in a while, which costs more. */
  readonly #woken = new Set<string>();
  #nextLookMs = 0;

  constructor({ claim, run, receiverOf, log }: DeliveryWorkOptions<Item>) {
    this.#claim = claim;
    this.#work = new DueWork<Item>({
      claim: (free) => this.#claimDue(Math.min(free, CLAIM_AT_ONCE)),
      run: async (item) => {
        const nextMs = await run(item, this.#stopping.signal);
        if (nextMs !== undefined) this.pokeAfter(nextMs, receiverOf?.(item));
      },
      concurrency: CONCURRENCY,
      pollMs: POLL_MS,
      log,
    });
  }

  /** What is sent by hand ends with it, too. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    this.#work.start();
  }

  /** Something may be due sooner than it is looked for: for this receiver, where that is known. */
  poke(receiver?: string): void {
    if (receiver !== undefined) {
      this.#woken.add(receiver);
      if (this.#woken.size === 1) setTimeout(() => this.#work.poke(), GATHER_MS).unref();
      return;
    }
    this.#nextLookMs = 0;
    this.#work.poke();
  }

  pokeAfter(delayMs: number, receiver?: string): void {
    if (delayMs > MAX_TIMER_MS) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.poke(receiver);
    }, delayMs);
    this.#timers.add(timer.unref());
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    setTimeout(() => this.#stopping.abort(), STOP_PATIENCE_MS).unref();
    await this.#work.stop();
  }

  async #claimDue(most: number): Promise<readonly Item[]> {
    const nowMs = performance.now();
    if (nowMs < this.#nextLookMs) {
      const receivers = [...this.#woken].slice(0, most);
      for (const receiver of receivers) this.#woken.delete(receiver);
      if (this.#woken.size > 0) this.#work.poke();
      return receivers.length === 0 ? [] : this.#claim(most, receivers);
    }
    this.#nextLookMs = nowMs + POLL_MS;
    this.#woken.clear();
    const claimed = await this.#claim(most, undefined);
    if (claimed.length === most) this.poke();
    return claimed;
  }
}

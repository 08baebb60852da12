import type { Log } from '../logging/log.ts';
import { DueWork } from './due.ts';

/**
 * A receiver that does not answer holds a place for the length of the time-out and costs nothing but a socket; none holds more than
 * one. So many may hang at the same moment before another one has to wait.
 */
const CONCURRENCY = 1000;
/** At a time: everyone else uses the same database connections. */
const CLAIM_AT_ONCE = 50;
const POLL_MS = 1000;
/** What is due later than this is found by the poll, a moment late. */
const MAX_TIMER_MS = 60_000;
/** A stop must end in seconds. What a receiver has not answered by then is cut off, and is sent again. */
const STOP_PATIENCE_MS = 2000;

export interface DeliveryWorkOptions<Item> {
  /** Claims up to `most` that are due, one of each receiver. */
  readonly claim: (most: number) => Promise<readonly Item[]>;
  /** Sends one and writes down what became of it. In how many milliseconds there will be more to do, where that is known. */
  readonly run: (item: Item, stopping: AbortSignal) => Promise<number | undefined>;
  readonly log: Log;
}

/** Sends what is due to the addresses of others. What is sent, and what becomes of it, is up to its policy. */
export class DeliveryWork<Item> {
  readonly #work: DueWork<Item>;
  readonly #stopping = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor({ claim, run, log }: DeliveryWorkOptions<Item>) {
    this.#work = new DueWork<Item>({
      claim: async (free) => {
        const most = Math.min(free, CLAIM_AT_ONCE);
        const claimed = await claim(most);
        if (claimed.length === most) this.poke();
        return claimed;
      },
      run: async (item) => {
        const nextMs = await run(item, this.#stopping.signal);
        if (nextMs !== undefined) this.pokeAfter(nextMs);
      },
      concurrency: CONCURRENCY,
      pollMs: POLL_MS,
      log,
    });
  }

  start(): void {
    this.#work.start();
  }

  /** Something may be due sooner than it is looked for. */
  poke(): void {
    this.#work.poke();
  }

  pokeAfter(delayMs: number): void {
    if (delayMs > MAX_TIMER_MS) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.poke();
    }, delayMs);
    this.#timers.add(timer.unref());
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    const patience = setTimeout(() => this.#stopping.abort(), STOP_PATIENCE_MS);
    await this.#work.stop();
    clearTimeout(patience);
  }
}

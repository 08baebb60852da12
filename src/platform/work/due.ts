import { CommitsWaitError } from '../database/writing.ts';
import type { Log } from '../logging/log.ts';

/**
 * In SQL: whether somebody holds a row, for no longer than `lease`. A time further ahead was written while a clock was wrong, by hours
 * perhaps, and its holder may be gone: nothing waits for that. Twice as far, so that a clock that is corrected by a moment
 * takes no row from its holder.
 */
export function isLeased(lockedUntil: string, now: string, lease: string): string {
  return `(${lockedUntil} > ${now} and ${lockedUntil} <= ${now} + 2 * ${lease}) is true`;
}

export interface DueWorkOptions<Item> {
  /** Claims up to `most` due items in the database, so that no other instance takes them too. */
  readonly claim: (most: number) => Promise<readonly Item[]>;
  /** Does one. Whatever becomes of it is written to its row: a throw is only logged. */
  readonly run: (item: Item) => Promise<void>;
  readonly concurrency: number;
  readonly pollMs: number;
  readonly log: Log;
}

/**
 * Work that is due is state in its own row; this only finds it. Polls, is poked when something new is known to be due, and
 * never lets one slow item hold up another as long as places are free.
 */
export class DueWork<Item> {
  readonly #options: DueWorkOptions<Item>;
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;
  #isPoked = false;
  #wake: (() => void) | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: DueWorkOptions<Item>) {
    this.#options = options;
  }

  get activeCount(): number {
    return this.#running.size;
  }

  start(): void {
    this.#loop ??= this.#work();
  }

  /** Something new may be due: look now. */
  poke(): void {
    this.#isPoked = true;
    this.#wake?.();
  }

  /** Takes nothing new and waits for what is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake?.();
    await this.#loop;
    await Promise.allSettled(this.#running);
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      const free = this.#options.concurrency - this.#running.size;
      let claimed = 0;
      this.#isPoked = false;
      if (free > 0) {
        try {
          const items = await this.#options.claim(free);
          claimed = items.length;
          for (const item of items) this.#begin(item);
        } catch (error) {
          if (!isResting(error)) this.#options.log.warn({ err: error }, 'could not look for due work');
        }
      }
      if (claimed < free || free <= 0) await this.#pause();
    }
  }

  #begin(item: Item): void {
    const run = this.#options
      .run(item)
      .catch((error: unknown) => {
        if (!isResting(error)) this.#options.log.error({ err: error }, 'due work failed');
      })
      .finally(() => {
        this.#running.delete(run);
        if (this.#running.size === this.#options.concurrency - 1) this.poke();
      });
    this.#running.add(run);
  }

  async #pause(): Promise<void> {
    if (this.#isPoked || this.#isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.pollMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

/** While commits wait for a standby nothing is due: people are told of that, not of everything that rests. */
export function isResting(error: unknown): boolean {
  return error instanceof CommitsWaitError;
}

/** Does it again and again, each time after a pause. */
export function regularly(pauseMs: number, work: () => Promise<unknown>, log: Log): DueWork<never> {
  const claim = async () => {
    await work();
    return [];
  };
  return new DueWork<never>({ claim, run: async () => {}, concurrency: 1, pollMs: pauseMs, log });
}

import { RateLimiter } from '../../platform/http/rate-limit.ts';
import { recentlyUsed } from '../../platform/recently-used.ts';

/** Wrong passwords per second, for all browsers together in which nobody has logged in before: about a twentieth of a core. */
const PER_SECOND = 1;
const AT_ONCE = 5;
/** Nobody waits longer than 8 s, as long as a check takes less than a second. */
const MAX_WAITING = 8;

interface Waiting {
  readonly network: string;
  /** For which its network had not asked. */
  readonly restedMs: number;
  readonly settle: (mayTry: boolean) => void;
}

/**
 * Who may have a password looked at, before anything is asked. Strangers take turns by network, one at a time: first the
 * network that had rested for the longest time. So one that tries again and again, or sixty that do, do not keep out another.
 */
export class Turns {
  readonly #pace: RateLimiter;
  readonly #lastAsks = recentlyUsed<number>(50_000);
  /** In order of arrival. */
  readonly #waiting: Waiting[] = [];
  #isTaken = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(perSecond = PER_SECOND) {
    this.#pace = new RateLimiter(perSecond, AT_ONCE);
  }

  /** Undefined, and nothing was done, when too many are waiting for its turn to come soon. */
  async run<Outcome>(network: string, work: () => Promise<Outcome>): Promise<Outcome | undefined> {
    const { promise: mayTry, resolve: settle } = Promise.withResolvers<boolean>();
    const nowMs = performance.now();
    this.#waiting.push({ network, settle, restedMs: nowMs - (this.#lastAsks.get(network) ?? Number.MIN_SAFE_INTEGER) });
    this.#lastAsks.set(network, nowMs);
    this.#goOn();
    if (this.#waiting.length > MAX_WAITING) this.#remove(this.#inOrder().at(-1))?.settle(false);
    if (!(await mayTry)) return undefined;
    try {
      return await work();
    } finally {
      this.#isTaken = false;
      this.#goOn();
    }
  }

  /** The password was right: only wrong ones are counted. */
  giveBack(): void {
    this.#pace.giveBack('strangers');
  }

  #goOn(): void {
    if (this.#waiting.length === 0 || this.#isTaken || this.#timer !== undefined) return;
    const seconds = this.#pace.take('strangers', performance.now());
    if (seconds !== undefined) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#goOn();
      }, seconds * 1000);
      return;
    }
    const next = this.#remove(this.#inOrder()[0]);
    if (next === undefined) return;
    this.#isTaken = true;
    next.settle(true);
  }

  /** The first of every network, then the second of every network, and so on. */
  #inOrder(): Waiting[] {
    const seen = new Map<string, number>();
    const ranked = this.#waiting.map((waiting) => {
      const nth = seen.get(waiting.network) ?? 0;
      seen.set(waiting.network, nth + 1);
      return { waiting, nth };
    });
    return ranked
      .toSorted((a, b) => a.nth - b.nth || b.waiting.restedMs - a.waiting.restedMs)
      .map(({ waiting }) => waiting);
  }

  #remove(waiting: Waiting | undefined): Waiting | undefined {
    return waiting && this.#waiting.splice(this.#waiting.indexOf(waiting), 1)[0];
  }
}

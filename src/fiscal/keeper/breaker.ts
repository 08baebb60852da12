/**
 * Whether the authority can be reached, as this process sees it. After failures in a row it opens: nobody waits for an
 * authority that is known to be down. From time to time one call is let through to find out whether it is back.
 */
export class Breaker {
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #failures = 0;
  #openedAtMs: number | undefined;
  #probeAtMs = 0;
  #reason = '';

  /** `now` in milliseconds of a clock that only goes forward. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get state(): 'closed' | 'open' | 'half-open' {
    if (this.#openedAtMs === undefined) return 'closed';
    return this.#now() >= this.#probeAtMs ? 'half-open' : 'open';
  }

  get reason(): string {
    return this.#reason;
  }

  /** Whether a call may be made now. In the half-open state the first who asks probes; the others wait for the outcome. */
  mayCall(): boolean {
    if (this.#openedAtMs === undefined) return true;
    if (this.#now() < this.#probeAtMs) return false;
    this.#probeAtMs = this.#now() + PROBE_PATIENCE_MS;
    return true;
  }

  succeeded(): void {
    const wasOpen = this.#openedAtMs !== undefined;
    this.#failures = 0;
    this.#openedAtMs = undefined;
    if (wasOpen) for (const listener of this.#listeners) listener();
  }

  failed(reason: string): void {
    this.#failures += 1;
    this.#reason = reason;
    if (this.#failures < FAILURES_TO_OPEN) return;
    const isNew = this.#openedAtMs === undefined;
    this.#openedAtMs ??= this.#now();
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(10, this.#failures - FAILURES_TO_OPEN));
    this.#probeAtMs = this.#now() + waitMs * (0.75 + Math.random() / 2);
    if (isNew) for (const listener of this.#listeners) listener();
  }

  /** Known to be down without counting: a call has been waiting for longer than anybody should. */
  trip(reason: string): void {
    this.#failures = Math.max(this.#failures, FAILURES_TO_OPEN - 1);
    this.failed(reason);
  }

  /** Called when it opens and when it closes. Returns how to stop listening. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const FAILURES_TO_OPEN = 3;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
const PROBE_PATIENCE_MS = 35_000;

/**
 * Whether the authority can be reached, as this process sees it. After failures in a row it opens: nothing waits for an
 * authority that is known to be down. From time to time one call is let through to find out whether it is back.
 *
 * One device that fails alone while another was answered a moment ago has its own problem, and does not open it.
 */
export class Breaker {
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  /** Since the last answer to any device: how many, and of which devices. */
  #failures = 0;
  readonly #failing = new Set<number>();
  #lastAnswered: Answered | undefined;
  #lastAnsweredOther: Answered | undefined;
  #openedAtMs: number | undefined;
  #failedProbes = 0;
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

  succeeded(deviceId: number): void {
    const wasOpen = this.#openedAtMs !== undefined;
    this.#failures = 0;
    this.#failing.clear();
    if (this.#lastAnswered?.deviceId !== deviceId) this.#lastAnsweredOther = this.#lastAnswered;
    this.#lastAnswered = { deviceId, atMs: this.#now() };
    this.#openedAtMs = undefined;
    if (wasOpen) this.#tell();
  }

  failed(deviceId: number, reason: string): void {
    this.#failures += 1;
    this.#failing.add(deviceId);
    this.#reason = reason;
    if (this.#openedAtMs === undefined) {
      if (this.#failures < FAILURES_TO_OPEN || this.#failsAlone(deviceId)) return;
      this.#openedAtMs = this.#now();
      this.#failedProbes = 0;
      this.#postponeProbe();
      this.#tell();
    } else {
      this.#failedProbes += 1;
      this.#postponeProbe();
    }
  }

  /** Known to be down without counting: a call has been waiting for too long. */
  trip(deviceId: number, reason: string): void {
    this.#failures = Math.max(this.#failures, FAILURES_TO_OPEN - 1);
    this.failed(deviceId, reason);
  }

  #failsAlone(deviceId: number): boolean {
    const isOwn = this.#lastAnswered?.deviceId === deviceId;
    const other = isOwn ? this.#lastAnsweredOther : this.#lastAnswered;
    return this.#failing.size === 1 && other !== undefined && this.#now() - other.atMs <= LATELY_MS;
  }

  #postponeProbe(): void {
    const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(10, this.#failedProbes));
    this.#probeAtMs = this.#now() + waitMs * (0.75 + Math.random() / 2);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Called when it opens and when it closes. Returns how to stop listening. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

interface Answered {
  readonly deviceId: number;
  readonly atMs: number;
}

const FAILURES_TO_OPEN = 3;
const LATELY_MS = 60_000;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 15_000;
const PROBE_PATIENCE_MS = 35_000;

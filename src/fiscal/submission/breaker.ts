/**
 * Whether the authority can be reached, as this process sees it. It opens when the authority as a whole is down: failures in a row, of
 * more devices than were answered lately, and no answer to any of those for a moment. Nothing waits for an authority that is
 * known to be down. A device that fails or is slow while others are answered has its own problem, and holds up only itself.
 *
 * While it is open, calls are let through to find out whether the authority is back: from time to time one of any device, and at
 * once one of a device that has not failed, since the trouble may be that of the others.
 */
export class Breaker {
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  /** Since the last answer to any device. */
  #failures = 0;
  /** Devices whose last call failed, and those whose last call was answered: when, the oldest first. */
  readonly #failedAtMs = new Map<number, number>();
  readonly #answeredAtMs = new Map<number, number>();
  /** Devices whose last call took, or is taking, longer than anything waits. */
  readonly #slow = new Set<number>();
  #openedAtMs: number | undefined;
  #failedProbes = 0;
  #probeAtMs = 0;
  #freshProbeAtMs = 0;
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

  /** Whether waiting for a submission of this device is in vain for now. */
  isHopeless(deviceId: number): boolean {
    return this.state === 'open' || this.#slow.has(deviceId);
  }

  /** Whether a call may be made now. In the half-open state the first who asks probes; the others wait for the outcome. */
  mayCall(deviceId: number): boolean {
    if (this.#openedAtMs === undefined) return true;
    const now = this.#now();
    if (now >= this.#probeAtMs) {
      this.#probeAtMs = now + PROBE_PATIENCE_MS;
      return true;
    }
    if (this.#failedAtMs.has(deviceId) || now < this.#freshProbeAtMs) return false;
    this.#freshProbeAtMs = now + FIRST_WAIT_MS;
    return true;
  }

  /** `tookLong`: after nothing waited for it any longer. */
  succeeded(deviceId: number, { tookLong = false } = {}): void {
    const wasOpen = this.#openedAtMs !== undefined;
    this.#failures = 0;
    this.#failedAtMs.delete(deviceId);
    this.#answeredAtMs.delete(deviceId);
    this.#answeredAtMs.set(deviceId, this.#now());
    if (!tookLong) this.#slow.delete(deviceId);
    this.#openedAtMs = undefined;
    if (!wasOpen) return;
    this.#failedAtMs.clear();
    this.#tell();
  }

  failed(deviceId: number, reason: string): void {
    this.#failures += 1;
    this.#failedAtMs.delete(deviceId);
    this.#failedAtMs.set(deviceId, this.#now());
    this.#answeredAtMs.delete(deviceId);
    this.#reason = reason;
    if (this.#openedAtMs === undefined) {
      if (this.#failures < FAILURES_TO_OPEN || !this.#isWidespread()) return;
      this.#openedAtMs = this.#now();
      this.#failedProbes = 0;
      this.#postponeProbe();
      this.#tell();
    } else {
      this.#failedProbes += 1;
      this.#postponeProbe();
    }
  }

  /** A call has been waiting for too long: as bad as failures in a row. */
  trip(deviceId: number, reason: string): void {
    this.#slow.add(deviceId);
    this.#failures = Math.max(this.#failures, FAILURES_TO_OPEN - 1);
    this.failed(deviceId, reason);
  }

  /** More devices fail than were answered lately, and none of these within a moment. */
  #isWidespread(): boolean {
    const now = this.#now();
    for (const times of [this.#answeredAtMs, this.#failedAtMs]) forgetBefore(now - LATELY_MS, times);
    if (this.#failedAtMs.size <= this.#answeredAtMs.size) return false;
    return ![...this.#answeredAtMs.values()].some((atMs) => now - atMs < QUIET_MS);
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

function forgetBefore(atMs: number, times: Map<number, number>): void {
  for (const [deviceId, timeMs] of times) {
    if (timeMs >= atMs) return;
    times.delete(deviceId);
  }
}

const FAILURES_TO_OPEN = 3;
const LATELY_MS = 60_000;
/** An authority that answers anything is not down. */
const QUIET_MS = 2000;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 15_000;
const PROBE_PATIENCE_MS = 35_000;

/** When a device may be tried again: by a monotonic clock and in memory only, so a new process tries at once. */
const LONGEST_SECONDS = 60;

export class Waits {
  readonly #byDevice = new Map<number, { readonly failures: number; readonly until: number }>();

  /** A time of `performance.now()`; 0 if it need not wait. */
  until(device: number): number {
    return this.#byDevice.get(device)?.until ?? 0;
  }

  /** 1 s, 2 s, 4 s … at most 60 s, or what the service asked for; up to a fifth more, so that tills do not come back in step. */
  failed(device: number, afterSeconds: number | null): void {
    const failures = (this.#byDevice.get(device)?.failures ?? 0) + 1;
    const seconds = afterSeconds ?? Math.min(LONGEST_SECONDS, 2 ** (failures - 1));
    this.#byDevice.set(device, { failures, until: performance.now() + seconds * 1000 * (1 + Math.random() / 5) });
  }

  answered(device: number): void {
    this.#byDevice.delete(device);
  }
}

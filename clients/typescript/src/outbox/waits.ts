/** When a device may be tried again: kept in memory only, so a new process tries at once. */
const LONGEST_SECONDS = 60;

export class Waits {
  readonly #byDevice = new Map<number, { readonly failures: number; readonly until: number }>();

  /** A moment, in milliseconds; 0 if nothing stands in the way. */
  until(deviceId: number): number {
    return this.#byDevice.get(deviceId)?.until ?? 0;
  }

  /** 1 s, 2 s, 4 s … at most 60 s, or what the service asked for; up to a fifth more, so that tills do not come back in step. */
  failed(deviceId: number, afterSeconds: number | undefined): void {
    const failures = (this.#byDevice.get(deviceId)?.failures ?? 0) + 1;
    const seconds = Math.max(1, afterSeconds ?? Math.min(LONGEST_SECONDS, 2 ** (failures - 1)));
    this.#byDevice.set(deviceId, { failures, until: Date.now() + seconds * 1000 * (1 + Math.random() / 5) });
  }

  answered(deviceId: number): void {
    this.#byDevice.delete(deviceId);
  }
}

/** A time further ahead was written while the clock was wrong. */
export const LONGEST_PAUSE_SECONDS = 120;

/**
 * Devices whose care (ping, configuration, a look at the day) failed a moment ago, in this process. Kept apart from the pause
 * of a lane: the authority may well take receipts while it fails to answer these. Another instance tries for itself.
 */
export class CarePauses {
  readonly #untilSeconds = new Map<number, number>();

  postpone(deviceId: number, untilSeconds: number): void {
    this.#untilSeconds.set(deviceId, untilSeconds);
  }

  /** Undefined when nothing keeps care from being taken now. */
  of(deviceId: number, nowSeconds: number): number | undefined {
    const untilSeconds = this.#untilSeconds.get(deviceId);
    if (untilSeconds === undefined) return undefined;
    if (nowSeconds < untilSeconds && untilSeconds <= nowSeconds + LONGEST_PAUSE_SECONDS) return untilSeconds;
    this.#untilSeconds.delete(deviceId);
    return undefined;
  }
}

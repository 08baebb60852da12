/** A time further ahead was written while the clock was wrong. */
const LONGEST_PAUSE_SECONDS = 360;

/**
 * Devices for which something has to wait, in this process: their care (ping, configuration, a look at the day), since it failed a moment
 * ago; or every call, since the authority asked for that. Kept apart from the pause of a lane: the authority may well take receipts
 * while it fails to answer care, and what ends the pause of a lane does not end what the authority asked for. Another instance
 * tries for itself.
 */
export class DevicePauses {
  readonly #untilSeconds = new Map<number, number>();

  postpone(deviceId: number, untilSeconds: number): void {
    this.#untilSeconds.set(deviceId, untilSeconds);
  }

  /** Undefined when it need not wait any longer. */
  of(deviceId: number, nowSeconds: number): number | undefined {
    const untilSeconds = this.#untilSeconds.get(deviceId);
    if (untilSeconds === undefined) return undefined;
    if (nowSeconds < untilSeconds && untilSeconds <= nowSeconds + LONGEST_PAUSE_SECONDS) return untilSeconds;
    this.#untilSeconds.delete(deviceId);
    return undefined;
  }
}

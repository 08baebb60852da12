/** Requests that wait for the submission of their own receipt, in this process. */
export class SubmissionWaiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Resolves when the receipt is settled, when its lane stops, or when the time is up; the caller looks what it was. */
  wait(deviceId: number, globalCounter: number, timeoutMs: number): Promise<void> {
    const key = `${deviceId}:${globalCounter}`;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        const others = this.#waiting.get(key);
        others?.delete(done);
        if (others?.size === 0) this.#waiting.delete(key);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting.add(done));
    });
  }

  settle(deviceId: number, globalCounter: number): void {
    for (const done of this.#waiting.get(`${deviceId}:${globalCounter}`) ?? []) done();
  }

  /** The lane does not continue: there is nothing to wait for in it. */
  releaseDevice(deviceId: number): void {
    for (const [key, waiting] of this.#waiting) {
      if (key.startsWith(`${deviceId}:`)) for (const done of waiting) done();
    }
  }

  releaseAll(): void {
    for (const waiting of this.#waiting.values()) for (const done of waiting) done();
  }
}

import type { Submission } from '../sealed/sealed-receipt.ts';

/** What ended a wait: how the receipt was settled, that its lane does not continue for now, or that the time was up. */
export type Waited = Submission | 'released' | 'late';
type Done = (waited: Waited) => void;

/** Requests that wait for the submission of their own receipt, in this process. */
export class SubmissionWaiters {
  /** By device and by the receipt's number. */
  readonly #waiting = new Map<number, Map<number, Set<Done>>>();

  wait(deviceId: number, globalCounter: number, timeoutMs: number): Promise<Waited> {
    return new Promise((resolve) => {
      const done = (waited: Waited) => {
        clearTimeout(timer);
        this.#remove(deviceId, globalCounter, done);
        resolve(waited);
      };
      const timer = setTimeout(done, timeoutMs, 'late');
      const ofDevice = this.#waiting.get(deviceId) ?? new Map<number, Set<Done>>();
      this.#waiting.set(deviceId, ofDevice.set(globalCounter, (ofDevice.get(globalCounter) ?? new Set()).add(done)));
    });
  }

  /** This process has just written it down: who waits for it needs no other look. */
  settle(deviceId: number, globalCounter: number, submission: Submission): void {
    for (const done of this.#waiting.get(deviceId)?.get(globalCounter) ?? []) done(submission);
  }

  /** The lane does not continue: there is nothing to wait for in it. */
  releaseDevice(deviceId: number): void {
    for (const waiting of this.#waiting.get(deviceId)?.values() ?? []) for (const done of waiting) done('released');
  }

  releaseAll(): void {
    for (const deviceId of this.#waiting.keys()) this.releaseDevice(deviceId);
  }

  #remove(deviceId: number, globalCounter: number, done: Done): void {
    const ofDevice = this.#waiting.get(deviceId);
    const waiting = ofDevice?.get(globalCounter);
    waiting?.delete(done);
    if (waiting?.size === 0) ofDevice?.delete(globalCounter);
    if (ofDevice?.size === 0) this.#waiting.delete(deviceId);
  }
}

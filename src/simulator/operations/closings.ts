import type { Authority } from '../state/authority.ts';
import { undecidedDays } from '../store/days.ts';
import { decideClosing } from './decide-closing.ts';

/** The delayed decisions. What was accepted before a restart is decided after it. */
export class Closings {
  readonly #authority: Authority;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(authority: Authority) {
    this.#authority = authority;
    for (const day of undecidedDays(authority.db)) this.schedule(day.deviceId);
  }

  schedule(deviceId: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#decide(deviceId);
    }, this.#authority.switches().closeDelayMs);
    this.#timers.add(timer);
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #decide(deviceId: number): void {
    const { db, log } = this.#authority;
    db.transact(() => decideClosing(this.#authority, deviceId)).catch((error: unknown) => {
      log.error({ err: error, deviceId }, 'the closing of a day could not be decided');
    });
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { DueWork } from '../../platform/due.ts';
import type { Log } from '../../platform/log.ts';
import { stepPeriod } from './build-period.ts';
import { claimPeriods, extendLease } from './period-store.ts';

const PERIODS_AT_ONCE = 2;
const POLL_MS = 500;
/** Who was killed is followed by another instance after so long. */
const LEASE_MS = 10_000;
const PAYMENTS_PER_STEP = 500;

/** Builds the figures of new since-dates and removes those that are retired, step by step. */
export class TargetBuilder {
  readonly #pool: Pool;
  readonly #work: DueWork<bigint>;
  #isStopping = false;

  constructor(pool: Pool, log: Log) {
    this.#pool = pool;
    this.#work = new DueWork<bigint>({
      claim: (most) => claimPeriods(pool, most, LEASE_MS),
      run: (periodId) => this.#run(periodId),
      concurrency: PERIODS_AT_ONCE,
      pollMs: POLL_MS,
      log,
    });
  }

  start(): void {
    this.#work.start();
  }

  /** A target has changed: look now. */
  poke(): void {
    this.#work.poke();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#work.stop();
  }

  async #run(periodId: bigint): Promise<void> {
    let leasedAt = performance.now();
    while (!this.#isStopping) {
      const startedAt = performance.now();
      if ((await stepPeriod(this.#pool, periodId, PAYMENTS_PER_STEP)) === 'done') break;
      if (performance.now() - leasedAt > LEASE_MS / 3) {
        leasedAt = performance.now();
        await extendLease(this.#pool, periodId, LEASE_MS);
      }
      // Row locks are not given in order of arrival: without a pause the next step could overtake a waiting payment for ever.
      await delay(performance.now() - startedAt);
    }
    if (this.#isStopping) await extendLease(this.#pool, periodId, 0);
    // A swap leaves something to remove.
    else this.#work.poke();
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Log } from '../../platform/logging/log.ts';
import { DueWork } from '../../platform/work/due.ts';
import { stepPeriod } from './build-period.ts';
import { claimPeriods, extendLease } from './period-store.ts';

const PERIODS_AT_ONCE = 2;
const POLL_MS = 500;
/** After this time another instance continues what a killed one had begun. */
const LEASE_MS = 10_000;

/** Payments of the biller wait while a step runs: steps are made as large as fits into this, on whatever machine. */
const STEP_MS = 15;
/** The fewest cost hardly more than the round trips around them. */
const PAYMENTS_PER_STEP = { first: 200, fewest: 200, most: 2000 } as const;

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
    let size: number = PAYMENTS_PER_STEP.first;
    while (!this.#isStopping) {
      const startedAt = performance.now();
      if ((await stepPeriod(this.#pool, periodId, size)) === 'done') break;
      const tookMs = performance.now() - startedAt;
      size = nextSize(size, tookMs);
      if (performance.now() - leasedAt > LEASE_MS / 3) {
        leasedAt = performance.now();
        await extendLease(this.#pool, periodId, LEASE_MS);
      }
      // Row locks are not given in order of arrival: without a pause the next step could overtake a waiting payment for ever.
      await delay(Math.min(tookMs, STEP_MS));
    }
    if (this.#isStopping) await extendLease(this.#pool, periodId, 0);
    // A swap leaves something to remove.
    else this.#work.poke();
  }
}

/** At most twice as many as before, and at least half: one hiccup says little. */
function nextSize(size: number, tookMs: number): number {
  const wanted = Math.round(size * Math.min(2, Math.max(0.5, STEP_MS / tookMs)));
  return Math.min(PAYMENTS_PER_STEP.most, Math.max(PAYMENTS_PER_STEP.fewest, wanted));
}

import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { regularly } from '../../platform/work/due.ts';
import { type HeardTill, writeTills } from './store.ts';

const SAVE_EVERY_MS = 5000;
/** A report that could not be written within this time is out of date: a till that is still behind sends another. */
const BEHIND_MS = 15_000;
/** Longer, so that it is still here when what another instance heard before it is written. */
const CAUGHT_UP_MS = 30_000;
/** More tills than any instance serves in that time: nobody fills the memory with invented devices. */
const MOST = 100_000;

/**
 * Which tills are behind, from what their outboxes say. A request costs an entry in memory; every few seconds one statement writes who
 * fell behind or has caught up. Any instance may hear a till, and what a crash takes is said again with the next sale.
 */
export class TillsBehind {
  readonly #pool: Pool;
  readonly #heard = new Map<string, HeardTill>();
  #behind: ReadonlySet<string> = new Set();
  #savedAt = Number.NEGATIVE_INFINITY;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  hear(till: HeardTill): void {
    const key = `${till.tokenId}:${till.deviceId}`;
    if (this.#heard.size < MOST || this.#heard.has(key)) this.#heard.set(key, till);
  }

  async save(): Promise<void> {
    const now = performance.now();
    const told: HeardTill[] = [];
    for (const [key, till] of this.#heard) {
      const isBehind = till.waitingSales > 0;
      if (now - till.at > (isBehind ? BEHIND_MS : CAUGHT_UP_MS)) this.#heard.delete(key);
      else if (isBehind ? till.at > this.#savedAt : this.#behind.has(key)) told.push(till);
    }
    if (this.#heard.size === 0) return;
    this.#behind = await writeTills(this.#pool, told, now);
    this.#savedAt = now;
  }

  /** Regularly while the service listens, and a last time when it stops. */
  watch(app: FastifyInstance): void {
    const saving = regularly(SAVE_EVERY_MS, () => this.save(), app.log);
    app.addHook('onListen', async () => saving.start());
    app.addHook('onClose', async () => {
      await saving.stop();
      await this.save().catch((error: unknown) =>
        app.log.warn({ err: error }, 'which tills are behind could not be written'),
      );
    });
  }
}

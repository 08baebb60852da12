import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { regularly } from '../work/due.ts';
import { writeLastUses } from './store.ts';

const WRITE_EVERY_MS = 60_000;

/** When each token was last used. A request costs an entry in memory; once a minute one statement writes them all. */
export class TokenUses {
  readonly #pool: Pool;
  #uses = new Map<string, number>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  note(tokenId: string, atMs: number): void {
    this.#uses.set(tokenId, atMs);
  }

  async write(): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    await writeLastUses(this.#pool, uses);
  }

  /** Regularly while the service listens, and a last time when it stops. */
  watch(app: FastifyInstance): void {
    const writing = regularly(WRITE_EVERY_MS, () => this.write(), app.log);
    app.addHook('onListen', async () => writing.start());
    app.addHook('onClose', async () => {
      await writing.stop();
      await this.write().catch((error: unknown) =>
        app.log.warn({ err: error }, 'when tokens were last used could not be written'),
      );
    });
  }
}

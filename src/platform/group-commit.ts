import type { Pool } from 'pg';
import { isConnectionFailure } from './connection-failure.ts';
import { inTransaction, type Transaction } from './database.ts';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions<Item, Result> {
  readonly pool: Pool;
  /** Does all of them in the transaction, and answers in the same order. */
  readonly work: (tx: Transaction, items: readonly Item[]) => Promise<readonly Result[]>;
  readonly most: number;
}

/**
 * One transaction serves everything that arrived while the last one ran: under load many share a commit, alone nobody
 * waits. A transaction that fails is tried again item by item, so strangers never pay for the one that poisoned it.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running: Promise<void> | undefined;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  get queueLength(): number {
    return this.#waiting.length;
  }

  /** Resolves after the commit. */
  run(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#drain();
    });
  }

  async drain(): Promise<void> {
    await this.#running;
  }

  async #drain(): Promise<void> {
    // What arrives in the same turn of the event loop travels together.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, this.#options.most));
    this.#running = undefined;
  }

  async #commit(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const items = batch.map(({ item }) => item);
      const results = await inTransaction(this.#options.pool, (tx) => this.#options.work(tx, items));
      if (results.length !== batch.length) throw new Error('a batch was answered with another number of results');
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      // Without a database one by one would fail as well, each after its own wait.
      if (batch.length === 1 || isConnectionFailure(error)) for (const { reject } of batch) reject(error);
      else for (const one of batch) await this.#commit([one]);
    }
  }
}

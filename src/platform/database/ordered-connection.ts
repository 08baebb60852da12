import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { isConnectionFailure } from './connection-failure.ts';
import type { Queryable } from './database.ts';
import { connectToWrite, noteConfirmed, refuseWhileCommitsWait } from './writing.ts';

/**
 * One connection of the pool, taken when it is first needed and kept: statements sent on it without waiting for each other
 * run in the order they were sent, each as a separate transaction. When it breaks, the next statement takes another.
 */
export class OrderedConnection implements Queryable {
  readonly #pool: Pool;
  #client: Promise<PoolClient> | undefined;
  /** The same once it is there: what is sent on it leaves at once, not after the turn of a promise. */
  #connected: PoolClient | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async query<Row extends QueryResultRow>(
    statement: string | QueryConfig<unknown[]>,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    refuseWhileCommitsWait(this.#pool);
    this.#client ??= this.#connect();
    const taken = this.#client;
    try {
      const client = this.#connected ?? (await taken);
      if (this.#client === taken) this.#connected = client;
      const result = await client.query<Row, unknown[]>(statement, values);
      noteConfirmed(this.#pool);
      return result;
    } catch (error) {
      if (isConnectionFailure(error)) this.#letGo(taken, true);
      throw error;
    }
  }

  /** Returns the connection to the pool. Only when nothing is running on it. */
  close(): void {
    if (this.#client) this.#letGo(this.#client, false);
  }

  #connect(): Promise<PoolClient> {
    const mine = connectToWrite(this.#pool);
    // Lost while idle: the next statement must not be the one that finds out. It is this connection that ended,
    // not the one that may have taken its place: to end that one too would end each next one in turn.
    mine.then(
      (client) => client.once('end', () => this.#letGo(mine, true)),
      () => this.#letGo(mine, true),
    );
    return mine;
  }

  #letGo(taken: Promise<PoolClient>, isBroken: boolean): void {
    if (this.#client !== taken) return;
    this.#client = undefined;
    this.#connected = undefined;
    taken.then(
      (client) => client.release(isBroken),
      () => {},
    );
  }
}

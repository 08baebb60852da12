import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  DatabaseError,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
  types,
} from 'pg';
import type { Log } from '../logging/log.ts';
import { StartRefusal } from '../start-refusal.ts';
import type { DatabaseConnection } from './database-hosts.ts';
import { BehindError, connectionTarget, Primary, type PrimaryOptions } from './primary.ts';
import { boundWriting, connectToWrite, noteConfirmed } from './writing.ts';

export interface DatabaseOptions extends PrimaryOptions {
  readonly connection: DatabaseConnection;
  readonly maxConnections: number;
  readonly log: Log;
}

/** In the `from` of a statement whose loss does not matter: it waits neither for a disk nor for a standby. */
export const UNHURRIED = "(select set_config('synchronous_commit', 'off', true)) as unhurried";

/** What a function asks for that reads and does not care whether inside a transaction: a Pool or a Transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(
    statement: string | QueryConfig<unknown[]>,
    values?: unknown[],
  ): Promise<QueryResult<Row>>;
}

const oldestVersion = 15;
const connectPatienceMs = 10_000;

const CLIENT = {
  application_name: 'tillseal',
  pipeline: true,
} as const;

/** By the pool, which everybody has. */
const primaries = new WeakMap<Pool, Primary>();

/** The server behind a pool that openDatabase opened. */
export function primaryOf(pool: Pool): Primary {
  const primary = primaries.get(pool);
  if (primary === undefined) throw new Error('this pool was not opened by openDatabase');
  return primary;
}

/**
 * Opens a pool and proves that it works. Its clients pipeline: statements sent without waiting for each other share a
 * round trip, in order.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Pool> {
  const { connection, log } = options;
  const primary = new Primary(connection, options);
  const place = describe(primary.hosts.current);
  const pool = new Pool({
    ...CLIENT,
    ...connectionTarget(primary),
    max: options.maxConnections,
    connectionTimeoutMillis: connectPatienceMs,
    types: { getTypeParser },
  });
  primaries.set(pool, primary);
  boundWriting(pool, primary, options.maxConnections);
  // Without these two listeners a server that goes away takes the process with it: the first is for idle clients, the
  // second for those at work, whose statement has already failed with the same error.
  pool.on('error', (error) => {
    // When we stop, our own server may be quicker to close a connection than the pool that is closing it too.
    if (!pool.ending) log.warn({ err: error }, 'an idle database connection was lost');
  });
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await checkVersion(pool, place, log);
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function checkVersion(pool: Pool, place: string, log: Log): Promise<void> {
  const deadline = Date.now() + connectPatienceMs;
  for (let isTold = false; ; isTold = true) {
    try {
      const found = await pool.query<{ version: string }>(`select current_setting('server_version') as version`);
      const version = found.rows[0]?.version ?? 'unknown';
      if (Number.parseInt(version, 10) >= oldestVersion) return;
      throw new StartRefusal(`${place} is version ${version}: Tillseal needs PostgreSQL ${oldestVersion} or newer.`);
    } catch (error) {
      if (error instanceof StartRefusal) throw error;
      if (!isPassing(error) || Date.now() > deadline) {
        if (error instanceof BehindError) throw new StartRefusal(error.message);
        throw new StartRefusal(
          `${place} cannot be used (${reason(error)}): check DATABASE_URL and that the server is running.`,
        );
      }
      if (!isTold) log.warn({}, `waiting for the database: ${reason(error)}`);
    }
    await delay(200);
  }
}

/** Containers start all at once: the server may not listen yet, have no name yet, or still be starting up. */
function isPassing(error: unknown): boolean {
  const passing = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', '57P03', '53300'];
  return error instanceof Error && 'code' in error && passing.includes(String(error.code));
}

/** A host with several addresses fails with an AggregateError, whose own message is empty. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** Host and database for messages, without the password that the address may contain. */
function describe(target: PoolConfig): string {
  try {
    const { host, port, database } = new Client(target);
    return `PostgreSQL at ${host}:${port}, database ${database ?? ''},`;
  } catch {
    throw new StartRefusal('DATABASE_URL is not understood: write postgresql://user:password@host:5432/database.');
  }
}

const text = (value: string): string => value;
const textArray: number = 1009;
const parseTextArray: (value: string) => (string | null)[] = types.getTypeParser(textArray);
const parseBigintArray = (value: string) => parseTextArray(value).map((item) => (item === null ? null : BigInt(item)));

/** pg makes floats of some of these, local times of others; money and the signed text must come back as they went in. */
const exactParsers = new Map<number, (value: string) => unknown>([
  [types.builtins.INT8, BigInt],
  [1016, parseBigintArray],
  [types.builtins.NUMERIC, text],
  [1231, parseTextArray],
  [types.builtins.JSON, text],
  [199, parseTextArray],
  [types.builtins.JSONB, text],
  [3807, parseTextArray],
  [types.builtins.DATE, text],
  [1182, parseTextArray],
  [types.builtins.TIMESTAMP, text],
  [1115, parseTextArray],
]);

const getTypeParser: typeof types.getTypeParser = (type: number, format?: 'text' | 'binary') => {
  const exact = format === 'binary' ? undefined : exactParsers.get(type);
  return exact ?? types.getTypeParser(type, format);
};

/**
 * A transaction that is open. A function that must run inside one asks for this type, and a Pool does not fit. Used after
 * its end it throws, instead of running on a connection that by then serves another caller.
 */
export class Transaction implements Queryable {
  #client: PoolClient | undefined;
  #committed: Promise<void> | undefined;
  readonly #concerned = new Set<string>();

  constructor(client: PoolClient) {
    this.#client = client;
  }

  query<Row extends QueryResultRow>(
    statement: string | QueryConfig<unknown[]>,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    if (this.#client === undefined) throw new Error('a statement was sent to a transaction that has ended');
    return this.#client.query<Row, unknown[]>(statement, values);
  }

  /**
   * inTransaction commits automatically. Calling this beside the last statements, without waiting for them, saves a round
   * trip. A commit after a failed statement *succeeds* for PostgreSQL and rolls back: only its command tag tells.
   */
  commit(): Promise<void> {
    this.#committed ??= this.#commit();
    return this.#committed;
  }

  async #commit(): Promise<void> {
    const { command } = await this.query('commit');
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: a statement in it had failed');
  }

  /** What is written here is news to this tenant: whatever waits for it in this process is notified after the commit. */
  concerns(tenantId: string): void {
    this.#concerned.add(tenantId);
  }

  get concerned(): ReadonlySet<string> {
    return this.#concerned;
  }

  /** Only for inTransaction. */
  end(): void {
    this.#client = undefined;
  }
}

type OnCommit = (tenantIds: Iterable<string>) => void;

/** By the pool, which every writer has: a listener handed through to each of them would be in every signature. */
const onCommitOf = new WeakMap<Pool, OnCommit[]>();

/** Calls it with the tenants for whom this process has committed something. */
export function onCommit(pool: Pool, listener: OnCommit): void {
  onCommitOf.set(pool, [...(onCommitOf.get(pool) ?? []), listener]);
}

/** For what is committed without a Transaction; inTransaction does it for its own. */
export function tellCommitted(pool: Pool, tenantIds: Iterable<string>): void {
  for (const listener of onCommitOf.get(pool) ?? []) listener(tenantIds);
}

/** Whether a statement failed because the constraint allows a value only once. */
export function isDuplicate(error: unknown, constraint: string): boolean {
  return error instanceof DatabaseError && error.code === '23505' && error.constraint === constraint;
}

type Work<Result> = (tx: Transaction) => Promise<Result>;

/** Commits when `work` resolves, rolls back when it rejects. While commits wait for a standby it does not begin. */
export async function inTransaction<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  const result = await transact(pool, await connectToWrite(pool), work);
  noteConfirmed(pool);
  return result;
}

async function transact<Result>(pool: Pool, client: PoolClient, work: Work<Result>): Promise<Result> {
  const tx = new Transaction(client);
  let broken: Error | undefined;
  try {
    // Not awaited here: it travels with the first statement. Should it fail, so does everything after it.
    const begun = client.query('begin');
    begun.catch(() => {});
    const result = await work(tx);
    await begun;
    await tx.commit();
    tellCommitted(pool, tx.concerned);
    return result;
  } catch (error) {
    tx.end();
    await client.query('rollback').catch((failure: unknown) => {
      broken = failure instanceof Error ? failure : new Error(String(failure));
    });
    throw error;
  } finally {
    tx.end();
    client.release(broken);
  }
}

/** The same for what may be lost with a crash, because it is found out again: waits neither for a disk nor for a standby. */
export async function inUnhurriedTransaction<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  return transact(pool, await connectToWrite(pool, true), async (tx) => {
    await tx.query(`select 1 from ${UNHURRIED}`);
    return work(tx);
  });
}

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { columnsOf } from '../../platform/database/rows.ts';
import { SCHEMA } from './schema.ts';

type Row = Readonly<Record<string, SQLInputValue>>;

/** Of several that begin at once, those who come too late let go meanwhile. */
const OTHERS_GIVE_UP_MS = 200;

/**
 * One SQLite file, used by one thread: each call sees everything that ran before. What was written within one turn of the
 * event loop is committed together at its end, and `transact` resolves only then: an answer never leaves before its
 * state is on the disk. Measured: 700 commits a second here, which would otherwise be the limit for submissions.
 */
export class Database {
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #batch: PromiseWithResolvers<void> | undefined;

  constructor(file: string) {
    this.#sqlite = new DatabaseSync(file, { timeout: OTHERS_GIVE_UP_MS });
    try {
      // Exclusive: a second simulator on the same folder would sign with the same numbers.
      this.#sqlite.exec(
        'pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on',
      );
      this.#sqlite.exec(SCHEMA);
    } catch (error) {
      // What it has locked so far would keep out those in whose way it came.
      this.#sqlite.close();
      throw error;
    }
  }

  /** Runs at once; resolves when it is durable. What throws leaves nothing behind. */
  async transact<T>(work: () => T): Promise<T> {
    const batch = this.#openBatch();
    this.#sqlite.exec('savepoint work');
    let result: T;
    try {
      result = work();
    } catch (error) {
      this.#sqlite.exec('rollback to work; release work');
      await batch.promise;
      throw error;
    }
    this.#sqlite.exec('release work');
    await batch.promise;
    return result;
  }

  /** The first row; the caller knows its columns. */
  get<Found = unknown>(sql: string, ...values: SQLInputValue[]): Found | undefined {
    return this.#statement(sql).get(...values) as Found | undefined;
  }

  all<Found>(sql: string, ...values: SQLInputValue[]): Found[] {
    return this.#statement(sql).all(...values) as Found[];
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values);
  }

  insert(table: string, row: Row, then = ''): void {
    const columns = columnsOf(row);
    const places = columns.map(() => '?').join(', ');
    this.run(`insert into ${table} (${columns.join(', ')}) values (${places}) ${then}`, ...Object.values(row));
  }

  /** In the place of the one with this key, where there is one. */
  upsert(table: string, key: Row, row: Row): void {
    const set = columnsOf(row).map((column) => `${column} = excluded.${column}`);
    const then = `on conflict (${columnsOf(key).join(', ')}) do update set ${set.join(', ')}`;
    this.insert(table, { ...key, ...row }, then);
  }

  close(): void {
    this.#commit();
    this.#sqlite.close();
  }

  #openBatch(): PromiseWithResolvers<void> {
    if (this.#batch) return this.#batch;
    this.#sqlite.exec('begin immediate');
    this.#batch = Promise.withResolvers<void>();
    // There is always a caller waiting for it; this only keeps a failed commit from ending the process before the caller learns of it.
    this.#batch.promise.catch(() => {});
    setImmediate(() => this.#commit());
    return this.#batch;
  }

  #commit(): void {
    const batch = this.#batch;
    if (!batch) return;
    this.#batch = undefined;
    try {
      this.#sqlite.exec('commit');
      batch.resolve();
    } catch (error) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec('rollback');
      batch.reject(error);
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#sqlite.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

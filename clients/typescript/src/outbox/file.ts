/** The file of an outbox: one SQLite database, opened anew for each transaction (docs/outbox.md, "The file"). */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { OutboxError } from '../wire/errors.ts';

type Sqlite = typeof import('node:sqlite');

/** SQLite's result codes, without their extensions. */
const CODE = { error: 1, busy: 5, readOnly: 8, corrupt: 11, full: 13, cannotOpen: 14, noDatabase: 26 } as const;
const PATIENCE_MS = 10_000;
const [MAJOR = 0, MINOR = 0] = process.versions.node.split('.').map(Number);
const TAKES_ADDRESSES = MAJOR > 23 || (MAJOR === 23 && MINOR >= 10) || (MAJOR === 22 && MINOR >= 15);
const MODES = { journal_mode: 'truncate', synchronous: 2, secure_delete: 1 } as const;

export const SCHEMA = `CREATE TABLE meta (
  version integer not null,
  id text not null,
  halted_at integer,
  halted_status integer,
  halted_answer text,
  tried_at integer,
  checked_at integer not null
);
CREATE TABLE sales (
  place integer primary key autoincrement,
  reference text not null unique,
  device integer not null,
  sold_at integer not null,
  state text not null,
  ended_at integer,
  body text,
  body_sha256 text not null,
  attempts integer not null,
  answered integer not null,
  leased_until integer not null,
  status integer,
  answer text,
  number integer,
  clock_ahead integer,
  failing_since integer,
  failed_at integer,
  failure text
);
CREATE INDEX sales_queued on sales (device, place) where state = 'Queued';
CREATE INDEX sales_set_aside on sales (place) where state = 'SetAside';
CREATE INDEX sales_filled on sales (ended_at) where state in ('Signed', 'Discarded') and (body is not null or answer is not null);
CREATE INDEX sales_emptied on sales (ended_at) where body is null and answer is null;
`;

/** The commit failed. If only the last flush failed, what was written is in the file nevertheless. */
export class CommitError extends OutboxError {}

/** The file is gone, replaced or damaged, and with it perhaps what was written. */
export class LostFileError extends OutboxError {}

export class OutboxFile {
  readonly path: string;
  readonly #sqlite: Sqlite;
  readonly #id: string;

  private constructor(path: string, sqlite: Sqlite, id: string) {
    this.path = path;
    this.#sqlite = sqlite;
    this.#id = id;
  }

  /** Creates the file if it does not exist. */
  static async open(file: string): Promise<OutboxFile> {
    const sqlite = await import('node:sqlite').catch(() => {
      throw new OutboxError(`An outbox needs Node 22.13 or newer, for its SQLite; this is ${process.version}.`);
    });
    const path = createdPath(file);
    // Without setting its modes, so that another program's database is not changed.
    const look = () => inTransaction(openDatabase(sqlite, path), 'begin', (db) => readId(path, db));
    const make = () => inTransaction(connect(sqlite, path), 'begin immediate', createTables);
    const found = await patiently(path, PATIENCE_MS, look);
    if (found === undefined) await patiently(path, PATIENCE_MS, make);
    const id = found ?? (await patiently(path, PATIENCE_MS, look));
    if (id === undefined) throw new LostFileError(`${path} is empty.`);
    const opened = new OutboxFile(path, sqlite, id);
    await opened.#checkDaily();
    return opened;
  }

  /** One transaction that only reads. */
  look<Result>(work: (db: DatabaseSync) => Result): Promise<Result> {
    return patiently(this.path, PATIENCE_MS, () => this.#transact('begin', work));
  }

  /** One transaction that writes; started again from the beginning while the file is locked. */
  change<Result>(work: (db: DatabaseSync) => Result, patienceMs = PATIENCE_MS): Promise<Result> {
    return patiently(this.path, patienceMs, () => this.#transact('begin immediate', work));
  }

  /** Reads the whole file, so not at each opening. If it cannot be noted, on a full disk for example, the next one does it again. */
  async #checkDaily(): Promise<void> {
    const isDone = `select 1 from meta where strftime('%s', 'now') - checked_at between 0 and 86400`;
    if ((await this.look((db) => db.prepare(isDone).get())) !== undefined) return;
    const found = await this.look((db) => db.prepare('pragma quick_check').get()?.['quick_check']);
    if (found !== 'ok') throw damaged(this.path, String(found));
    await this.change((db) => db.exec(`update meta set checked_at = strftime('%s', 'now')`), 0).catch(() => {});
  }

  #transact<Result>(begin: string, work: (db: DatabaseSync) => Result): Result {
    return inTransaction(connect(this.#sqlite, this.path), begin, (db) => {
      if (metaOf(db)?.['id'] !== this.#id) throw lost(this.path, 'has been emptied or replaced');
      return work(db);
    });
  }
}

/** Creates an empty file that only its owner can read, unless it exists; returns its full path, in case the current folder changes. */
function createdPath(file: string): string {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new OutboxError(`${file} cannot be created: ${String(error)}`);
  }
  return realpathSync(file);
}

/** Opens an existing file. SQLite would create a missing one, unless a URI says `mode=rw`, which older Nodes do not support. */
function openDatabase({ DatabaseSync: Database }: Sqlite, path: string): DatabaseSync {
  const address = pathToFileURL(path);
  address.search = 'mode=rw';
  const canAddress = TAKES_ADDRESSES && address.host === '';
  try {
    if (canAddress || existsSync(path)) return new Database(canAddress ? address : path);
  } catch (error) {
    if (existsSync(path)) throw error;
  }
  throw lost(path, 'is no longer there');
}

function connect(sqlite: Sqlite, path: string): DatabaseSync {
  const db = openDatabase(sqlite, path);
  try {
    for (const [name, value] of Object.entries(MODES)) {
      db.exec(`pragma ${name} = ${value}`);
      const is = db.prepare(`pragma ${name}`).get()?.[name];
      if (is !== value) throw new OutboxError(`${path} cannot be used: ${name} is ${String(is)}, not ${value}.`);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Closing the connection rolls back what is not committed. */
function inTransaction<Result>(db: DatabaseSync, begin: string, work: (db: DatabaseSync) => Result): Result {
  try {
    db.exec(begin);
    const result = work(db);
    commit(db);
    return result;
  } finally {
    db.close();
  }
}

function commit(db: DatabaseSync): void {
  try {
    db.exec('commit');
  } catch (error) {
    if (codeOf(error) === CODE.busy) throw error;
    throw new CommitError('', { cause: error });
  }
}

/** Undefined when there are no tables. */
function metaOf(db: DatabaseSync): Record<string, unknown> | undefined {
  try {
    return db.prepare('select version, id from meta').get();
  } catch (error) {
    if (codeOf(error) === CODE.error) return undefined;
    throw error;
  }
}

/** Undefined if the file is empty. */
function readId(path: string, db: DatabaseSync): string | undefined {
  if (isEmpty(db)) return undefined;
  const meta = metaOf(db);
  if (typeof meta?.['id'] !== 'string')
    throw new OutboxError(`${path} is a database, but not an outbox. It was left alone.`);
  if (meta['version'] !== 1)
    throw new OutboxError(`${path} is an outbox of version ${String(meta['version'])}, which needs a newer client.`);
  return meta['id'];
}

function createTables(db: DatabaseSync): void {
  if (!isEmpty(db)) return;
  db.exec(SCHEMA);
  const row = `insert into meta (version, id, checked_at) values (1, ?, strftime('%s', 'now'))`;
  db.prepare(row).run(randomBytes(8).toString('hex'));
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('select 1 from sqlite_master').get() === undefined;
}

/** Again after 5 to 25 ms, for as long as another program is writing. Waiting in SQLite would stop the whole process. */
async function patiently<Result>(path: string, patienceMs: number, step: () => Result): Promise<Result> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (codeOf(error) !== CODE.busy) throw explained(path, error);
      if (performance.now() >= until)
        throw new OutboxError(`${path} has been locked by another program for ${patienceMs / 1000} seconds.`);
    }
    await delay(5 + 20 * Math.random());
  }
}

function explained(path: string, error: unknown): unknown {
  const cause = error instanceof CommitError ? error.cause : error;
  const code = codeOf(cause);
  const isDamaged = code === CODE.corrupt || code === CODE.noDatabase;
  if (error instanceof CommitError && !isDamaged)
    return new CommitError(`${path} cannot be written: ${reasonOf(error.cause)}.`, { cause: error.cause });
  if (code === undefined) return error;
  if (isDamaged) return damaged(path, reasonOf(cause));
  return new OutboxError(`${path} cannot be read or written: ${reasonOf(error)}.`, { cause: error });
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === CODE.full) return 'the disk is full';
  if (code === CODE.readOnly) return 'the file or its folder is read-only';
  if (code === CODE.cannotOpen) return 'it or a file beside it cannot be opened';
  return error instanceof Error ? error.message : String(error);
}

function damaged(path: string, reason: string): LostFileError {
  return new LostFileError(
    `${path} is damaged or no database (${reason}). It was left alone: stop the tills, copy it together with ${path}-journal, ` +
      `and save what is readable with: sqlite3 ${path} .recover | sqlite3 NEW`,
  );
}

function lost(path: string, what: string): LostFileError {
  return new LostFileError(`${path} ${what} since the outbox was opened: open it again.`);
}

function codeOf(error: unknown): number | undefined {
  const isSqlite = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
  return isSqlite ? Number(error.errcode) & 0xff : undefined;
}

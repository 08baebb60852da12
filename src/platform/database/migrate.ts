import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Log } from '../logging/log.ts';
import { StartRefusal } from '../start-refusal.ts';
import { inTransaction, type Queryable, type Transaction } from './database.ts';

/** Told again and again, while it has to wait, what for. */
type Waits = (words: string) => void;

interface MigrateOptions {
  readonly through?: number;
  readonly waits?: Waits;
}

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
  /** A version that has the migration of this number, or a later one, works on a database that has this one too. */
  readonly besideNumber: number | undefined;
  /** So that an index of a large table can be built while receipts are sealed. */
  readonly isOutsideTransaction: boolean;
}

const BESIDE = /^-- Works beside versions that have migration (\d{4})\.$/m;
const OUTSIDE = /^-- Outside a transaction\.$/m;

/** Any number will do, as long as nothing else in this database locks it. */
const migrationLock = 7_411_001;
const LOOK_AGAIN_MS = 20;
/** Whoever comes after a lock that is waited for waits as well: tills and readers of the version before. So it is short, and far from the next try. */
const LOCK_TIMEOUT = '300ms';
const TRY_AGAIN_MS = 3000;

/**
 * Brings the database to this version: plain SQL files, numbered, forward only, each in a separate transaction. Any
 * number of instances may do this at once; they wait for each other, and for a backup or a restore that is under way. Where nothing is to
 * be done, nothing is written. `through` stops after the migration of that number: a
 * backup is restored into the version it was made by. Migrations of a newer version are accepted where they say that they work beside
 * this one: so instances can be replaced one after the other, and one that is not replaced yet can be restarted.
 */
export async function migrate(
  pool: Pool,
  folder: string,
  log: Log,
  { through = Number.POSITIVE_INFINITY, waits = () => {} }: MigrateOptions = {},
): Promise<void> {
  const migrations = await readMigrations(folder);
  const wanted = migrations.filter(({ number }) => number <= through);
  const applied = await inLockedTransaction(pool, 'pg_try_advisory_xact_lock_shared', waits, findApplied);
  if (applied === undefined) {
    await inLockedTransaction(pool, 'pg_try_advisory_xact_lock', waits, (tx) =>
      tx.query(`
        create table if not exists migrations (
          number integer primary key,
          name text not null,
          checksum text not null,
          beside_number integer,
          applied_at timestamptz not null default now()
        )`),
    );
  }
  await refuseForeignHistory(pool, migrations);
  for (const migration of wanted.filter(({ number }) => applied?.has(number) !== true)) {
    if (await apply(pool, migration, waits)) log.info({ migration: migration.name }, 'applied a migration');
  }
  // Once more: a newer version may have migrated while this one waited for the lock.
  await refuseForeignHistory(pool, migrations);
}

/** Undefined in a database without any. */
async function findApplied(tx: Transaction): Promise<ReadonlySet<number> | undefined> {
  const { rows: found } = await tx.query<{ isThere: boolean }>(
    'select to_regclass(\'migrations\') is not null as "isThere"',
  );
  if (found[0]?.isThere !== true) return undefined;
  const { rows } = await tx.query<{ number: number }>('select number from migrations');
  return new Set(rows.map(({ number }) => number));
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  const migrations = await Promise.all(
    names.map(async (name) => {
      const number = Number(/^(\d{4})_[a-z0-9_-]+\.sql$/.exec(name)?.[1]);
      if (Number.isNaN(number)) throw new Error(`${name} in ${folder} is not named like 0001_what_it_does.sql`);
      // Line ends are not content: a checkout on another system may have changed them.
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      const beside = BESIDE.exec(sql)?.[1];
      return {
        number,
        name,
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
        besideNumber: beside === undefined ? undefined : Number(beside),
        isOutsideTransaction: OUTSIDE.test(sql),
      };
    }),
  );
  const numbers = new Set(migrations.map((migration) => migration.number));
  if (numbers.size !== migrations.length) throw new Error(`two migrations in ${folder} have the same number`);
  return migrations;
}

/** Versions 0.1.0 and 0.2.0 were never given to anybody; they began with this file. */
const NEVER_RELEASED = '0001_signing.sql';

export function refuseNeverReleased(firstMigration: string | undefined, what: string): void {
  if (firstMigration !== NEVER_RELEASED) return;
  throw new StartRefusal(
    `${what} belongs to a version of Tillseal that was never released, and cannot be upgraded: begin anew with an empty database (without DATABASE_URL: another DATA_DIR, or this one moved away).`,
  );
}

export async function refuseForeignHistory(pool: Pool, migrations: readonly Migration[]): Promise<void> {
  const first = await pool.query<{ name: string }>('select name from migrations where number = 1');
  refuseNeverReleased(first.rows[0]?.name, 'This database');
  const applied = await pool.query<{ number: number; name: string; checksum: string; besideNumber: number | null }>(
    'select number, name, checksum, beside_number as "besideNumber" from migrations order by number',
  );
  const last = migrations.at(-1)?.number ?? 0;
  for (const row of applied.rows) {
    const known = migrations.find((migration) => migration.number === row.number);
    if (known === undefined) {
      if (row.number > last && row.besideNumber !== null && row.besideNumber <= last) continue;
      throw new StartRefusal(
        `The database has migration ${row.name}, which this version does not know: start the newer version that created it.`,
      );
    }
    if (known.checksum !== row.checksum) {
      throw new StartRefusal(
        `Migration ${known.name} differs from what was applied to this database (as ${row.name}): restore the file and put the change into a new migration. If a version under development made this database, begin anew with an empty one.`,
      );
    }
  }
}

async function apply(pool: Pool, migration: Migration, waits: Waits): Promise<boolean> {
  try {
    return migration.isOutsideTransaction
      ? await applyOutsideTransaction(pool, migration, waits)
      : await applyInTransaction(pool, migration, waits);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const rest = migration.isOutsideTransaction ? 'the next start continues with it' : 'left nothing behind';
    throw new StartRefusal(`Migration ${migration.name} failed and ${rest}: ${reason}`, { cause: error });
  }
}

async function applyInTransaction(pool: Pool, migration: Migration, waits: Waits): Promise<boolean> {
  for (;;) {
    try {
      return await inLockedTransaction(pool, 'pg_try_advisory_xact_lock', waits, async (tx) => {
        // Its own row first: should the lock ever fail us, the primary key still lets only one instance continue.
        if (!(await noteApplied(tx, migration))) return false;
        await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
        await tx.query(migration.sql);
        return true;
      });
    } catch (error) {
      if (!isLockedOut(error)) throw error;
      waits(`migration ${migration.name} needs a table that others use. ${await oldestTransactions(pool)}`);
      await delay(TRY_AGAIN_MS);
    }
  }
}

/** It waited for a lock for too long, or against somebody who waited for it. */
function isLockedOut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01');
}

/** Who probably has the lock, for whoever may end it. */
async function oldestTransactions(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ words: string }>(
    `select format('process %s (%s) since %s', pid, coalesce(nullif(application_name, ''), usename, 'unknown'),
                   to_char(xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) as words
       from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
      order by xact_start limit 3`,
  );
  return `The oldest transactions are of ${rows.map(({ words }) => words).join(', ') || 'nobody any more'}.`;
}

const BUILT = /^create (?:unique )?index concurrently if not exists (\w+)/gm;

/**
 * Each of its statements can be repeated: what a killed process left half built is removed and built again. They wait for a lock as long as
 * it takes, because nobody has to wait behind them.
 */
async function applyOutsideTransaction(pool: Pool, migration: Migration, waits: Waits): Promise<boolean> {
  const client = await pool.connect();
  try {
    await untilLocked(client, 'pg_try_advisory_lock', waits);
    const { rowCount } = await client.query('select from migrations where number = $1', [migration.number]);
    if (rowCount !== 0) return false;
    const { rows: halfBuilt } = await client.query<{ name: string }>(
      'select indexrelid::regclass::text as name from pg_index where not indisvalid and indexrelid::regclass::text = any ($1)',
      [[...migration.sql.matchAll(BUILT)].map(([, name]) => name)],
    );
    for (const { name } of halfBuilt) await client.query(`drop index concurrently ${name}`);
    for (const statement of migration.sql.split(/;\s*$/m)) {
      if (statement.replaceAll(/^--.*$/gm, '').trim() !== '') await client.query(statement);
    }
    return await noteApplied(client, migration);
  } finally {
    client.release(true); // the lock ends with the connection
  }
}

async function noteApplied(db: Queryable, { number, name, checksum, besideNumber }: Migration): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into migrations (number, name, checksum, beside_number) values ($1, $2, $3, $4) on conflict (number) do nothing',
    [number, name, checksum, besideNumber],
  );
  return rowCount === 1;
}

type Lock = 'pg_try_advisory_lock' | 'pg_try_advisory_xact_lock' | 'pg_try_advisory_xact_lock_shared';
const BUSY = 'a backup, a restore or the migration of another instance is under way';

/** Waits without a transaction: an index that is built concurrently waits for every one that is open. */
async function inLockedTransaction<Result>(
  pool: Pool,
  lock: Lock,
  waits: Waits,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const done = await inTransaction(pool, async (tx) =>
      (await tryLock(tx, lock)) ? { result: await work(tx) } : undefined,
    );
    if (done) return done.result;
    waits(BUSY);
    await delay(LOOK_AGAIN_MS);
  }
}

async function untilLocked(db: Queryable, lock: Lock, waits: Waits): Promise<void> {
  while (!(await tryLock(db, lock))) {
    waits(BUSY);
    await delay(LOOK_AGAIN_MS);
  }
}

async function tryLock(db: Queryable, lock: Lock): Promise<boolean> {
  const { rows } = await db.query<{ taken: boolean }>(`select ${lock}($1) as taken`, [migrationLock]);
  return rows[0]?.taken === true;
}

/** Until the transaction ends. */
export async function lockMigrations(tx: Transaction): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [migrationLock]);
}

/** Until the connection ends no table changes. Any number may do so at once; a migration that is under way is waited for. */
export async function keepMigrationsOut(client: Queryable): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1)', [migrationLock]);
}

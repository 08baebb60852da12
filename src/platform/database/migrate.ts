import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { Log } from '../logging/log.ts';
import { StartRefusal } from '../start-refusal.ts';
import { inTransaction, type Transaction } from './database.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Any number will do, as long as nothing else in this database locks it. */
const migrationLock = 7_411_001;

/**
 * Brings the database to this version: plain SQL files, numbered, forward only, each in a separate transaction. Any
 * number of instances may do this at once; they wait for each other. `through` stops after the migration of that number: a
 * backup is restored into the version it was made by.
 */
export async function migrate(pool: Pool, folder: string, log: Log, through = Number.POSITIVE_INFINITY): Promise<void> {
  const migrations = await readMigrations(folder);
  await inTransaction(pool, async (tx) => {
    await lockMigrations(tx);
    await tx.query(`
      create table if not exists migrations (
        number integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`);
  });
  await refuseForeignHistory(pool, migrations);
  for (const migration of migrations.filter(({ number }) => number <= through)) {
    if (await apply(pool, migration)) log.info({ migration: migration.name }, 'applied a migration');
  }
  // Once more: a newer version may have migrated while this one waited for the lock.
  await refuseForeignHistory(pool, migrations);
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  const migrations = await Promise.all(
    names.map(async (name) => {
      const number = Number(/^(\d{4})_[a-z0-9_-]+\.sql$/.exec(name)?.[1]);
      if (Number.isNaN(number)) throw new Error(`${name} in ${folder} is not named like 0001_what_it_does.sql`);
      // Line ends are not content: a checkout on another system may have changed them.
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      return { number, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
  const numbers = new Set(migrations.map((migration) => migration.number));
  if (numbers.size !== migrations.length) throw new Error(`two migrations in ${folder} have the same number`);
  return migrations;
}

async function refuseForeignHistory(pool: Pool, migrations: readonly Migration[]): Promise<void> {
  const applied = await pool.query<{ number: number; name: string; checksum: string }>(
    'select number, name, checksum from migrations order by number',
  );
  for (const row of applied.rows) {
    const known = migrations.find((migration) => migration.number === row.number);
    if (known === undefined) {
      throw new StartRefusal(
        `The database has migration ${row.name}, which this version does not know: start the newer version that created it.`,
      );
    }
    if (known.checksum !== row.checksum) {
      throw new StartRefusal(
        `Migration ${known.name} differs from what was applied to this database (as ${row.name}): restore the file and put the change into a new migration.`,
      );
    }
  }
}

async function apply(pool: Pool, migration: Migration): Promise<boolean> {
  try {
    return await inTransaction(pool, async (tx) => {
      await lockMigrations(tx);
      // Its own row first: should the lock ever fail us, the primary key still lets only one instance continue.
      const inserted = await tx.query(
        'insert into migrations (number, name, checksum) values ($1, $2, $3) on conflict (number) do nothing',
        [migration.number, migration.name, migration.checksum],
      );
      if (inserted.rowCount === 0) return false;
      await tx.query(migration.sql);
      return true;
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefusal(`Migration ${migration.name} failed and left nothing behind: ${reason}`, { cause: error });
  }
}

/** Until the transaction ends. */
export async function lockMigrations(tx: Transaction): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [migrationLock]);
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { StartRefusal } from '../start-refusal.ts';
import { openDatabase } from './database.ts';
import { keepMigrationsOut, migrate } from './migrate.ts';

let database: TestDatabase;
let folder: string;
let applied: object[];
const log = { info: (fields: object) => applied.push(fields), warn: () => {}, error: () => {} };

beforeEach(async () => {
  database = await createTestDatabase({ isMigrated: false });
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  applied = [];
});

afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function write(name: string, sql: string): Promise<void> {
  await writeFile(join(folder, name), sql);
}

async function appliedNumbers(pool: Pool): Promise<number[]> {
  const found = await pool.query<{ number: number }>('select number from migrations order by number');
  return found.rows.map((row) => row.number);
}

test('migrations run in order, once, and several statements in one file are one migration', async () => {
  await write('0001_one.sql', 'create table one (id int); insert into one values (1);');
  await write('0002_two.sql', '-- a comment\ninsert into one values (2);\n');
  await migrate(database.pool, folder, log);
  await migrate(database.pool, folder, log);
  expect(applied).toEqual([{ migration: '0001_one.sql' }, { migration: '0002_two.sql' }]);
  expect((await database.pool.query('select id from one order by id')).rows).toEqual([{ id: 1 }, { id: 2 }]);
});

test('an empty folder is a version without migrations', async () => {
  await migrate(database.pool, folder, log);
  expect(await appliedNumbers(database.pool)).toEqual([]);
});

test('instances that migrate at the same time apply each migration once and all succeed', async () => {
  for (let number = 1; number <= 5; number += 1) {
    await write(`000${number}_step.sql`, `create table step${number} (id int); select pg_sleep(0.02);`);
  }
  const options = { connection: database.connection, maxConnections: 1, log };
  const pools = await Promise.all([1, 2, 3, 4].map(() => openDatabase(options)));
  try {
    await Promise.all(pools.map((pool) => migrate(pool, folder, log)));
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
  expect(await appliedNumbers(database.pool)).toEqual([1, 2, 3, 4, 5]);
  expect(applied).toHaveLength(5);
});

test('a migration that was changed after it was applied is refused by name', async () => {
  await write('0001_one.sql', 'create table one (id int)');
  await migrate(database.pool, folder, log);
  await write('0001_one.sql', 'create table one (id bigint)');
  await expect(migrate(database.pool, folder, log)).rejects.toThrow(/0001_one\.sql differs/);
  await expect(migrate(database.pool, folder, log)).rejects.toBeInstanceOf(StartRefusal);
});

test('other line ends are not a change', async () => {
  await write('0001_one.sql', 'create table one (\nid int)');
  await migrate(database.pool, folder, log);
  await write('0001_one.sql', 'create table one (\r\nid int)');
  await migrate(database.pool, folder, log);
});

test('a database of a newer version is refused before anything is applied', async () => {
  await write('0001_one.sql', 'create table one (id int)');
  await write('0003_three.sql', 'create table three (id int)');
  await migrate(database.pool, folder, log);
  await rm(join(folder, '0003_three.sql'));
  await write('0002_two.sql', 'create table two (id int)');
  await expect(migrate(database.pool, folder, log)).rejects.toThrow(
    /0003_three\.sql, which this version does not know/,
  );
  expect(await appliedNumbers(database.pool)).toEqual([1, 3]);
});

test('a newer version that works beside this one is accepted, and one that does not is refused', async () => {
  await write('0001_one.sql', 'create table one (id int)');
  await write('0002_two.sql', 'create table two (id int)');
  const adds = '-- Works beside versions that have migration 0002.\nalter table two add column name text';
  await write('0003_three.sql', adds);
  await migrate(database.pool, folder, log);
  await rm(join(folder, '0003_three.sql'));
  await migrate(database.pool, folder, log);
  await rm(join(folder, '0002_two.sql'));
  await expect(migrate(database.pool, folder, log)).rejects.toThrow(/0002_two\.sql, which this version does not know/);
});

test('a database of a version that was never released is refused with how to begin anew', async () => {
  await write('0001_schema.sql', 'create table one (id int)');
  // As 0.1.0 left it.
  await database.pool.query('create table migrations (number integer primary key, name text, checksum text)');
  await database.pool.query("insert into migrations values (1, '0001_signing.sql', 'x')");
  await expect(migrate(database.pool, folder, log)).rejects.toThrow(
    /^This database belongs to a version of Tillseal that was never released.*: begin anew with an empty database/,
  );
  expect(applied).toEqual([]);
});

test('a table that others read is not taken from them: the migration tries again, says so, and succeeds when they are done', async () => {
  await write('0001_one.sql', 'create table one (id int)');
  await migrate(database.pool, folder, log);
  await write('0002_two.sql', 'alter table one add column name text');
  const reader = await database.pool.connect();
  await reader.query('begin');
  await reader.query('select from one');
  const words: string[] = [];
  const migrated = migrate(database.pool, folder, log, { waits: (text) => words.push(text) });
  await expect
    .poll(() => [...new Set(words)])
    .toEqual([expect.stringMatching(/^migration 0002_two\.sql needs a table .* process \d+/)]);
  await database.pool.query('select from one');
  expect(await appliedNumbers(database.pool)).toEqual([1]);
  await reader.query('commit');
  reader.release();
  await migrated;
  expect(await appliedNumbers(database.pool)).toEqual([1, 2]);
});

test('a start that has nothing to migrate writes nothing and waits for no backup; one that has waits for it', async () => {
  await write('0001_one.sql', 'create table one (id int)');
  await migrate(database.pool, folder, log);
  const other = await database.pool.connect();
  await keepMigrationsOut(other);
  await database.pool.query(`alter database ${database.connection.database} set default_transaction_read_only = on`);
  const readOnly = await openDatabase({ connection: database.connection, maxConnections: 1, log });
  await migrate(readOnly, folder, log);
  await readOnly.end();
  await database.pool.query(`alter database ${database.connection.database} reset default_transaction_read_only`);
  await write('0002_two.sql', 'create table two (id int)');
  const words: string[] = [];
  const migrated = migrate(database.pool, folder, log, { waits: (text) => words.push(text) });
  await expect
    .poll(() => [...new Set(words)])
    .toEqual(['a backup, a restore or the migration of another instance is under way']);
  expect(await appliedNumbers(database.pool)).toEqual([1]);
  other.release(true);
  await migrated;
  expect(await appliedNumbers(database.pool)).toEqual([1, 2]);
});

describe('outside a transaction', () => {
  const INDEX = `-- Outside a transaction.
create index concurrently if not exists one_by_id on one (id);
-- And another.
create index concurrently if not exists one_by_name on one (name);
`;
  const indexes = `select indexrelid::regclass::text as name, indisvalid as valid from pg_index
                    where indrelid = 'one'::regclass order by 1`;
  const both = [
    { name: 'one_by_id', valid: true },
    { name: 'one_by_name', valid: true },
  ];

  test('indexes are built by one of several instances, none of which waits for ever', async () => {
    await write('0001_one.sql', 'create table one (id int, name text)');
    await write('0002_indexes.sql', INDEX);
    const options = { connection: database.connection, maxConnections: 1, log };
    const pools = await Promise.all([1, 2, 3].map(() => openDatabase(options)));
    try {
      await Promise.all(pools.map((pool) => migrate(pool, folder, log)));
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
    }
    expect(applied).toHaveLength(2);
    expect((await database.pool.query(indexes)).rows).toEqual(both);
  });

  test('what a killed process left half built is built again, and what others build is left alone', async () => {
    await write('0001_one.sql', 'create table one (id int, name text); create index one_by_id on one (id)');
    await migrate(database.pool, folder, log);
    await database.pool.query('create index of_somebody_else on one (name)');
    await database.pool.query(
      `update pg_index set indisvalid = false where indexrelid in ('one_by_id'::regclass, 'of_somebody_else'::regclass)`,
    );
    await write('0002_indexes.sql', INDEX);
    await migrate(database.pool, folder, log);
    expect((await database.pool.query(indexes)).rows).toEqual([{ name: 'of_somebody_else', valid: false }, ...both]);
  });
});

test('a migration that fails leaves nothing behind and can be repaired', async () => {
  await write('0001_one.sql', 'create table one (id int)');
  await write('0002_two.sql', 'create table two (id int); insert into nowhere values (1);');
  await expect(migrate(database.pool, folder, log)).rejects.toThrow(/0002_two\.sql failed .*nowhere/);
  expect(await appliedNumbers(database.pool)).toEqual([1]);
  expect((await database.pool.query("select to_regclass('two') as found")).rows).toEqual([{ found: null }]);

  await write('0002_two.sql', 'create table two (id int)');
  await migrate(database.pool, folder, log);
  expect(await appliedNumbers(database.pool)).toEqual([1, 2]);
});

test('two files with one number, or a name without one, are a mistake of ours and stop the start', async () => {
  await write('0001_one.sql', 'select 1');
  await write('0001_other.sql', 'select 1');
  await expect(migrate(database.pool, folder, log)).rejects.toThrow('the same number');
  await rm(join(folder, '0001_other.sql'));
  await write('later.sql', 'select 1');
  await expect(migrate(database.pool, folder, log)).rejects.toThrow('later.sql');
});

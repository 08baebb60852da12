import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { StartRefusal } from '../start-refusal.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

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

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import { StartRefusal } from '../start-refusal.ts';
import { inTransaction, openDatabase, type Transaction } from './database.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('create table kept (id int primary key)');
});

afterAll(() => database.drop());

async function keptIds(): Promise<number[]> {
  const found = await database.pool.query<{ id: number }>('select id from kept order by id');
  return found.rows.map((row) => row.id);
}

test('numbers, documents and dates come back exactly as they were stored', async () => {
  const found = await database.pool.query(`
    select 9007199254740993::int8 as whole, array[9007199254740993, null]::int8[] as wholes,
      9999999999999999.90::numeric as amount, array[0.10, null]::numeric[] as amounts,
      '{"amount": 9999999999999999.90}'::jsonb as document, '{"b":1.0, "a":1e2}'::json as raw,
      array['{"a": 1.0}']::jsonb[] as documents,
      date '2026-03-29' as day, timestamp '2026-03-29 02:30:00' as wall,
      timestamptz '2026-03-29 02:30:00+02' as instant, current_setting('timezone') as zone`);
  expect(found.rows).toEqual([
    {
      whole: 9007199254740993n,
      wholes: [9007199254740993n, null],
      amount: '9999999999999999.90',
      amounts: ['0.10', null],
      document: '{"amount": 9999999999999999.90}',
      raw: '{"b":1.0, "a":1e2}',
      documents: ['{"a": 1.0}'],
      day: '2026-03-29',
      wall: '2026-03-29 02:30:00',
      instant: new Date('2026-03-29T00:30:00Z'),
      zone: 'UTC',
    },
  ]);
});

test('isolation, durability and time limits are ours, whatever the server, the database or its role says', async () => {
  const { database: name } = database.connection;
  await database.pool.query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
  await database.pool.query(`alter database ${name} set synchronous_commit = 'off'`);
  await database.pool.query(`alter database ${name} set statement_timeout = 1000`);
  const settings = async () => {
    const pool = await openDatabase({ connection: database.url, maxConnections: 1, log: quiet });
    const found = await pool.query(
      "select current_setting('transaction_isolation') as isolation, current_setting('synchronous_commit') as commit, current_setting('statement_timeout') as timeout",
    );
    await pool.end();
    return found.rows[0];
  };
  expect(await settings()).toEqual({ isolation: 'read committed', commit: 'on', timeout: '0' });
  // Who waits for more keeps that.
  await database.pool.query(`alter database ${name} set synchronous_commit = 'remote_apply'`);
  expect(await settings()).toMatchObject({ commit: 'remote_apply' });
  await database.pool.query(`alter database ${name} reset all`);
});

test('a transaction commits what it did and gives its result', async () => {
  const result = await inTransaction(database.pool, async (tx) => {
    await tx.query('insert into kept (id) values ($1)', [1]);
    return 'done';
  });
  expect(result).toBe('done');
  expect(await keptIds()).toContain(1);
});

test('a transaction whose work throws leaves nothing and returns its connection', async () => {
  for (let round = 0; round < 20; round += 1) {
    const work = inTransaction(database.pool, async (tx) => {
      await tx.query('insert into kept (id) values ($1)', [2]);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
  }
  expect(await keptIds()).not.toContain(2);
  expect(database.pool.totalCount - database.pool.idleCount).toBe(0);
});

test('a commit that PostgreSQL answers with ROLLBACK throws', async () => {
  const work = inTransaction(database.pool, async (tx) => {
    await tx.query('insert into kept (id) values (3)');
    await tx.query('select 1 / 0').catch(() => {});
  });
  await expect(work).rejects.toThrow('rolled back');
  expect(await keptIds()).not.toContain(3);
});

test('a commit sent along with a statement that fails rejects and keeps nothing', async () => {
  const work = inTransaction(database.pool, async (tx) => {
    await Promise.all([tx.query('insert into kept (id) values (4)'), tx.query('select 1 / 0'), tx.commit()]);
  });
  await expect(work).rejects.toThrow('division by zero');
  expect(await keptIds()).not.toContain(4);

  await inTransaction(database.pool, async (tx) => {
    await Promise.all([tx.query('insert into kept (id) values (5)'), tx.commit()]);
  });
  expect(await keptIds()).toContain(5);
});

test('a statement sent after the end of its transaction throws instead of running elsewhere', async () => {
  const leaked = await inTransaction(database.pool, async (tx: Transaction) => ({ tx }));
  expect(() => leaked.tx.query('insert into kept (id) values (6)')).toThrow('has ended');
});

test('a transaction whose connection breaks rejects, and the pool goes on with a new connection', async () => {
  const work = inTransaction(database.pool, async (tx) => {
    await tx.query('select pg_terminate_backend(pg_backend_pid())');
  });
  await expect(work).rejects.toThrow();
  expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

test('an address that cannot be used is refused in one line without its password', async () => {
  const url = database.url.replace('tillseal@', 'tillseal:geheim@').replace(/test_\w+/, 'missing');
  const refusal = await openDatabase({ connection: url, maxConnections: 1, log: quiet }).catch(
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(StartRefusal);
  expect(String(refusal)).toMatch(/database missing, cannot be used .*check DATABASE_URL/);
  expect(String(refusal)).not.toContain('geheim');
  await expect(openDatabase({ connection: 'postgresql://[', maxConnections: 1, log: quiet })).rejects.toBeInstanceOf(
    StartRefusal,
  );
});

test('the pool waits for a server that is still starting and survives its sudden end', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillseal-database-'));
  const start = () => startEmbeddedPostgres({ dataDir, log: quiet, durable: false });
  const first = await start();
  await first.stop();
  const opening = openDatabase({ connection: first.connection, maxConnections: 2, log: quiet });
  const second = await start();
  const pool = await opening;
  try {
    const sleeping = pool.query('select pg_sleep(60)').catch((error: unknown) => error);
    const [processId] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(processId), 'SIGQUIT');
    expect(await sleeping).toBeInstanceOf(Error);
    await expect.poll(() => pool.query('select 1 as one').then((found) => found.rows)).toEqual([{ one: 1 }]);
  } finally {
    await pool.end();
    await second.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

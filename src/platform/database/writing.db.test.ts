import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/process.ts';
import { isSynchronous, type ReplicatedPostgres, startReplicated } from '../../../test/support/replicated-postgres.ts';
import { regularly } from '../work/due.ts';
import { barrierOf, confirmed, confirmedOne } from './barrier.ts';
import {
  inTransaction,
  inUnhurriedTransaction,
  openDatabase,
  primaryOf,
  type Queryable,
  UNHURRIED,
} from './database.ts';
import { OrderedConnection } from './ordered-connection.ts';
import { PrimaryWatch } from './primary-watch.ts';
import { CommitsWaitError } from './writing.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const CONNECTIONS = 10;

let folder: string;
let replicated: ReplicatedPostgres;
let pool: Pool;
let watch: PrimaryWatch;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillseal-writing-'));
  replicated = await startReplicated(folder);
  const connection = `postgresql://tillseal@127.0.0.1:${replicated.primary.port}/postgres`;
  pool = await openDatabase({ connection, maxConnections: CONNECTIONS, log: quiet });
  await pool.query('create table kept (id text primary key, number integer not null default 0)');
  await pool.query("insert into kept values ('old')");
  primaryOf(pool).isStarting = false;
  watch = new PrimaryWatch(primaryOf(pool), quiet);
  watch.start();
  await until(() => primaryOf(pool).isReplicated, 'the heartbeat has seen the standby');
});
afterAll(async () => {
  await watch?.stop();
  await barrierOf(pool).close();
  await pool?.end();
  await replicated?.end();
  await rm(folder, { recursive: true, force: true });
});

const write = (id: string) => pool.query('insert into kept (id) values ($1)', [id]);
const read = (id: string) => pool.query('select id, array[xmin] as xmins from kept where id = $1', [id]);
const busy = () => pool.totalCount - pool.idleCount;
const ended = (work: Promise<unknown>) => work.catch((error: unknown) => error);

/** Of the heart that finds out whether commits wait. */
const BEATS_MS = 4 * 2000;

test('what is written leaves connections to those who read, however much of it waits', async () => {
  const locked = Promise.withResolvers<void>();
  const holder = inTransaction(pool, async (tx) => {
    await tx.query("update kept set number = 1 where id = 'old'");
    await locked.promise;
  });
  const again = "update kept set number = number + 1 where id = 'old'";
  const waiting = Array.from({ length: 3 * CONNECTIONS }, () => [
    pool.query(again),
    inTransaction(pool, (tx) => tx.query(again)),
    pool.query(`update kept set number = number + 1 from ${UNHURRIED} where id = 'old'`),
    inUnhurriedTransaction(pool, (tx) => tx.query(again)),
  ]).flat();
  await expect.poll(busy).toBe(8);
  expect(pool.waitingCount).toBe(12 * CONNECTIONS + 1 - 8);
  expect((await Promise.all(Array.from({ length: 50 }, () => read('old')))).length).toBe(50);
  locked.resolve();
  await Promise.all([holder, ...waiting]);
  expect((await pool.query("select number from kept where id = 'old'")).rows).toEqual([
    { number: 12 * CONNECTIONS + 1 },
  ]);
  expect([busy(), pool.waitingCount]).toEqual([0, 0]);
});

test('no function of the schema writes but triggers, so that a statement says itself whether it does', async () => {
  const database = await createTestDatabase();
  const { rows } = await database.pool.query(
    "select proname from pg_proc where pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype",
  );
  await database.drop();
  expect(rows).toEqual([]);
});

test('under full load nothing is refused because commits wait, while the standby is well', async () => {
  const begunAt = performance.now();
  const raise = (db: Queryable, index: number) =>
    db.query('update kept set number = number + 1 where id = $1', [`load-${index}`]);
  let count = 0;
  const refused: unknown[] = [];
  const beats: boolean[] = [];
  watch.onBeat(() => beats.push(watch.isWaiting));
  const writers = Array.from({ length: 3 * CONNECTIONS }, async (_, index) => {
    await write(`load-${index}`);
    for (; performance.now() - begunAt < BEATS_MS; count += 1) {
      const work = count % 2 === 0 ? raise(pool, index) : inTransaction(pool, (tx) => raise(tx, index));
      await work.catch((error: unknown) => refused.push(error));
    }
  });
  await Promise.all(writers);
  expect(refused).toEqual([]);
  expect(beats.length).toBeGreaterThan(2);
  expect(beats).not.toContain(true);
  expect(count).toBeGreaterThan(100);
});

describe('while commits wait for a standby', () => {
  const logged: unknown[] = [];
  const ordered: OrderedConnection[] = [];
  let waiting: Promise<unknown>;

  beforeAll(async () => {
    await replicated.standby.kill();
    waiting = write('waits');
    ordered.push(new OrderedConnection(pool));
  });
  afterAll(async () => {
    for (const connection of ordered) connection.close();
  });

  test('one that is not there is not called so before the heartbeat has noticed either', async () => {
    const asked = ended(confirmedOne(pool).query('select from kept where id = $1', ['waits']));
    expect(await asked).toMatchObject({ code: expect.stringMatching(/^(08007|57P03)$/) });
  });

  test('nothing new is begun, nobody waits, and reading goes on', async () => {
    await expect.poll(() => watch.isWaiting).toBe(true);
    const begunAt = performance.now();
    const number = "update kept set number = 0 where id = 'old'";
    const refused = [
      write('new'),
      pool.query(`with found as (select 1) ${number}`),
      pool.query("select from kept where id = 'old' for share"),
      inTransaction(pool, (tx) => tx.query(number)),
      ...ordered.map((connection) => connection.query(number)),
      confirmedOne(pool).query('select from kept where id = $1', ['waits']),
      confirmed(pool).query('select from kept'),
    ];
    for (const error of await Promise.all(refused.map(ended))) expect(error).toBeInstanceOf(CommitsWaitError);
    await pool.query(`update kept set number = 7 from ${UNHURRIED} where id = 'old'`);
    await inUnhurriedTransaction(pool, (tx) => tx.query("update kept set number = number + 1 where id = 'old'"));
    expect((await pool.query("select number from kept where id = 'old'")).rows).toEqual([{ number: 8 }]);
    expect(performance.now() - begunAt).toBeLessThan(9000);
    expect(watch.isWaiting).toBe(true);
  });

  test('work that is due rests without a word', async () => {
    let looks = 0;
    const log = {
      ...quiet,
      warn: (fields: object) => logged.push(fields),
      error: (fields: object) => logged.push(fields),
    };
    const work = regularly(
      10,
      () => {
        looks += 1;
        return write('due');
      },
      log,
    );
    work.start();
    await expect.poll(() => looks).toBeGreaterThan(3);
    await work.stop();
    expect(logged).toEqual([]);
  });

  test('a commit that is confirmed ends it at once, and everything goes on', async () => {
    await replicated.standby.startAgain();
    await until(() => isSynchronous(replicated.primary), 'the standby is synchronous again');
    await waiting;
    await expect.poll(() => watch.isWaiting).toBe(false);
    await write('after');
    expect((await confirmedOne(pool).query('select from kept where id = $1', ['waits'])).rows).toHaveLength(1);
    expect(busy()).toBe(0);
  });
});

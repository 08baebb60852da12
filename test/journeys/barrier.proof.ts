import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { barrierOf, confirmed, epochOf } from '../../src/platform/database/barrier.ts';
import { openDatabase, primaryOf } from '../../src/platform/database/database.ts';
import { PrimaryWatch } from '../../src/platform/database/primary-watch.ts';
import { UnconfirmedError } from '../../src/platform/database/server.ts';
import { CommitsWaitError } from '../../src/platform/database/writing.ts';
import { until } from '../support/process.ts';
import { isSynchronous, type ReplicatedPostgres, startReplicated } from '../support/replicated-postgres.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const KEPT = 'select id, array[xmin] as xmins from kept where id = $1';

let folder: string;
let replicated: ReplicatedPostgres;
let pool: Pool;
let watch: PrimaryWatch;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillseal-barrier-'));
  replicated = await startReplicated(folder);
  const { primary, standby } = replicated;
  const connection = `postgresql://tillseal@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
  pool = await openDatabase({ connection, maxConnections: 6, log: quiet });
  watch = new PrimaryWatch(primaryOf(pool), quiet);
  watch.start();
  await until(() => primaryOf(pool).isReplicated, 'the heartbeat saw the standby');
  await pool.query('create table kept (id text primary key)');
});
afterAll(async () => {
  await watch?.stop();
  await barrierOf(pool).close();
  await pool?.end();
  await replicated?.end();
  await rm(folder, { recursive: true, force: true });
});

const write = (id: string) => pool.query('insert into kept (id) values ($1)', [id]);
const shown = async (id: string) => (await confirmed(pool).query(KEPT, [id])).rows.length;
const visible = async (id: string) => (await replicated.primary.query(KEPT, [id])).length === 1;

async function waiting(): Promise<number> {
  const rows = await replicated.primary.query<{ pid: number }>(
    "select pid from pg_stat_activity where wait_event = 'SyncRep' and query like 'insert%' and application_name = 'tillseal'",
  );
  return rows[0]?.pid ?? 0;
}

/** Begins a commit that cannot be confirmed; resolves with its fate once it waits. */
async function writeAlone(id: string): Promise<{ readonly fate: Promise<unknown> }> {
  const fate = write(id).then(
    () => 'confirmed',
    (error: unknown) => error,
  );
  await until(async () => (await waiting()) > 0, 'the commit waits');
  return { fate };
}

async function standbyBack(): Promise<void> {
  await replicated.standby.startAgain();
  await until(() => isSynchronous(replicated.primary), 'the standby is synchronous again');
}

test('what the standby had before the last barrier is read at once, also while it is away', async () => {
  await write('old');
  expect(await shown('old')).toBe(1); // passes a barrier
  await replicated.standby.kill();
  const begun = performance.now();
  expect(await shown('old')).toBe(1);
  expect(performance.now() - begun).toBeLessThan(2000);
  await standbyBack();
});

test('a commit whose wait for the standby is cancelled is not taken for done, and what it wrote is not shown before the standby has it', async () => {
  await replicated.standby.kill();
  const { fate } = await writeAlone('cancelled');
  await replicated.primary.query('select pg_cancel_backend($1)', [await waiting()]);
  expect(await fate).toBeInstanceOf(UnconfirmedError);
  await until(() => visible('cancelled'), 'the row is visible');
  await expect(shown('cancelled')).rejects.toBeInstanceOf(UnconfirmedError);
  await until(() => watch.isWaiting, 'the heartbeat has noticed');
  await expect(shown('cancelled')).rejects.toBeInstanceOf(CommitsWaitError);
  await standbyBack();
  await until(async () => (await shown('cancelled').catch(() => 0)) === 1, 'it is shown');
});

test('a row that the crash of one server process made visible is not shown before the standby has it', async () => {
  await replicated.standby.kill();
  const { fate } = await writeAlone('crashed');
  process.kill(await waiting(), 'SIGKILL');
  expect(await fate).toBeInstanceOf(Error);
  await until(() => visible('crashed').catch(() => false), 'the row is visible');
  await until(
    () =>
      pool.query('select 1').then(
        () => true,
        () => false,
      ),
    'the pool is back',
  );
  await expect(shown('crashed')).rejects.toBeInstanceOf(UnconfirmedError);
  await standbyBack();
  expect(await shown('crashed')).toBe(1);
});

test('what was read on one server is not confirmed by another', async () => {
  const epoch = epochOf(pool);
  await replicated.primary.kill();
  await replicated.primary.startAgain();
  await until(() => isSynchronous(replicated.primary), 'the standby is synchronous again');
  await until(
    () =>
      write('again').then(
        () => true,
        () => false,
      ),
    'the pool is back',
  );
  await expect(barrierOf(pool).pass(epoch)).rejects.toBeInstanceOf(UnconfirmedError);
  await barrierOf(pool).pass(epochOf(pool));
});

test('a primary whose commits wait is left, within fifteen seconds, for the standby that was promoted beside it', async () => {
  await write('before');
  await replicated.promote();
  const promotedAt = performance.now();
  const { fate } = await writeAlone('lost');
  await until(
    () =>
      write('after').then(
        () => true,
        () => false,
      ),
    'a commit on the promoted one',
  );
  expect((performance.now() - promotedAt) / 1000).toBeLessThan(15);
  expect(await fate).toBeInstanceOf(Error);
  expect(await shown('before')).toBe(1);
  expect(await replicated.standby.query(KEPT, ['after'])).toHaveLength(1);
  expect(await replicated.standby.query(KEPT, ['lost'])).toHaveLength(0);
  // The server that was replaced acknowledges commits again: it lacks what was written since, and nobody goes back to it.
  await replicated.primary.query('alter system reset synchronous_standby_names');
  await replicated.primary.query('select pg_reload_conf()');
  primaryOf(pool).lose(primaryOf(pool).hosts.current);
  primaryOf(pool).leave();
  await until(
    () =>
      write('still here').then(
        () => true,
        () => false,
      ),
    'a commit after all connections were lost',
  );
  expect(await replicated.standby.query(KEPT, ['still here'])).toHaveLength(1);
});

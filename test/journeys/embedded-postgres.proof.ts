import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { StartRefusal } from '../../src/platform/start-refusal.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
let dataDir: string;
let running: EmbeddedPostgres[];
let children: ChildProcess[];

/** With a database in it: initdb takes longer than most of what is tested here, so it is run once and copied. */
let made: string;
beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'tillseal-embedded-'));
  await (await startEmbeddedPostgres({ dataDir: made, log: quiet, durable: false })).stop();
});
afterAll(() => rm(made, { recursive: true, force: true }));

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tillseal-embedded-'));
  running = [];
  children = [];
});

async function startMade(durable = false): Promise<EmbeddedPostgres> {
  await promisify(execFile)('cp', ['-a', join(made, 'postgres'), dataDir]);
  return start(dataDir, durable);
}

afterEach(async () => {
  await Promise.all(running.map((postgres) => postgres.stop()));
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    if (child.connected) child.disconnect();
    else child.kill();
    await once(child, 'exit');
  }
  await rm(dataDir, { recursive: true, force: true });
});

async function start(folder = dataDir, durable = false): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: quiet, durable });
  running.push(postgres);
  return postgres;
}

async function refusalOf(starting: Promise<unknown>): Promise<string> {
  const error = await starting.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartRefusal);
  const message = error instanceof Error ? error.message : '';
  expect(message).not.toContain('\n');
  return message;
}

async function query(postgres: EmbeddedPostgres, statement: string): Promise<unknown[]> {
  const client = new Client(postgres.connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query({ text: statement, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

async function serverProcess(folder = dataDir): Promise<number> {
  return Number((await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

function isAlive(processId: number): boolean {
  try {
    // A zombie whose parent was killed has no command line left.
    process.kill(processId, 0);
    return process.platform !== 'linux' || existsSync(`/proc/${processId}/exe`);
  } catch {
    return false;
  }
}

function startInProcess(): { child: ChildProcess; outcome: Promise<{ isReady: boolean; refusal?: string }> } {
  const child = fork(resolve(import.meta.dirname, '../support/embedded-postgres-process.ts'), [dataDir]);
  children.push(child);
  return { child, outcome: once(child, 'message').then(([message]) => message) };
}

test('rows survive a stop and a start, with durability on and exact text order', async () => {
  const first = await start(dataDir, true);
  await query(first, 'create table kept (value text)');
  await query(first, "insert into kept values ('é'), ('z')");
  await first.stop();

  const second = await start(dataDir, true);
  expect(await query(second, 'select value from kept order by value')).toEqual([['z'], ['é']]);
  expect(
    await query(
      second,
      "select current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes'), current_setting('timezone'), current_setting('listen_addresses')",
    ),
  ).toEqual([['on', 'on', 'on', 'UTC', '']]);
});

test('stop ends the server, may be called twice, and leaves the folder for the next start', async () => {
  const postgres = await startMade();
  const processId = await serverProcess();
  await Promise.all([postgres.stop(), postgres.stop()]);
  await postgres.stop();
  expect(isAlive(processId)).toBe(false);
  await start();
});

test('only the owner can reach the socket, which is what the missing password relies on', async () => {
  const postgres = await start();
  expect((await stat(postgres.connection.host)).mode & 0o777).toBe(0o700);
});

test('a second start on the same folder is refused in one line and does not disturb the first', async () => {
  const first = await startMade();
  const fromThisProcess = await refusalOf(start());
  expect(fromThisProcess).toContain('already running on DATA_DIR');
  expect(fromThisProcess).toContain(`process ${process.pid}`);
  expect(await startInProcess().outcome).toMatchObject({ isReady: false, refusal: fromThisProcess });
  expect(await query(first, 'select 1')).toEqual([[1]]);
});

test('of two processes that start at the same moment on an empty folder one wins and one is refused', async () => {
  const outcomes = await Promise.all([startInProcess().outcome, startInProcess().outcome]);
  expect(outcomes.filter((outcome) => outcome.isReady)).toHaveLength(1);
  expect(outcomes.find((outcome) => !outcome.isReady)?.refusal).toContain('already running on DATA_DIR');
});

test('the server that a killed service left behind is ended and the data taken over', async () => {
  const { child, outcome } = startInProcess();
  expect(await outcome).toEqual({ isReady: true });
  const orphan = await serverProcess();
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive(orphan)).toBe(true);

  const postgres = await start();
  expect(isAlive(orphan)).toBe(false);
  expect(await query(postgres, 'select current_database()')).toEqual([['tillseal']]);
});

test('a killed server is started again automatically, with the rows that were committed', async () => {
  const postgres = await startMade(true);
  await query(postgres, 'create table kept as select 1 as value');
  const killed = await serverProcess();
  process.kill(killed, 'SIGKILL');
  await expect.poll(() => query(postgres, 'select value from kept')).toEqual([[1]]);
  expect(await serverProcess()).not.toBe(killed);
});

test('a stop while the server is being restarted leaves nothing running', async () => {
  const postgres = await startMade();
  process.kill(await serverProcess(), 'SIGKILL');
  await postgres.stop();
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  if (existsSync(file)) expect(isAlive(await serverProcess())).toBe(false);
  await start();
});

test('a killed service and server, whose process id another program has by now, do not prevent a start', async () => {
  await (await startMade()).stop();
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  children.push(stranger);
  const cluster = join(dataDir, 'postgres');
  const staleFile = join(cluster, 'postmaster.pid');
  await writeFile(staleFile, `${stranger.pid}\n${cluster}\n1\n5432\n${cluster}\n\n`, { mode: 0o600 });
  const { uid, gid } = await stat(cluster);
  await chown(staleFile, uid, gid);
  await start();
  expect(stranger.exitCode).toBeNull();
});

test('a damaged page that every connection needs is told at once, not waited for', async () => {
  await (await startMade()).stop();
  const [databases, page] = [join(dataDir, 'postgres/global/1262'), Buffer.alloc(8192, 'torn')];
  await writeFile(databases, page, { flag: 'r+' });
  expect(await refusalOf(start())).toContain('invalid page in block 0 of relation "global/1262"');
});

test('an initdb that was killed half way does not poison the folder', async () => {
  await mkdir(join(dataDir, 'postgres.unfinished-abc', 'base'), { recursive: true });
  await start();
  expect((await readdir(dataDir)).filter((name) => name.includes('unfinished'))).toEqual([]);
});

test('a folder whose path is too long for a socket works, and its temporary socket folder goes with it', async () => {
  // Where root has to step down to another user, that user must get through.
  await chmod(dataDir, 0o711);
  const folder = join(dataDir, 'a folder with "quotes", commas and ümlauts'.repeat(3));
  const postgres = await start(folder);
  expect(postgres.connection.host.startsWith(tmpdir())).toBe(true);
  expect(postgres.connection.host.startsWith(dataDir)).toBe(false);
  expect(await query(postgres, 'select 1')).toEqual([[1]]);
  await postgres.stop();
  expect(existsSync(postgres.connection.host)).toBe(false);
});

test('a data folder that is a file, or lies below one, is refused in one line', async () => {
  const file = join(dataDir, 'file');
  await writeFile(file, '');
  expect(await refusalOf(start(file))).toContain(file);
  expect(await refusalOf(start(join(file, 'below')))).toContain('is a file or lies below one');
});

test('a server that cannot start is refused with its own reason and does not keep the folder', async () => {
  await (await startMade()).stop();
  const versionFile = join(dataDir, 'postgres', 'PG_VERSION');
  await writeFile(versionFile, '14\n');
  expect(await refusalOf(start())).toContain('incompatible');
  await writeFile(versionFile, '18\n');
  await start();
});

test('the log is put aside when it has grown past ten megabytes', async () => {
  await writeFile(join(dataDir, 'postgres.log'), Buffer.alloc(10_000_001));
  await startMade();
  expect((await stat(join(dataDir, 'postgres.log'))).size).toBeLessThan(100_000);
  expect((await stat(join(dataDir, 'postgres.log.1'))).size).toBe(10_000_001);
});

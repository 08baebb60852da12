import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markRestored } from '../../src/backup/mark-restored.ts';
import { openDatabase, primaryOf } from '../../src/platform/database/database.ts';
import { noteTimeline } from '../../src/platform/database/lineage-store.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import type { Log } from '../../src/platform/logging/log.ts';
import { addressOf } from '../support/authority/replicated-service.ts';
import { until } from '../support/process.ts';
import { type DatabaseServer, type ReplicatedPostgres, startReplicated } from '../support/replicated-postgres.ts';

const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname;
const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} };
let folder: string;
let dataDir: string;
let servers: ReplicatedPostgres;
let third: DatabaseServer;
/** As a service that runs all the while. */
let running: Pool;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillseal-back-'));
  dataDir = join(folder, 'data');
  servers = await startReplicated(folder);
  await servers.primary.query('create role plain login');
  await servers.primary.query('create database tillseal owner plain');
  third = await servers.addThird();
  running = await open(hosts(), dataDir);
  await migrate(running, MIGRATIONS, quiet);
  await work(running);
});
afterAll(async () => {
  await running?.end();
  await servers?.end();
  await rm(folder, { recursive: true, force: true });
});

/** The third one is named where it is to be asked. */
const hosts = () => [servers.primary, servers.standby, third];
const open = (named: readonly DatabaseServer[], seenIn: string | undefined, log = quiet) =>
  openDatabase({ connection: roleOf(addressOf(...named)), maxConnections: 2, log, dataDir: seenIn });
const roleOf = (address: string) => address.replace('tillseal@', 'plain@');

async function portOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ port: number }>('select inet_server_port() as port');
  return rows[0]?.port ?? 0;
}

/** What a service does on a server once it has confirmed a commit. */
async function work(pool: Pool): Promise<void> {
  const primary = primaryOf(pool);
  if (primary.server === undefined) throw new Error('there is no server');
  await noteTimeline(pool, primary.server);
  await primary.confirm(primary.server);
}

/** Which server a start chooses, and whether it is to compare its devices first. */
async function chosen(named: readonly DatabaseServer[], seenIn: string | undefined): Promise<(number | boolean)[]> {
  const pool = await open(named, seenIn);
  try {
    return [await portOf(pool), primaryOf(pool).isUnproved];
  } finally {
    await pool.end();
  }
}

const mark = (...named: readonly DatabaseServer[]) =>
  markRestored({ kind: 'database', url: roleOf(addressOf(...named)), dataDir }, new Date(), quiet);

test('a start uses the server that was promoted, though the one that it replaced takes writes, is confirmed by a standby and is named first', async () => {
  const { primary, standby } = servers;
  expect(await portOf(running)).toBe(primary.port);
  await standby.promote();
  for (const seenIn of [dataDir, undefined]) expect(await chosen(hosts(), seenIn)).toEqual([standby.port, false]);
  await running.end();
  running = await open(hosts(), dataDir);
  await work(running);
});

test('with the promoted server away the replaced one is refused where it was seen, and is not trusted where nothing was', async () => {
  const { primary, standby } = servers;
  await standby.stop();
  const lines: string[] = [];
  const log = { ...quiet, warn: (_: unknown, words: string) => lines.push(words) };
  const refusal = await open(hosts(), dataDir, log).catch(String);
  expect(refusal).toMatch(
    new RegExp(
      `^StartRefusal: The database server 127.0.0.1:${primary.port} is on timeline 1, .* worked on timeline 2`,
    ),
  );
  expect(lines).toEqual([expect.stringContaining(`127.0.0.1:${standby.port} of DATABASE_URL must answer first`)]);
  // One host alone, as behind a proxy, and the service that runs.
  await expect(open([primary], dataDir)).rejects.toThrow(/timeline 1/);
  await until(
    () =>
      portOf(running).then(
        () => false,
        (error: Error) => /timeline 1/.test(error.message),
      ),
    'it refuses it',
  );
  expect(await chosen([primary, standby], undefined)).toEqual([primary.port, true]);
});

test('a person goes back with restore mark, which every instance believes, and what was given up is never used again', async () => {
  const { primary, standby } = servers;
  await standby.startAgain();
  await expect(mark(...hosts())).rejects.toThrow(/is not the only one of DATABASE_URL that takes writes/);
  await standby.stop();
  expect(await mark(...hosts())).toMatchObject({
    source: expect.stringContaining(`127.0.0.1:${primary.port}, timeline 1`),
  });
  await until(
    () =>
      portOf(running).then(
        (port) => port === primary.port,
        () => false,
      ),
    'the running one goes back',
  );
  await until(async () => (await rowsOf(third)).length === 2, 'its standby has the mark');
  await standby.startAgain();
  for (const seenIn of [dataDir, undefined]) expect(await chosen(hosts(), seenIn)).toEqual([primary.port, false]);
  await primary.stop();
  await expect(open(hosts(), dataDir)).rejects.toThrow(
    new RegExp(`127.0.0.1:${standby.port} was given up .* take it out of DATABASE_URL and rebuild it`),
  );
  // Its own standby has the mark, and may take its place, on the very number that was given up.
  await third.promote();
  expect(await chosen(hosts(), dataDir)).toEqual([third.port, false]);
  await until(
    () =>
      portOf(running).then(
        (port) => port === third.port,
        () => false,
      ),
    'the running one follows',
  );
});

const rowsOf = (server: DatabaseServer) =>
  server.query(
    'select from database_timelines where accepted_at is not null or given_up_at is not null',
    [],
    'tillseal',
  );

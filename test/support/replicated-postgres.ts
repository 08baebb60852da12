/** PostgreSQL as it is installed on the machine, as a primary and a synchronous standby. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { Client, type QueryResultRow } from 'pg';
import {
  chooseServerUser,
  type ServerUser,
  serverEnvironment,
} from '../../src/platform/embedded-postgres/server-user.ts';
import { until } from './process.ts';

const run = promisify(execFile);
const PROGRAMS = ['initdb', 'pg_basebackup', 'postgres'] as const;

/** The folder of the programs, or undefined where they are not installed: the embedded server comes without pg_basebackup. */
export function findPostgresPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))));
}

export class DatabaseServer {
  readonly port: number;
  readonly #start: () => ChildProcess;
  #child: ChildProcess;

  constructor(port: number, start: () => ChildProcess) {
    this.port = port;
    this.#start = start;
    this.#child = start();
  }

  /** All of its processes, at once. */
  async kill(): Promise<void> {
    const ended = once(this.#child, 'close');
    // PostgreSQL's own children end when they see that their parent is gone; the group takes them along at once.
    process.kill(-(this.#child.pid ?? 0), 'SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'close');
    process.kill(-(this.#child.pid ?? 0), 'SIGQUIT');
    await ended;
  }

  async startAgain(): Promise<void> {
    this.#child = this.#start();
    await this.untilReady();
  }

  async query<Row extends QueryResultRow>(statement: string, values: unknown[] = []): Promise<Row[]> {
    const client = new Client({ host: '127.0.0.1', port: this.port, user: 'tillseal', database: 'postgres' });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(statement, values)).rows;
    } finally {
      await client.end();
    }
  }

  untilReady(): Promise<void> {
    const isReady = () =>
      this.query('select 1').then(
        () => true,
        () => false,
      );
    return until(isReady, `the server on port ${this.port} answers`);
  }
}

export interface ReplicatedPostgres {
  readonly primary: DatabaseServer;
  readonly standby: DatabaseServer;
  /** Resolves when the standby can be written to. */
  promote(): Promise<void>;
  end(): Promise<void>;
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  synchronous_commit: 'on',
  max_connections: '100',
  shared_buffers: '64MB',
  // A standby that was away for a moment is back after this long.
  wal_retrieve_retry_interval: '200ms',
  timezone: 'UTC',
};

/** `folder` is one of the test's own: everything is made inside it. */
export async function startReplicated(programs: string, folder: string): Promise<ReplicatedPostgres> {
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')];
  const user = await chooseServerUser(folder, first, join(programs, 'postgres'));
  const call = (program: string, words: string[]) => runAs(user, join(programs, program), words);
  const serve = (cluster: string, port: number, settings: Record<string, string>) => () =>
    spawnAs(user, join(programs, 'postgres'), [
      '-D',
      cluster,
      ...settingWords({ ...SETTINGS, ...settings, port: `${port}` }),
    ]);
  await makeFolder(user, first);
  await call('initdb', [
    '-D',
    first,
    '--username=tillseal',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  const primary = new DatabaseServer(primaryPort, serve(first, primaryPort, {}));
  await primary.untilReady();
  await makeFolder(user, second);
  const source = `host=127.0.0.1 port=${primaryPort} user=tillseal application_name=standby`;
  await call('pg_basebackup', [
    '-d',
    source,
    '-D',
    second,
    '-R',
    '-X',
    'stream',
    '-C',
    '-S',
    'standby',
    '-c',
    'fast',
    '--no-sync',
  ]);
  // Its own settings name no standby: promoted, it would otherwise wait for one that is not there.
  const standby = new DatabaseServer(standbyPort, serve(second, standbyPort, {}));
  await standby.untilReady();
  await primary.query("alter system set synchronous_standby_names = 'standby'");
  await primary.query('select pg_reload_conf()');
  await until(() => isSynchronous(primary), 'the standby is synchronous');
  return {
    primary,
    standby,
    promote: async () => {
      await standby.query('select pg_promote(true, 60)');
    },
    end: async () => {
      await primary.stop();
      await standby.stop();
    },
  };
}

export async function isSynchronous(primary: DatabaseServer): Promise<boolean> {
  const rows = await primary.query("select from pg_stat_replication where sync_state = 'sync' and state = 'streaming'");
  return rows.length === 1;
}

function settingWords(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** PostgreSQL does not run as root, and wants its folder for itself. */
async function makeFolder(user: ServerUser, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  if (user.identity !== undefined) await chown(folder, user.identity.uid, user.identity.gid);
}

async function runAs(user: ServerUser, program: string, words: string[]): Promise<void> {
  const [first = program, ...rest] = [...user.prefix, program, ...words];
  await run(first, rest, { cwd: '/', env: serverEnvironment, ...user.identity });
}

function spawnAs(user: ServerUser, program: string, words: string[]): ChildProcess {
  const [first = program, ...rest] = [...user.prefix, program, ...words];
  return spawn(first, rest, { cwd: '/', env: serverEnvironment, ...user.identity, detached: true, stdio: 'ignore' });
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, '127.0.0.1'), 'listening');
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The embedded PostgreSQL as a primary and a synchronous standby. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { ensureCluster, findPrograms } from '../../src/platform/embedded-postgres/cluster.ts';
import {
  chooseServerUser,
  type ServerUser,
  serverEnvironment,
} from '../../src/platform/embedded-postgres/server-user.ts';
import { freePort, until } from './process.ts';

export class DatabaseServer {
  readonly port: number;
  readonly #folder: string;
  readonly #start: () => ChildProcess;
  #child: ChildProcess;

  constructor(port: number, folder: string, start: () => ChildProcess) {
    this.port = port;
    this.#folder = folder;
    this.#start = start;
    this.#child = start();
  }

  /** All of its processes, as when its machine is lost. */
  async kill(): Promise<void> {
    const ended = once(this.#child, 'close');
    this.signal('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'close');
    this.signal('SIGCONT');
    process.kill(this.#child.pid ?? 0, 'SIGQUIT');
    await ended;
  }

  /** To the server and each of its processes: they have process groups of their own. */
  signal(signal: NodeJS.Signals): void {
    const server = this.#child.pid ?? 0;
    for (const id of [server, ...childrenOf(server)]) {
      try {
        process.kill(id, signal);
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  async startAgain(): Promise<void> {
    this.#child = this.#start();
    await this.untilReady();
  }

  /** As Patroni restarts a leader: as a standby of nobody, which is promoted, so that a new timeline begins. */
  async restartInPlace(): Promise<void> {
    await this.kill();
    await appendFile(join(this.#folder, 'standby.signal'), '');
    await this.startAgain();
    await this.promote();
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 60)');
  }

  async query<Row extends QueryResultRow>(
    statement: string,
    values: unknown[] = [],
    database = 'postgres',
  ): Promise<Row[]> {
    const client = new Client({ host: '127.0.0.1', port: this.port, user: 'tillseal', database });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(statement, values)).rows;
    } finally {
      await client.end();
    }
  }

  untilReady(): Promise<void> {
    const isReady = () => {
      // Refused for a moment where processes of a killed server still end.
      if (this.#child.exitCode !== null) this.#child = this.#start();
      return this.query('select 1').then(
        () => true,
        () => false,
      );
    };
    return until(isReady, `the server on port ${this.port} answers`);
  }
}

export interface ReplicatedPostgres {
  readonly primary: DatabaseServer;
  readonly standby: DatabaseServer;
  /** Another standby of the primary, which may confirm commits as the first one may. */
  addThird(): Promise<DatabaseServer>;
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
  wal_keep_size: '256MB',
  // A standby that was away for a moment is back after this long.
  wal_retrieve_retry_interval: '200ms',
  timezone: 'UTC',
};

/** `folder` is one of the test's own: everything is made inside it. */
export async function startReplicated(folder: string): Promise<ReplicatedPostgres> {
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')];
  const programs = await findPrograms();
  const user = await chooseServerUser(folder, first, programs.postgres);
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  await ensureCluster(first, folder, programs, user, false);
  // A copy of a server that was never started needs no more than the first one's log, from its beginning.
  await cp(first, second, { recursive: true, preserveTimestamps: true });
  const source = `host=127.0.0.1 port=${primaryPort} user=tillseal application_name=standby`;
  await appendFile(join(second, 'postgresql.conf'), `primary_conninfo = '${source}'\n`);
  await appendFile(join(second, 'standby.signal'), '');
  await chooseServerUser(folder, second, programs.postgres); // whose folder it becomes
  const serve = (cluster: string, port: number) => () =>
    spawnAs(user, programs.postgres, ['-D', cluster, ...settingWords({ ...SETTINGS, port: `${port}` })]);
  const third = join(folder, 'third');
  await cp(second, third, { recursive: true, preserveTimestamps: true });
  const primary = new DatabaseServer(primaryPort, first, serve(first, primaryPort));
  await primary.untilReady();
  // Its own settings name no standby: promoted, it would otherwise wait for one that is not there.
  const standby = new DatabaseServer(standbyPort, second, serve(second, standbyPort));
  await standby.untilReady();
  const others: DatabaseServer[] = [];
  await primary.query("alter system set synchronous_standby_names = 'standby'");
  await primary.query('select pg_reload_conf()');
  await until(() => isSynchronous(primary), 'the standby is synchronous');
  return {
    primary,
    standby,
    addThird: async () => {
      const port = await freePort();
      await appendFile(
        join(third, 'postgresql.conf'),
        `primary_conninfo = '${source.replace('name=standby', 'name=third')}'\n`,
      );
      await chooseServerUser(folder, third, programs.postgres);
      const server = new DatabaseServer(port, third, serve(third, port));
      others.push(server);
      await server.untilReady();
      await primary.query("alter system set synchronous_standby_names = 'ANY 1 (standby, third)'");
      await primary.query('select pg_reload_conf()');
      await until(async () => (await confirming(primary)) === 2, 'both standbys confirm');
      return server;
    },
    promote: () => standby.promote(),
    end: async () => {
      for (const server of [primary, standby, ...others]) await server.stop();
    },
  };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((id) => {
      try {
        // After the name in brackets: state, then the parent.
        return id > 0 && Number(readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]) === parent;
      } catch {
        return false;
      }
    });
}

export async function isSynchronous(primary: DatabaseServer): Promise<boolean> {
  return (await confirming(primary)) === 1;
}

async function confirming(primary: DatabaseServer): Promise<number> {
  const rows = await primary.query(
    "select from pg_stat_replication where sync_state in ('sync', 'quorum') and state = 'streaming'",
  );
  return rows.length;
}

function settingWords(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function spawnAs(user: ServerUser, program: string, words: string[]): ChildProcess {
  const [first = program, ...rest] = [...user.prefix, program, ...words];
  return spawn(first, rest, { cwd: '/', env: serverEnvironment, ...user.identity, detached: true, stdio: 'ignore' });
}

import { readdirSync, readFileSync } from 'node:fs';
import { readFile, symlink, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Pool } from 'pg';
import { openDatabase } from '../../src/platform/database/database.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { isAlive, postmasterId, until } from '../../test/support/process.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** One durable PostgreSQL for all instances. This process starts it, and starts it again after it was killed. */
export class ChaosDatabase {
  readonly folder: string;
  readonly pool: Pool;
  /** The server's socket, for the proxies. */
  readonly socket: string;
  readonly #server: EmbeddedPostgres;
  readonly #ends: string[];
  readonly #killAtExit: () => void;

  private constructor(folder: string, server: EmbeddedPostgres, pool: Pool, ends: string[], killAtExit: () => void) {
    this.folder = folder;
    this.#server = server;
    this.pool = pool;
    this.#ends = ends;
    this.#killAtExit = killAtExit;
    this.socket = join(server.connection.host, `.s.PGSQL.${server.connection.port}`);
  }

  static async start(folder: string): Promise<ChaosDatabase> {
    const ends: string[] = [];
    const error = (fields: object) => {
      if ('how' in fields) ends.push(String(fields.how));
    };
    // Its log is not on the disk that is filled: on a full one it could not say that it is full.
    await symlink(logOf(folder), join(folder, 'postgres.log'));
    // A run that ends early, with Ctrl-C for example, leaves no server behind. Before the disk is unmounted: after that its
    // processes can no longer be found.
    const killAtExit = () => killIfThere(postmasterId(folder) ?? 0);
    process.prependOnceListener('exit', killAtExit);
    const server = await startEmbeddedPostgres({ dataDir: folder, log: { ...quiet, error } });
    try {
      const pool = await openDatabase({ connection: server.connection, maxConnections: 4, log: quiet });
      return new ChaosDatabase(folder, server, pool, ends, killAtExit);
    } catch (failure) {
      await server.stop();
      throw failure;
    }
  }

  /** Directly, without a proxy. */
  get connection() {
    return this.#server.connection;
  }

  /** How the server has ended each time it was not asked to: a signal, or an exit code. */
  get ends(): readonly string[] {
    return this.#ends;
  }

  /** The server and all its processes, at once and without a chance to write anything. */
  async killAll(): Promise<{ readonly postmaster: number; readonly children: number }> {
    const postmaster = postmasterId(this.folder);
    if (postmaster === undefined || !isAlive(postmaster)) throw new Error('there is no server to kill');
    const children = childrenOf(postmaster);
    const before = this.#ends.length;
    process.kill(postmaster, 'SIGKILL');
    for (const child of children) killIfThere(child);
    await until(() => ![postmaster, ...children].some(isAlive), 'the server and its children are gone');
    await until(() => this.#ends.length > before, 'its end is noticed');
    return { postmaster, children: children.length };
  }

  async answers(): Promise<boolean> {
    return this.pool.query('select 1').then(
      () => true,
      () => false,
    );
  }

  /** Empties the log. A long one would be moved away when the server starts again, and the link with it. */
  async forgetLog(): Promise<void> {
    await truncate(logOf(this.folder));
  }

  /** What the server has logged since it was emptied. */
  log(): Promise<string> {
    return readFile(logOf(this.folder), 'utf8').catch(() => '');
  }

  async stop(): Promise<void> {
    process.off('exit', this.#killAtExit);
    await this.pool.end().catch(() => {});
    await this.#server.stop();
  }
}

function logOf(folder: string): string {
  return join(dirname(folder), 'postgres.log');
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => new RegExp(`^PPid:\\s+${parent}$`, 'm').test(statusOf(name)))
    .map(Number);
}

function statusOf(processId: string): string {
  try {
    return readFileSync(`/proc/${processId}/status`, 'utf8');
  } catch {
    return '';
  }
}

function killIfThere(processId: number): void {
  try {
    if (processId > 1) process.kill(processId, 'SIGKILL');
  } catch {
    // It ended with its parent.
  }
}

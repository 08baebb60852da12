import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Demo } from '../../src/demo/demo.ts';
import { openDatabase } from '../../src/platform/database/database.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const SERVICE = 'src/main.ts';
/** Half of what a start takes is reading TypeScript: what one process has read is kept here for those after it. */
export const COMPILE_CACHE = join(ROOT, '.cache', 'compiled');
/** Set in a test run, which has made one file of each program. */
export const HAS_BUNDLED = 'TILLSEAL_TEST_HAS_BUNDLED';
export const bundled = (source: string): string => join(ROOT, '.cache', 'programs', source.replace(/\.ts$/, '.mjs'));

/** What to run for a program: its source, where it was not made into one file. */
export const programOf = (source: string): string => (process.env[HAS_BUNDLED] ? bundled(source) : source);

export interface SpawnOptions {
  /** Where its src lies, if not here. */
  readonly root?: string;
  readonly program?: string;
  /** They stand before the program. */
  readonly nodeOptions?: readonly string[];
}

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** A real process of the service, in a process group of its own. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly id: number;
  /** Where it listens; rejects with what it printed when it ends before it is ready. */
  readonly ready: Promise<string>;
  /** Resolves with the exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
  stdout(): string;
  stderr(): string;
}

/**
 * Starts src/main.ts with nothing of this machine's environment but PATH, on any free port, without a rate limit or a wait for
 * submissions, and on any database.
 */
export function spawnService(
  environment: Record<string, string>,
  { root, program = root === undefined ? programOf(SERVICE) : SERVICE, nodeOptions = [] }: SpawnOptions = {},
): ServiceProcess {
  const child = spawn(process.execPath, [...nodeOptions, program], {
    cwd: root ?? ROOT,
    detached: true,
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      PORT: '0',
      RATE_LIMIT_PER_SECOND: '0',
      SUBMISSION_WAIT_MS: '0',
      // The server of a test run is fast and forgetful.
      ALLOW_UNSAFE_DATABASE: 'true',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]) => code ?? signal ?? 'unknown');
  const ready = (async () => {
    for (;;) {
      const line = /^\{.*"msg":"ready"\}$/m.exec(stdout)?.[0];
      if (line !== undefined) return (JSON.parse(line) as { url: string }).url;
      const end = await Promise.race([ended, delay(10)]);
      if (end !== undefined) throw new Error(`ended with ${end} before it was ready: ${stderr || stdout}`);
    }
  })();
  ready.catch(() => {});
  return { child, id: child.pid ?? 0, ready, ended, stdout: () => stdout, stderr: () => stderr };
}

/** Folders and processes of one test; `end` leaves none of them behind. */
export class Machine {
  readonly #folders: string[] = [];
  readonly #services: ServiceProcess[] = [];

  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'tillseal-journey-'));
    this.#folders.push(folder);
    return folder;
  }

  start(environment: Record<string, string>, options?: SpawnOptions): ServiceProcess {
    const service = spawnService(environment, options);
    this.#services.push(service);
    return service;
  }

  async end(): Promise<void> {
    for (const service of this.#services) {
      if (service.child.exitCode === null && service.child.signalCode === null) process.kill(-service.id, 'SIGKILL');
      await service.ended;
    }
    for (const folder of this.#folders) {
      const server = postmasterId(folder);
      if (server !== undefined && isAlive(server)) process.kill(server, 'SIGQUIT');
      await until(() => server === undefined || !isAlive(server), 'the database has ended');
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  }
}

export function postmasterId(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return undefined;
  }
}

/** A zombie has an id but no program any more. */
export function isAlive(processId: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${processId}/status`, 'utf8'));
  } catch {
    return false;
  }
}

export async function until(condition: () => boolean | Promise<boolean>, what: string, patienceMs = 100_000) {
  const deadline = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await delay(20);
  }
}

export async function readDemoFile(dataDir: string): Promise<Demo> {
  return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo;
}

/** The embedded database of a running service, through its socket. */
export function openEmbedded(dataDir: string): Promise<Pool> {
  const connection = { host: join(dataDir, 'postgres'), port: 5432, user: 'tillseal', database: 'tillseal' };
  return openDatabase({ connection, maxConnections: 2, log: quiet });
}

/** Hundreds of receipts a second on one device: more than its dates may run ahead of the clock. */
export async function liftDateLimit(pool: Pool, deviceId: number): Promise<void> {
  await pool.query('update devices set advance_limit_seconds = 1000000 where device_id = $1', [deviceId]);
  await pool.query('update device_heads set revision = revision + 1 where device_id = $1', [deviceId]);
}

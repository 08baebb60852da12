import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Demo } from '../../src/demo/demo.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { superuser } from '../../src/platform/embedded-postgres/cluster.ts';
import { postmasterOf } from '../../src/platform/embedded-postgres/postmaster.ts';
import { port as databasePort } from '../../src/platform/embedded-postgres/server.ts';

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
  /** False: what it prints once it is ready is forgotten. */
  readonly keepsLog?: boolean;
}

/** The service promises to end within 10 s of a SIGTERM, and gives up on its own after 20. */
const STOP_PATIENCE_MS = 25_000;

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** A real process of the service, in a process group of its own. */
export interface ServiceProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly id: number;
  /** Where it listens; rejects with what it printed when it ends before it is ready. */
  readonly ready: Promise<string>;
  /** Resolves with the exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
  stdout(): string;
  stderr(): string;
  hasEnded(): boolean;
  /** The memory of the Node process, without its database. Linux only; elsewhere it is not a number. */
  rssMb(): Promise<number>;
  /** Asks it to end, and resolves with how it did. */
  stop(): Promise<number | string>;
  /** With SIGKILL, and its whole group. */
  kill(): Promise<number | string>;
}

/**
 * Starts src/main.ts with nothing of this machine's environment but PATH, on any free port, without a rate limit or a wait for
 * submissions, and on any database.
 */
export function spawnService(environment: Record<string, string>, options: SpawnOptions = {}): ServiceProcess {
  const {
    root,
    program = root === undefined ? programOf(SERVICE) : SERVICE,
    nodeOptions = [],
    keepsLog = true,
  } = options;
  const child = spawn(process.execPath, [...nodeOptions, program], {
    cwd: root ?? ROOT,
    detached: true,
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      // As run.mjs does.
      MALLOC_ARENA_MAX: '2',
      PORT: '0',
      LOG_LEVEL: 'info',
      RATE_LIMIT_PER_SECOND: '0',
      SUBMISSION_WAIT_MS: '0',
      // The server of a test run is fast and forgetful.
      ALLOW_UNSAFE_DATABASE: 'true',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const id = child.pid ?? 0;
  let stdout = '';
  let stderr = '';
  let isKept = true;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (isKept) stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (isKept) stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]) => code ?? signal ?? 'unknown');
  const ready = (async () => {
    for (;;) {
      const line = /^\{.*"msg":"ready"\}$/m.exec(stdout)?.[0];
      // Of a demo that logs what it logs by default.
      const [, url = line && (JSON.parse(line) as { url: string }).url] = /is running at (\S+): /.exec(stdout) ?? [];
      if (url !== undefined) {
        isKept = keepsLog;
        return url;
      }
      const end = await Promise.race([ended, delay(10)]);
      if (end !== undefined) throw new Error(`ended with ${end} before it was ready: ${stderr || stdout}`);
    }
  })();
  ready.catch(() => {});
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  return {
    child,
    id,
    ready,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    hasEnded,
    rssMb: async () => {
      const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
      const how = await ended;
      clearTimeout(timer);
      return how;
    },
    kill: async () => {
      if (!hasEnded()) process.kill(-id, 'SIGKILL');
      return ended;
    },
  };
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
    for (const service of this.#services) await service.kill();
    for (const folder of this.#folders) {
      const servers = [folder, join(folder, 'data')].flatMap((place) => postmasterId(place) ?? []).filter(isAlive);
      for (const server of servers) process.kill(server, 'SIGQUIT');
      await until(() => !servers.some(isAlive), 'the databases have ended');
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

/** The address of the embedded database of a running service. */
export async function embeddedUrl(dataDir: string): Promise<string> {
  const postmaster = await postmasterOf(join(dataDir, 'postgres'));
  if (postmaster === undefined) throw new Error('the service has no embedded PostgreSQL');
  return `postgresql://${superuser}@localhost:${databasePort}/tillseal?host=${encodeURIComponent(postmaster.socketFolder)}`;
}

/** The embedded database of a running service, through its socket. */
export async function openEmbedded(dataDir: string): Promise<Pool> {
  return openDatabase({ connection: await embeddedUrl(dataDir), maxConnections: 4, log: quiet });
}

/** With the two after it, for the built-in authority; below those that systems give out for connections. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const areFree = await Promise.all([port, port + 1, port + 2].map(isFree));
    if (areFree.every(Boolean)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  const isListening = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  if (isListening) await new Promise((resolve) => probe.close(resolve));
  return isListening;
}

/** Hundreds of receipts a second on one device: more than its dates may run ahead of the clock. */
export async function liftDateLimit(pool: Pool, deviceId: number): Promise<void> {
  await pool.query('update devices set advance_limit_seconds = 1000000 where device_id = $1', [deviceId]);
  await pool.query('update device_heads set revision = revision + 1 where device_id = $1', [deviceId]);
}

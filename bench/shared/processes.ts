import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import serviceFlags from '../../service-flags.json' with { type: 'json' };
import { openDatabase } from '../../src/platform/database/database.ts';
import { superuser } from '../../src/platform/embedded-postgres/cluster.ts';
import { postmasterOf } from '../../src/platform/embedded-postgres/postmaster.ts';
import { port as databasePort } from '../../src/platform/embedded-postgres/server.ts';

const START_PATIENCE_MS = 60_000;
/** The service promises to end within 10 s of a SIGTERM. */
const STOP_PATIENCE_MS = 15_000;
const DATABASE = 'tillseal';

export interface Instance {
  readonly url: string;
  /** Of its process. */
  readonly id: number;
  /** The memory of the Node process, without its database. */
  rssMb(): Promise<number>;
  /** Its warnings and errors. */
  log(): string;
  stop(): Promise<void>;
  /** With SIGKILL. */
  kill(): Promise<void>;
}

/** The instance that owns the database. */
export interface ServiceProcess extends Instance {
  readonly pool: Pool;
  readonly databaseUrl: string;
  readonly masterKey: Buffer;
}

/** Starts the product as it is, on an embedded durable PostgreSQL inside `dataDir`. `nodeOptions` are for profiling. */
export async function startService(
  dataDir: string,
  nodeOptions: readonly string[],
  signal: AbortSignal,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const instance = await startInstance(nodeOptions, { ...environment, DATA_DIR: dataDir }, signal);
  try {
    const { socketFolder } = await databaseOf(dataDir);
    const pool = await openServiceDatabase(socketFolder);
    return {
      ...instance,
      pool,
      databaseUrl: `postgresql://${superuser}@localhost:${databasePort}/${DATABASE}?host=${encodeURIComponent(socketFolder)}`,
      masterKey: Buffer.from(await readFile(join(dataDir, 'master.key'), 'utf8'), 'base64'),
      stop: async () => {
        await pool.end();
        await instance.stop();
      },
    };
  } catch (error) {
    await instance.stop();
    throw error;
  }
}

/** A second instance on the database of a running one. */
export function startBeside(
  service: ServiceProcess,
  signal: AbortSignal,
  environment: Readonly<Record<string, string>> = {},
): Promise<Instance> {
  const { databaseUrl, masterKey } = service;
  const shared = { DATABASE_URL: databaseUrl, MASTER_KEY: masterKey.toString('base64') };
  return startInstance([], { ...environment, ...shared }, signal);
}

async function startInstance(
  nodeOptions: readonly string[],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Instance> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
  const child = spawn(process.execPath, [...serviceFlags, ...nodeOptions, main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a process group of its own, so that Ctrl-C reaches only the benchmark, which then stops it properly.
    detached: true,
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'warn',
      DEMO: 'false',
      RATE_LIMIT_PER_SECOND: '0',
      // Empty means not set.
      DATABASE_URL: '',
      // Nothing listens there, and no device of the bench is registered, so nothing is submitted.
      AUTHORITY_URL: 'https://127.0.0.1:9',
      MASTER_KEY: '',
      MASTER_KEY_FILE: '',
      ROLES: '',
      PUBLIC_URL: '',
      ...environment,
    },
  });
  let log = '';
  const collect = (chunk: Buffer) => {
    log = (log + chunk.toString('utf8')).slice(-20_000);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  try {
    await untilReady(url, child, signal);
    const kill = () => stopChild(child, 'SIGKILL');
    return { url, id: child.pid ?? 0, rssMb: () => rssMb(child), log: () => log, stop: () => stopChild(child), kill };
  } catch (error) {
    await stopChild(child);
    if (log !== '') process.stderr.write(`${log}\n`);
    throw error;
  }
}

/** A bare Fastify in a process of its own; resolves with its address. */
export async function startEcho(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = fork(join(import.meta.dirname, 'echo.ts'), { execArgv: [] });
  const [url] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the bare server did not start'))),
  ]);
  return { url: String(url), stop: () => stopChild(child) };
}

async function untilReady(url: string, child: ChildProcess, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + START_PATIENCE_MS;
  for (;;) {
    signal.throwIfAborted();
    if (hasEnded(child) || Date.now() > deadline) throw new Error('the service did not start');
    const isReady = await fetch(`${url}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return;
    await delay(50);
  }
}

async function databaseOf(dataDir: string): Promise<{ readonly socketFolder: string }> {
  const postmaster = await postmasterOf(join(dataDir, 'postgres'));
  if (postmaster === undefined) throw new Error('the service has no embedded PostgreSQL');
  return postmaster;
}

function openServiceDatabase(socketFolder: string): Promise<Pool> {
  const connection = { host: socketFolder, port: databasePort, user: superuser, database: DATABASE };
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  return openDatabase({ connection, maxConnections: 4, log: quiet });
}

async function stopChild(child: ChildProcess, how: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(how);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
  await ended;
  clearTimeout(timer);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** Linux only; elsewhere it is not a number, and the bench says so. */
async function rssMb(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}

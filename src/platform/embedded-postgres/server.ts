import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { StartRefusal } from '../start-refusal.ts';
import { superuser } from './cluster.ts';
import { postmasterOf } from './postmaster.ts';
import { type ServerUser, serverEnvironment } from './server-user.ts';

export const port = 5432;

export interface ServerPlan {
  readonly postgres: string;
  readonly cluster: string;
  readonly socketFolder: string;
  readonly logFile: string;
  readonly user: ServerUser;
  readonly durable: boolean;
}

export interface RunningServer {
  /** Resolves when the process has ended, whatever the reason, with how it ended. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** After a `kill -9` of the server its old backends keep the shared memory for some moments; it refuses to start until then. */
const leftoverPatienceMs = 15_000;
/** Recovery after a crash replays at most a checkpoint's worth of log; past this something is wrong. */
const readyPatienceMs = 300_000;
const logLimitBytes = 10_000_000;

export async function startServer(plan: ServerPlan, stopSignal?: AbortSignal): Promise<RunningServer> {
  const deadline = Date.now() + leftoverPatienceMs;
  for (;;) {
    const outcome = await tryStart(plan, stopSignal);
    if (typeof outcome !== 'string') return outcome;
    const isLeftover = /pre-existing shared memory block|lock file .* already exists/.test(outcome);
    if (!isLeftover || Date.now() > deadline || stopSignal?.aborted === true) {
      throw new StartRefusal(`PostgreSQL does not start in ${plan.cluster}: ${outcome} (more in ${plan.logFile})`);
    }
    await delay(200);
  }
}

/** The running server, or the line in which PostgreSQL said why it ended. */
async function tryStart(plan: ServerPlan, stopSignal: AbortSignal | undefined): Promise<RunningServer | string> {
  const logStart = await rotateLog(plan.logFile);
  const log = await open(plan.logFile, 'a', 0o600);
  let child: ChildProcess;
  let ended: Promise<string>;
  try {
    const [program = plan.postgres, ...words] = [...plan.user.prefix, plan.postgres, ...serverArguments(plan)];
    child = spawn(program, words, {
      cwd: '/',
      // Its own process group: Ctrl-C reaches the whole group of the terminal, and the service still needs it to drain.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: { ...serverEnvironment, ...(await strangerToIgnore(plan.cluster)) },
      ...plan.user.identity,
    });
    ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
    });
  } finally {
    await log.close();
  }
  child.unref();
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const deadline = Date.now() + readyPatienceMs;
  for (;;) {
    const answer = await ask(plan.socketFolder);
    if (answer === undefined) break;
    if (hasEnded()) return (await complaint(plan.logFile, logStart)) ?? ended;
    const isStopped = stopSignal?.aborted === true;
    if (answer.isFinal || Date.now() > deadline || isStopped) {
      await stopChild(child, ended);
      return isStopped ? 'it was stopped before it was ready' : answer.problem;
    }
    await Promise.race([delay(20), ended]);
  }
  // Another server on the same socket would answer too; ours has then refused to start.
  if (hasEnded()) return (await complaint(plan.logFile, logStart)) ?? ended;
  return { ended, stop: () => stopChild(child, ended) };
}

/**
 * In a container process ids repeat from start to start, and PostgreSQL takes any living process with the id in a stale
 * postmaster.pid for itself. This variable, made for pg_ctl, names an id to ignore; the check of the shared memory, which
 * is what protects the data, stays in force. Deleting the file would lose that.
 */
async function strangerToIgnore(cluster: string): Promise<Record<string, string>> {
  const postmaster = await postmasterOf(cluster);
  if (postmaster === undefined || postmaster.isRunning) return {};
  return { PG_GRANDPARENT_PID: String(postmaster.id) };
}

async function stopChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  // SIGINT is PostgreSQL's fast shutdown, SIGQUIT ends it at once and leaves the rest to recovery.
  child.kill('SIGINT');
  const timer = setTimeout(() => child.kill('SIGQUIT'), 8_000);
  child.ref();
  await ended;
  clearTimeout(timer);
}

/** Undefined when it is ready; final: it runs, but what it needs for any connection is damaged (PostgreSQL's codes XX...). */
async function ask(socketFolder: string): Promise<{ problem: string; isFinal: boolean } | undefined> {
  const client = new Client({ host: socketFolder, port, user: superuser, database: 'postgres', ssl: false });
  client.on('error', () => {});
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    const isFinal = error instanceof DatabaseError && error.code?.startsWith('XX') === true;
    return { problem: error instanceof Error ? error.message : String(error), isFinal };
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns the size from which on the new server writes. */
async function rotateLog(file: string): Promise<number> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= logLimitBytes) return size;
  await rename(file, `${file}.1`);
  return 0;
}

async function complaint(logFile: string, from: number): Promise<string | undefined> {
  const text = (await readFile(logFile)).subarray(from).toString('utf8');
  // "The database system is starting up" is its answer to our own question whether it is ready.
  const isCause = (line: string) => /FATAL:|PANIC:|error/i.test(line) && !line.includes('the database system is');
  const line = text.split('\n').find(isCause);
  return line?.replace(/^.*?(FATAL|PANIC): +/, '');
}

/** An eighth of the machine. Ten thousand devices write to places all over the indexes; what does not fit is written out between. */
function sharedMegabytes(machineBytes: number): number {
  return Math.min(1024, Math.max(128, Math.floor(machineBytes / 8 / 1024 ** 2)));
}

function serverArguments(plan: ServerPlan): string[] {
  const on = plan.durable ? 'on' : 'off';
  const settings = {
    listen_addresses: '',
    port,
    unix_socket_directories: `"${plan.socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    fsync: on,
    synchronous_commit: on,
    full_page_writes: on,
    max_connections: 200,
    // Fresh tables grow fast: their statistics must keep up.
    autovacuum_naptime: '10s',
    // For a machine of two cores and a few gigabytes. A larger installation brings its own server.
    shared_buffers: plan.durable ? `${sharedMegabytes(totalmem())}MB` : '128MB',
    effective_cache_size: '1GB',
    work_mem: '8MB',
    maintenance_work_mem: '128MB',
    max_wal_size: '2GB',
    min_wal_size: '256MB',
    checkpoint_timeout: '15min',
    // These builds come without lz4, and pglz costs more processor time than the bytes it saves.
    wal_compression: 'off',
    random_page_cost: 1.1,
    // Short statements only: planning a parallel or compiled one costs more than it gains on two cores.
    max_parallel_workers_per_gather: 0,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
  };
  return ['-D', plan.cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Log } from '../logging/log.ts';
import { StartRefusal } from '../start-refusal.ts';
import { ensureCluster, findPrograms, superuser } from './cluster.ts';
import { type FolderLock, folderRefusal, lockFolder, RESTORE_MARK } from './folder-lock.ts';
import { socketFolderName, stopOrphan } from './postmaster.ts';
import { port, type RunningServer, type ServerPlan, startServer } from './server.ts';
import { chooseServerUser, type ServerUser } from './server-user.ts';

export interface EmbeddedPostgres {
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** Only for the restore itself: everything else is refused a folder with an interrupted restore. */
  readonly isRestoring?: boolean;
  /** False only for the database of the tests: it may lose everything in a crash and is faster. */
  readonly durable?: boolean;
}

export const databaseName = 'tillseal';

/**
 * A real PostgreSQL inside the data folder, for this process alone. It outlives neither `stop()` nor, for longer than until
 * the next start, a `kill -9` of this process; and when it dies itself it is started again.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const lock = await lockFolder(options.dataDir);
  let plan: ServerPlan | undefined;
  try {
    if (options.isRestoring !== true) refuseHalfRestored(lock.folder);
    plan = await planServer(lock.folder, options);
    const server = await startServer(plan);
    try {
      await ensureDatabase(plan.socketFolder);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return supervise(server, plan, lock, options.log);
  } catch (error) {
    if (plan !== undefined) await removeSocketFolder(plan);
    lock.release();
    throw folderRefusal(lock.folder, error);
  }
}

function refuseHalfRestored(folder: string): void {
  if (!existsSync(join(folder, RESTORE_MARK))) return;
  throw new StartRefusal(
    `A restore into DATA_DIR ${folder} was interrupted and is incomplete: run tillseal restore into it again.`,
  );
}

async function planServer(folder: string, options: EmbeddedPostgresOptions): Promise<ServerPlan> {
  const cluster = join(folder, 'postgres');
  const durable = options.durable ?? true;
  const programs = await findPrograms();
  const orphan = await stopOrphan(cluster);
  if (orphan !== undefined) {
    options.log.warn({ processId: orphan }, 'stopped the PostgreSQL that a killed service had left running');
  }
  const user = await chooseServerUser(folder, cluster, programs.postgres);
  await ensureCluster(cluster, folder, programs, user, durable);
  const socketFolder = await chooseSocketFolder(cluster, user);
  return { postgres: programs.postgres, cluster, socketFolder, logFile: join(folder, 'postgres.log'), user, durable };
}

/** The database's own folder: PostgreSQL insists that only its owner may enter it. The kernel allows 107 bytes. */
async function chooseSocketFolder(cluster: string, user: ServerUser): Promise<string> {
  if (Buffer.byteLength(`${cluster}/.s.PGSQL.${port}`) <= 107) return cluster;
  const folder = await mkdtemp(join(tmpdir(), socketFolderName));
  if (user.identity !== undefined) await chown(folder, user.identity.uid, user.identity.gid);
  return folder;
}

async function removeSocketFolder(plan: ServerPlan): Promise<void> {
  if (plan.socketFolder !== plan.cluster) await rm(plan.socketFolder, { recursive: true, force: true });
}

async function ensureDatabase(socketFolder: string): Promise<void> {
  const client = new Client({ host: socketFolder, port, user: superuser, database: 'postgres', ssl: false });
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [databaseName]);
    if (found.rowCount === 0) await client.query(`create database ${databaseName}`);
  } finally {
    await client.end();
  }
}

function supervise(first: RunningServer, plan: ServerPlan, lock: FolderLock, log: Log): EmbeddedPostgres {
  const stopRequest = new AbortController();
  let server: RunningServer | undefined = first;

  const watching = (async () => {
    while (server !== undefined) {
      const how = await server.ended;
      if (stopRequest.signal.aborted) return;
      log.error({ how }, 'the embedded PostgreSQL has ended unexpectedly; starting it again');
      server = await startAgain(plan, stopRequest.signal, log);
    }
  })();

  const stopAll = async () => {
    stopRequest.abort();
    await server?.stop();
    await watching;
    await removeSocketFolder(plan);
    lock.release();
  };
  let stopped: Promise<void> | undefined;
  return {
    connection: { host: plan.socketFolder, port, user: superuser, database: databaseName },
    stop: () => {
      stopped ??= stopAll();
      return stopped;
    },
  };
}

/** Tries until it runs or is no longer wanted: a full disk, for example, may have space again in an hour. */
async function startAgain(plan: ServerPlan, stopSignal: AbortSignal, log: Log): Promise<RunningServer | undefined> {
  for (let pauseMs = 250; !stopSignal.aborted; pauseMs = Math.min(pauseMs * 2, 5_000)) {
    try {
      const server = await startServer(plan, stopSignal);
      if (stopSignal.aborted) {
        await server.stop();
        return undefined;
      }
      log.info({}, 'the embedded PostgreSQL is running again');
      return server;
    } catch (error) {
      log.error({ err: error }, 'the embedded PostgreSQL does not start; trying again');
      await delay(pauseMs, undefined, { signal: stopSignal }).catch(() => {});
    }
  }
  return undefined;
}

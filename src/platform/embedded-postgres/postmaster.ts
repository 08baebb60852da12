import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StartRefusal } from '../start-refusal.ts';

const run = promisify(execFile);

export interface Postmaster {
  readonly id: number;
  readonly socketFolder: string;
  /** False when nothing, or another program, has this process id now. */
  readonly isRunning: boolean;
}

/** Temporary folders for sockets carry this name, so that the one of a killed service is recognised and removed. */
export const socketFolderName = 'tillseal-socket-';

/** What postmaster.pid says about the server of this folder, checked against the living processes. */
export async function postmasterOf(cluster: string): Promise<Postmaster | undefined> {
  let lines: string[];
  try {
    lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
  } catch {
    return undefined;
  }
  // Its lines: process id, data folder, start time, port, socket folder, …
  const id = Number(lines[0]);
  if (!Number.isSafeInteger(id) || id <= 0) return undefined;
  return { id, socketFolder: lines[4] ?? '', isRunning: await isServerOf(id, cluster) };
}

/**
 * Ends a server whose service was killed: the caller holds the folder's lock, so nothing is using that server.
 */
export async function stopOrphan(cluster: string): Promise<number | undefined> {
  const orphan = await postmasterOf(cluster);
  if (orphan === undefined) return undefined;
  if (orphan.isRunning) {
    const ended =
      (await endBy('SIGINT', orphan.id, cluster, 8_000)) || (await endBy('SIGQUIT', orphan.id, cluster, 8_000));
    if (!ended) {
      throw new StartRefusal(
        `An earlier PostgreSQL (process ${orphan.id}) still uses ${cluster} and does not stop: end it and start again.`,
      );
    }
  }
  if (basename(orphan.socketFolder).startsWith(socketFolderName)) {
    await rm(orphan.socketFolder, { recursive: true, force: true });
  }
  return orphan.isRunning ? orphan.id : undefined;
}

async function endBy(signal: NodeJS.Signals, id: number, cluster: string, patienceMs: number): Promise<boolean> {
  try {
    process.kill(id, signal);
  } catch {
    // It has ended meanwhile, or belongs to another user: the loop below finds out which.
  }
  const deadline = Date.now() + patienceMs;
  while (await isServerOf(id, cluster)) {
    if (Date.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

/** By its command line: an id alone may since belong to any program, and a zombie has an id but no command line. */
async function isServerOf(id: number, cluster: string): Promise<boolean> {
  try {
    if (process.platform === 'linux') {
      const words = (await readFile(`/proc/${id}/cmdline`, 'utf8')).split('\0');
      return words[words.indexOf('-D') + 1] === cluster;
    }
    const { stdout } = await run('ps', ['-o', 'command=', '-p', String(id)]);
    return stdout.includes(`-D ${cluster}`);
  } catch {
    return false;
  }
}

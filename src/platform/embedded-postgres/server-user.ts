import { execFile } from 'node:child_process';
import { chmod, chown, lchown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StartRefusal } from '../start-refusal.ts';

const run = promisify(execFile);

/** Fixed, so that PGDATA, PGOPTIONS or a locale of the caller's shell cannot change what the server does. */
export const serverEnvironment = {
  LC_ALL: 'C',
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
} as const;

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** How the programs of PostgreSQL are run: they refuse to run as root. */
export interface ServerUser {
  /** Words in front of the program. */
  readonly prefix: readonly string[];
  /** Another user and group, when root steps down to them. */
  readonly identity: Identity | undefined;
}

const nobody = 65534;
const asCaller: ServerUser = { prefix: [], identity: undefined };

/**
 * A user namespace in which the caller is called nobody. The files still belong to the caller, so it works inside a folder
 * that only root may enter, and nothing has to change its owner. Containers often forbid it.
 */
const inNamespace: ServerUser = {
  prefix: ['unshare', '-U', `--map-user=${nobody}`, `--map-group=${nobody}`],
  identity: undefined,
};

/** `cluster` is the folder of the database inside `folder`; it may not exist yet. */
export async function chooseServerUser(folder: string, cluster: string, postgres: string): Promise<ServerUser> {
  const caller = process.getuid?.();
  const owner = await ownerOf(cluster);
  if (caller !== 0 && owner !== undefined && owner.uid !== caller) {
    throw new StartRefusal(
      `The database in ${cluster} belongs to user ${owner.uid}, and this is user ${caller}: start as that user or choose another DATA_DIR.`,
    );
  }
  let problem: string | undefined;
  for (const candidate of caller === 0 ? await candidatesForRoot(folder, owner) : [asCaller, inNamespace]) {
    if (candidate.identity !== undefined) await letOthersPass(folder);
    const itsProblem = await whyNot(candidate, folder, postgres);
    problem ??= itsProblem;
    if (itsProblem !== undefined) continue;
    if (candidate.identity !== undefined && owner?.uid === 0) await giveAway(cluster, candidate.identity);
    return candidate;
  }
  throw new StartRefusal(
    caller === 0
      ? `PostgreSQL does not run as root, and no other user can enter both ${folder} and ${dirname(postgres)}: start as an ordinary user, or move them to folders that others may enter, or set DATABASE_URL.`
      : `The embedded PostgreSQL does not run here as user ${caller} (${problem}): set DATABASE_URL to your own server.`,
  );
}

async function candidatesForRoot(folder: string, owner: Identity | undefined): Promise<ServerUser[]> {
  // A database that was made by another user is run by that user.
  if (owner !== undefined && owner.uid !== 0) {
    return [
      { prefix: [], identity: owner },
      { ...inNamespace, identity: owner },
    ];
  }
  const neighbour = await ownerOf(dirname(folder));
  const others = [neighbour, { uid: nobody, gid: nobody }].filter((one) => one !== undefined && one.uid !== 0);
  return [inNamespace, ...others.map((identity) => ({ prefix: [], identity }))];
}

async function ownerOf(path: string): Promise<Identity | undefined> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch {
    return undefined;
  }
}

/** The other user has to get through the data folder to its own folder in it; it still cannot list what is there. */
async function letOthersPass(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) await chmod(folder, (mode & 0o777) | 0o011);
}

async function giveAway(path: string, identity: Identity): Promise<void> {
  for (const entry of await readdir(path, { recursive: true })) {
    await lchown(join(path, entry), identity.uid, identity.gid);
  }
  await chown(path, identity.uid, identity.gid);
}

/**
 * Tries it: may this user enter the folder, and does the program run? And has it a name: initdb refuses one without, which
 * is what a container that was given a bare number runs as.
 */
async function whyNot(user: ServerUser, folder: string, postgres: string): Promise<string | undefined> {
  const check = 'id -un && cd "$1" && exec "$2" --version';
  const [program, ...words] = [...user.prefix, 'sh', '-c', check, 'sh', folder, postgres];
  try {
    await run(program, words, { cwd: '/', env: serverEnvironment, ...user.identity });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
  }
}

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

/** How the programs of PostgreSQL are run: they refuse to run as root. */
export interface ServerUser {
  /** Words in front of the program. */
  readonly prefix: readonly string[];
  /** Another user and group, when root steps down to them. */
  readonly identity: { readonly uid: number; readonly gid: number } | undefined;
}

const nobody = 65534;
const asCaller: ServerUser = { prefix: [], identity: undefined };

/**
 * A user namespace in which root is called nobody. The files still belong to root, so it works inside a folder that only
 * root may enter, and nothing has to change its owner. Containers often forbid it.
 */
const inNamespace: ServerUser = {
  prefix: ['unshare', '-U', `--map-user=${nobody}`, `--map-group=${nobody}`],
  identity: undefined,
};

/** `cluster` is the folder of the database inside `folder`; it may not exist yet. */
export async function chooseServerUser(folder: string, cluster: string, postgres: string): Promise<ServerUser> {
  const caller = process.getuid?.();
  const owner = await ownerOf(cluster);
  if (caller !== 0) {
    if (owner !== undefined && caller !== undefined && owner.uid !== caller) {
      throw new StartRefusal(
        `The database in ${cluster} belongs to user ${owner.uid}, and this is user ${caller}: start as that user or choose another DATA_DIR.`,
      );
    }
    const problem = await whyNot(asCaller, folder, postgres);
    if (problem === undefined) return asCaller;
    throw new StartRefusal(
      `The embedded PostgreSQL does not run here (${problem}): set DATABASE_URL to a server of your own.`,
    );
  }
  for (const candidate of await candidatesForRoot(folder, owner)) {
    if (candidate.identity !== undefined) await letOthersPass(folder);
    if ((await whyNot(candidate, folder, postgres)) !== undefined) continue;
    if (candidate.identity !== undefined && owner?.uid === 0) await giveAway(cluster, candidate.identity);
    return candidate;
  }
  throw new StartRefusal(
    `PostgreSQL does not run as root, and no other user can enter both ${folder} and ${dirname(postgres)}: start as an ordinary user, or move them to folders that others may enter, or set DATABASE_URL.`,
  );
}

async function candidatesForRoot(
  folder: string,
  owner: { uid: number; gid: number } | undefined,
): Promise<ServerUser[]> {
  // A database that was made by another user is run by that user.
  if (owner !== undefined && owner.uid !== 0) return [{ prefix: [], identity: owner }];
  const neighbour = await ownerOf(dirname(folder));
  const others = [neighbour, { uid: nobody, gid: nobody }].filter((one) => one !== undefined && one.uid !== 0);
  return [inNamespace, ...others.map((identity) => ({ prefix: [], identity }))];
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number } | undefined> {
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

async function giveAway(path: string, identity: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(path, { recursive: true })) {
    await lchown(join(path, entry), identity.uid, identity.gid);
  }
  await chown(path, identity.uid, identity.gid);
}

/** Tries it: may this user enter the folder, and does the program run? */
async function whyNot(user: ServerUser, folder: string, postgres: string): Promise<string | undefined> {
  const check = 'cd "$1" && exec "$2" --version';
  const [program, ...words] = [...user.prefix, 'sh', '-c', check, 'sh', folder, postgres];
  try {
    await run(program, words, { cwd: '/', env: serverEnvironment, ...user.identity });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
  }
}

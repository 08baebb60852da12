import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * With its parents, for its owner only. Node's own way never ends where a folder that is there says that it is not, as /proc does: it makes
 * the parent and tries again, for ever.
 */
export async function makeFolder(path: string): Promise<void> {
  const failure = await tryToMake(path);
  if (failure === undefined) return;
  if (!('code' in failure) || failure.code !== 'ENOENT') throw failure;
  await makeFolder(dirname(path));
  const again = await tryToMake(path);
  if (again !== undefined) throw again;
}

async function tryToMake(path: string): Promise<Error | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isThere = 'code' in error && error.code === 'EEXIST' && (await stat(path)).isDirectory();
    return isThere ? undefined : error;
  }
}

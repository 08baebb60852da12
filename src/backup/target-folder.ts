import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder, RESTORE_MARK } from '../platform/embedded-postgres/folder-lock.ts';
import { stopOrphan } from '../platform/embedded-postgres/postmaster.ts';
import { flushFolder } from '../platform/save-file.ts';
import { StartRefusal } from '../platform/start-refusal.ts';

/** What a restore leaves in a folder; the lock's own files may be there as well. */
const RESTORED = /^(postgres($|[.-]).*|postgres|master\.key(\.new)?|demo\.json|operator-token|simulator)$/;
const LOCK = /^service\.(lock|pid)$/;

/**
 * Makes the folder ready: empty, with a mark that keeps the service from starting on it until the restore is whole. What an earlier
 * restore left that was cut off, the mark tells, is removed.
 */
export async function prepareTarget(dataDir: string): Promise<void> {
  const lock = await lockFolder(dataDir);
  try {
    await clearTarget(lock.folder);
  } finally {
    lock.release();
  }
}

async function clearTarget(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => !LOCK.test(name) && name !== RESTORE_MARK);
  const isRepeated = (await readdir(dataDir)).includes(RESTORE_MARK);
  const inTheWay = names.find((name) => !isRepeated || !RESTORED.test(name));
  if (inTheWay !== undefined) {
    throw new StartRefusal(
      `${dataDir} is not empty (${inTheWay}): restore into another folder, or move this one away.`,
    );
  }
  await writeFile(join(dataDir, RESTORE_MARK), 'A restore into this folder is not finished. Run it again.\n');
  await flushFolder(dataDir);
  // A restore that was killed leaves its server running.
  await stopOrphan(join(dataDir, 'postgres'));
  await Promise.all(names.map((name) => rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })));
}

/** The restore is whole: from now on the service may start here. */
export async function finishTarget(dataDir: string): Promise<void> {
  await flushFolder(dataDir);
  await rm(join(dataDir, RESTORE_MARK));
  await flushFolder(dataDir);
}

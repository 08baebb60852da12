import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Readable by its owner only, like everything the service keeps beside its database; when it resolves, a loss of power takes nothing of it. */
export async function saveFile(file: string, bytes: Buffer | string): Promise<void> {
  await makeFolder(dirname(file));
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await flushFolder(dirname(file));
}

/** A name survives a loss of power only once the folder that holds it is on the disk. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

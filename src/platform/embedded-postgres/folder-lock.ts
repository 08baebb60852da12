import { readFileSync, writeFileSync } from 'node:fs';
import { access, constants, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../make-folder.ts';
import { StartRefusal } from '../start-refusal.ts';

/** While it is held, no other process on this machine uses the folder. */
export interface FolderLock {
  /** The folder's real path: one folder has one name, whatever link led to it. */
  readonly folder: string;
  release(): void;
}

/** A folder with this file in it is half an installation: a restore into it was cut off. */
export const RESTORE_MARK = 'restore.unfinished';

/**
 * Node has no file locks, but the SQLite inside it takes them from the kernel, which frees them at whatever end the holder
 * meets, `kill -9` included. So there is no stale lock to recognise and no moment in which two starters both succeed.
 * Nothing is ever stored in that database.
 */
export async function lockFolder(path: string): Promise<FolderLock> {
  const folder = await prepareFolder(path);
  const database = openLockFile(join(folder, 'service.lock'), folder);
  try {
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database.close();
    if (error instanceof Error && error.message.includes('locked')) {
      throw new StartRefusal(
        `Tillseal is already running on DATA_DIR ${folder} (${holderOf(folder)}): stop it or choose another DATA_DIR.`,
      );
    }
    throw new StartRefusal(`DATA_DIR ${folder} cannot be locked (${String(error)}): choose a folder on a local disk.`);
  }
  try {
    writeFileSync(holderFile(folder), `${process.pid}\n`);
  } catch (error) {
    database.close();
    throw folderRefusal(folder, error);
  }
  return { folder, release: () => database.close() };
}

function openLockFile(file: string, folder: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw new StartRefusal(`DATA_DIR ${folder} is not writable (${String(error)}): choose another DATA_DIR.`);
  }
}

async function prepareFolder(path: string): Promise<string> {
  try {
    await makeFolder(path);
    if (!(await stat(path)).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(path);
  } catch (error) {
    throw folderRefusal(path, error);
  }
}

/** One line for the person who chose the folder. Errors that do not come from the file system pass unchanged. */
export function folderRefusal(folder: string, error: unknown): unknown {
  if (error instanceof StartRefusal || !(error instanceof Error) || !('code' in error)) return error;
  switch (error.code) {
    case 'ENOTDIR':
    case 'EEXIST':
      return new StartRefusal(`DATA_DIR ${folder} is a file or lies below one: choose a folder.`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StartRefusal(
        `DATA_DIR ${folder} is not writable for this user: change its owner or choose another one.`,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new StartRefusal(`The disk of DATA_DIR ${folder} is full: free some space or choose another DATA_DIR.`);
    default:
      return new StartRefusal(`DATA_DIR ${folder} cannot be used (${error.message}): choose another DATA_DIR.`);
  }
}

/** Only for the message: the lock itself does not depend on this file. */
function holderFile(folder: string): string {
  return join(folder, 'service.pid');
}

function holderOf(folder: string): string {
  try {
    return `process ${readFileSync(holderFile(folder), 'utf8').trim()}`;
  } catch {
    return 'process unknown';
  }
}

import { chownSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartRefusal } from '../start-refusal.ts';
import { type Lineage, NOTHING_SEEN, remember, SEEN_FILE, type Seen } from './choose-primary.ts';

export function readSeen(folder: string): Seen {
  const file = join(folder, SEEN_FILE);
  try {
    const seen = JSON.parse(readFileSync(file, 'utf8')) as Seen;
    if (typeof seen.servers !== 'object') throw new Error('it is not as it was written');
    return seen;
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code))) {
      return NOTHING_SEEN;
    }
    throw new StartRefusal(
      `${file} cannot be read (${String(error)}): it says on which server the database was last. Put back a copy, or remove it if only one server is left.`,
    );
  }
}

/** Instances may share the folder: each adds to what is there, under a lock that the kernel frees at whatever end they meet. */
export function addSeen(folder: string, server: Lineage): Seen {
  const lockFile = join(folder, 'database.lock');
  const lock = new DatabaseSync(lockFile, { timeout: 5000 });
  try {
    giveToOwner(folder, lockFile);
    lock.exec('pragma journal_mode = memory; begin exclusive');
    const before = readSeen(folder);
    const after = remember(before, server);
    if (JSON.stringify(after) !== JSON.stringify(before)) replaceFile(folder, `${JSON.stringify(after)}\n`);
    return after;
  } finally {
    lock.close();
  }
}

/** Whole or not at all, also after a loss of power. */
function replaceFile(folder: string, text: string): void {
  const file = join(folder, SEEN_FILE);
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  giveToOwner(folder, `${file}.new`);
  renameSync(`${file}.new`, file);
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** The superuser may have run `tillseal restore mark`, and the service must be able to read it. */
function giveToOwner(folder: string, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
}

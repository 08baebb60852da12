import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

export interface KeptFile {
  /** Inside DATA_DIR. */
  readonly path: string;
  readonly bytes: Buffer;
}

const FOLDER = 'simulator';
const DATABASE = 'simulator.db';
/** Made anew at every start. */
const ADDRESS = 'address.json';
const ATTEMPTS = 50;

/**
 * The built-in authority of a demo, as files. Its SQLite database may be in use: what is written goes to the log beside it, and
 * a log read after the database is a whole one up to some commit, unless the database itself was written meanwhile.
 */
export async function readSimulatorFiles(dataDir: string): Promise<KeptFile[]> {
  const folder = join(dataDir, FOLDER);
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const others = names.filter((name) => !name.startsWith(DATABASE) && name !== ADDRESS).toSorted();
  const files = names.includes(DATABASE) ? await readDatabase(folder) : [];
  for (const name of others) files.push({ path: join(FOLDER, name), bytes: await readFile(join(folder, name)) });
  return files;
}

async function readDatabase(folder: string): Promise<KeptFile[]> {
  const file = join(folder, DATABASE);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await stat(file, { bigint: true });
    const bytes = await readFile(file);
    const log = await readFile(`${file}-wal`).catch(() => Buffer.alloc(0));
    const after = await stat(file, { bigint: true });
    if (before.mtimeNs !== after.mtimeNs || before.size !== after.size) continue;
    const kept = [{ path: join(FOLDER, DATABASE), bytes }];
    return log.length === 0 ? kept : [...kept, { path: join(FOLDER, `${DATABASE}-wal`), bytes: log }];
  }
  throw new Error(`${file} is written all the time: stop the load and try again`);
}

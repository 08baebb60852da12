import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queryable } from './database.ts';
import type { Log } from './log.ts';
import { fingerprint, KEY_BYTES } from './secrets.ts';
import type { Settings } from './settings.ts';
import { StartRefusal } from './start-refusal.ts';

/**
 * Finds the master key and proves that it is the one this database was set up with. Only an installation that never had a
 * key gets a new one: a key made beside secrets it cannot open would hide the loss until the first signature.
 */
export async function openMasterKey(
  db: Queryable,
  settings: Pick<Settings, 'masterKey' | 'masterKeyFile' | 'dataDir'>,
  log: Log,
): Promise<Buffer> {
  const file = settings.masterKeyFile ?? join(settings.dataDir, 'master.key');
  const source = settings.masterKey === undefined ? file : 'MASTER_KEY';
  const given = settings.masterKey ?? (await readOptional(file));
  const isNew = (await knownFingerprints(db)).length === 0;
  if (given === undefined && (!isNew || settings.masterKeyFile !== undefined)) {
    throw new StartRefusal(
      `There is no master key in ${file}: put back the key this installation was set up with, or set MASTER_KEY.`,
    );
  }
  const key = given === undefined ? await makeKey(file, log) : decodeKey(given, source);
  await db.query('insert into master_keys (fingerprint) select $1 where not exists (select from master_keys)', [
    fingerprint(key),
  ]);
  if (!(await knownFingerprints(db)).some((known) => known.equals(fingerprint(key)))) {
    throw new StartRefusal(
      `The master key in ${source} is not the one this database was set up with: its secrets do not open with it.`,
    );
  }
  return key;
}

async function knownFingerprints(db: Queryable): Promise<Buffer[]> {
  const { rows } = await db.query<{ fingerprint: Buffer }>('select fingerprint from master_keys');
  return rows.map((row) => row.fingerprint);
}

async function makeKey(file: string, log: Log): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  await writeFile(file, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  log.warn({ file }, 'made a master key: keep a copy of it, without it no device can sign again');
  return key;
}

function decodeKey(text: string, source: string): Buffer {
  const trimmed = text.trim();
  const key = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : Buffer.from(trimmed, 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new StartRefusal(
    `The master key in ${source} is not 32 bytes in base64 or hex: make one with openssl rand -base64 32.`,
  );
}

async function readOptional(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new StartRefusal(`The master key in ${file} cannot be read: check the file's permissions.`);
  }
}

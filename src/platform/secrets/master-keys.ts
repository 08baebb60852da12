import { randomBytes } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Pool } from 'pg';
import { inTransaction, type Queryable, type Transaction } from '../database/database.ts';
import type { Log } from '../logging/log.ts';
import { flushFolder, saveFile } from '../save-file.ts';
import type { Settings } from '../settings.ts';
import { StartRefusal } from '../start-refusal.ts';
import { fingerprint, KEY_BYTES } from './secrets.ts';

/**
 * The keys that wrap the taxpayers' data keys. Usually one; during a rotation the new one comes first and wraps, while the
 * old ones still open what is not re-wrapped yet. A secret says by fingerprint which key it needs.
 */
export interface MasterKeys {
  current(): Buffer;
  /** The key of that fingerprint. Looks into the key file again before it gives up: another process may have added it. */
  find(wanted: Buffer): Promise<Buffer>;
  /** Whether this process may create a new key: only where the key file is its own. */
  readonly isOwnFile: boolean;
  /** Makes a new key the current one: on disk first, then `register`ed with the database, and only then wrapped with. */
  add(key: Buffer, register?: () => Promise<void>): Promise<void>;
  /** Forgets all keys but the current one. */
  retireOthers(): Promise<void>;
}

type KeySettings = Pick<Settings, 'masterKey' | 'masterKeyFile' | 'dataDir'>;

/**
 * Finds the master keys and proves that they open this database. Only an installation that never had a key gets a new one: a
 * key made beside secrets it cannot open would hide the loss until the first signature.
 */
export async function openMasterKeys(pool: Pool, settings: KeySettings, log: Log): Promise<MasterKeys> {
  const known = await openRegistered(pool, settings);
  if (known !== undefined) return known;
  return inTransaction(pool, async (tx) => {
    // Several instances may start at once on an empty database: one of them names the key, the others must agree.
    await tx.query('lock table master_keys in share row exclusive mode');
    return openLocked(tx, settings, log);
  });
}

/** Where the key in use is registered nothing is written: a start must not wait for a commit then. */
async function openRegistered(pool: Pool, settings: KeySettings): Promise<MasterKeys | undefined> {
  const keys = await readMasterKeys(settings);
  const inUse = await fingerprintsInUse(pool);
  const [current, ...others] = keys.map(fingerprint);
  const isHere = (needed: Buffer) => [current, ...others].some((one) => one?.equals(needed));
  const isRegistered = current !== undefined && inUse.some((one) => one.equals(current));
  return isRegistered && inUse.every(isHere) ? ringOf(keys, settings) : undefined;
}

function ringOf(keys: readonly Buffer[], { masterKey, masterKeyFile, dataDir }: KeySettings): KeyRing {
  const file = masterKeyFile ?? join(dataDir, 'master.key');
  return new KeyRing(
    keys,
    masterKey === undefined ? file : undefined,
    masterKey === undefined && masterKeyFile === undefined,
  );
}

async function openLocked(tx: Transaction, settings: KeySettings, log: Log): Promise<MasterKeys> {
  const file = settings.masterKeyFile ?? join(settings.dataDir, 'master.key');
  const isOwnFile = settings.masterKey === undefined && settings.masterKeyFile === undefined;
  const source = settings.masterKey === undefined ? file : 'MASTER_KEY';
  const text = settings.masterKey ?? (await readOptional(file));
  const inUse = await fingerprintsInUse(tx);
  if (text === undefined && (inUse.length > 0 || !isOwnFile)) {
    throw new StartRefusal(
      `There is no master key in ${file}: put back the key this installation was set up with, or set MASTER_KEY.`,
    );
  }
  const keys = text === undefined ? [await makeFirstKey(file, log)] : decodeKeys(text, source);
  const missing = inUse.filter((needed) => !keys.some((key) => fingerprint(key).equals(needed)));
  // Only where nobody else can be about to wrap with it: a key that was registered and never used may be forgotten.
  const isForgettable = isOwnFile && missing.length < inUse.length && (await areUnused(tx, missing));
  if (missing.length > 0 && !isForgettable) {
    throw new StartRefusal(
      `The master key in ${source} is not the one this database was set up with: its secrets do not open with it.`,
    );
  }
  await retireKeys(tx, missing);
  const ring = ringOf(keys, settings);
  await registerKey(tx, ring.current());
  return ring;
}

/** The keys that are configured, the newest first; none where there is no key yet. */
export async function readMasterKeys(settings: KeySettings): Promise<Buffer[]> {
  const file = settings.masterKeyFile ?? join(settings.dataDir, 'master.key');
  const text = settings.masterKey ?? (await readOptional(file));
  return text === undefined ? [] : decodeKeys(text, settings.masterKey === undefined ? file : 'MASTER_KEY');
}

/** For tests and tools that have just one key in hand. */
export function singleMasterKey(key: Buffer): MasterKeys {
  return new KeyRing([key], undefined, false);
}

class KeyRing implements MasterKeys {
  readonly isOwnFile: boolean;
  readonly #file: string | undefined;
  #keys: readonly Buffer[];

  constructor(keys: readonly Buffer[], file: string | undefined, isOwnFile: boolean) {
    this.#keys = keys;
    this.#file = file;
    this.isOwnFile = isOwnFile;
  }

  current(): Buffer {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('there is no master key');
    return key;
  }

  async find(wanted: Buffer): Promise<Buffer> {
    const find = () => this.#keys.find((key) => fingerprint(key).equals(wanted));
    const found = find();
    if (found !== undefined) return found;
    if (this.#file !== undefined) this.#keys = decodeKeys((await readOptional(this.#file)) ?? '', this.#file);
    const later = find();
    if (later === undefined) throw new Error('a secret was wrapped with a master key that is not here');
    return later;
  }

  async add(key: Buffer, register: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const keys = [key, ...this.#keys];
    await this.#keep(keys);
    try {
      await register();
    } catch (error) {
      // It may be registered all the same, now or in a moment: only the answer was lost. So it stays, behind the one in use: a key
      // that wraps nothing does no harm, and one that is registered but nowhere would.
      this.#keys = [...this.#keys, key];
      await this.#keep(this.#keys);
      throw error;
    }
    this.#keys = keys;
  }

  async retireOthers(): Promise<void> {
    const keys = [this.current()];
    await this.#keep(keys);
    this.#keys = keys;
  }

  async #keep(keys: readonly Buffer[]): Promise<void> {
    if (this.#file !== undefined && this.isOwnFile) await writeKeys(this.#file, keys);
  }
}

/** The fingerprints of keys that something may still be wrapped with. */
async function fingerprintsInUse(db: Queryable): Promise<Buffer[]> {
  const { rows } = await db.query<{ fingerprint: Buffer }>(
    'select fingerprint from master_keys where retired_at is null',
  );
  return rows.map((row) => row.fingerprint);
}

async function areUnused(db: Queryable, fingerprints: readonly Buffer[]): Promise<boolean> {
  const { rowCount } = await db.query('select from data_keys where master_key_fingerprint = any ($1) limit 1', [
    fingerprints,
  ]);
  return rowCount === 0;
}

async function retireKeys(db: Queryable, fingerprints: readonly Buffer[]): Promise<void> {
  if (fingerprints.length === 0) return;
  await db.query('update master_keys set retired_at = now() where fingerprint = any ($1)', [fingerprints]);
}

/** Before anything is wrapped with it: the first key of an installation, or the next one in a rotation. */
export async function registerKey(db: Queryable, key: Buffer): Promise<void> {
  await db.query(
    'insert into master_keys (fingerprint) values ($1) on conflict (fingerprint) do update set retired_at = null',
    [fingerprint(key)],
  );
}

/**
 * The current key, held until the transaction ends: a rotation that ended in between would drop the key before anything could
 * see what is being wrapped with it.
 */
export async function holdCurrent(tx: Transaction, masterKeys: MasterKeys): Promise<Buffer> {
  // A second look, because a rotation of this very process may have come in between.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const key = masterKeys.current();
    const { rowCount } = await tx.query(
      'select 1 from master_keys where fingerprint = $1 and retired_at is null for share',
      [fingerprint(key)],
    );
    if (rowCount === 1) return key;
  }
  throw new Error('the master key of this process was retired: restart it with the new one');
}

/** Waits for transactions that wrap with another key than the current one, and blocks new ones. */
export async function lockOtherKeys(tx: Transaction, masterKeys: MasterKeys): Promise<void> {
  await tx.query(
    'select 1 from master_keys where fingerprint <> $1 and retired_at is null order by fingerprint for update',
    [fingerprint(masterKeys.current())],
  );
}

/** Nothing is wrapped with the others any more. */
export async function retireOtherKeys(db: Queryable, masterKeys: MasterKeys): Promise<void> {
  await db.query('update master_keys set retired_at = now() where fingerprint <> $1 and retired_at is null', [
    fingerprint(masterKeys.current()),
  ]);
}

async function makeFirstKey(file: string, log: Log): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  await writeKeys(file, [key]);
  log.warn({ file }, 'created a master key: keep a copy of it, without it no device can sign again');
  return key;
}

/** On disk before it is used: a key lost in a crash would take every secret wrapped with it along. */
export async function writeKeys(file: string, keys: readonly Buffer[]): Promise<void> {
  await saveFile(`${file}.new`, keys.map((key) => `${key.toString('base64')}\n`).join(''));
  await rename(`${file}.new`, file);
  await flushFolder(dirname(file));
}

function decodeKeys(text: string, source: string): Buffer[] {
  return text
    .trim()
    .split(/[\s,]+/)
    .map((part) => decodeKey(part, source));
}

function decodeKey(text: string, source: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
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

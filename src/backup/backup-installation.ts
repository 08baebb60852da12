import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool, type PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { openDatabase, primaryOf } from '../platform/database/database.ts';
import { keepMigrationsOut } from '../platform/database/migrate.ts';
import { connectionTarget, type Primary } from '../platform/database/primary.ts';
import type { Log } from '../platform/logging/log.ts';
import { encrypt } from '../platform/secrets/secrets.ts';
import { StartRefusal } from '../platform/start-refusal.ts';
import { filesKey, sealedEntries } from './archive-seal.ts';
import { ItemParts, writeArchive } from './archive-writer.ts';
import { type KeySource, type Place, readSecrets, withDatabase } from './installation.ts';
import { FORMAT, fileItem, HEADER, type Header, MANIFEST, type Manifest, SECRETS, tableItem } from './manifest.ts';
import { refuseWrongKeys } from './restored-keys.ts';
import { type Secrets, sealSecrets } from './secrets-box.ts';
import { type KeptFile, readSimulatorFiles } from './simulator-files.ts';
import {
  copyOut,
  fixTextForms,
  isMigrated,
  readApplied,
  readKeyFingerprints,
  readSequences,
  readSource,
  readTables,
} from './store.ts';
import type { Entry } from './tar.ts';

export interface BackupRequest {
  readonly place: Place;
  readonly file: string;
  readonly version: string;
  readonly keys: KeySource;
  /** With it the master key is in the archive, without it not. The key itself is needed either way, to seal the archive. */
  readonly passphrase: string | undefined;
  readonly log: Log;
  readonly progress: (words: string) => void;
}

export interface BackupSummary {
  readonly source: string;
  readonly takenAt: string;
  readonly tables: number;
  readonly rows: number;
  readonly receipts: number;
  readonly archiveBytes: number;
  readonly hasMasterKey: boolean;
  readonly fingerprints: readonly string[];
}

/**
 * The whole installation as of one moment, while it goes on working: one transaction that sees one snapshot, each table as the
 * text of COPY. What lies beside the database follows, encrypted. The manifest and the seal over everything come last, so an
 * archive that was cut off has none.
 */
export function backUpInstallation(request: BackupRequest): Promise<BackupSummary> {
  return withDatabase(request.place, request.log, async (connection) => {
    const { log, place } = request;
    // As a start chooses it: a server that was replaced has an old state.
    const chosen = await openDatabase({ connection, maxConnections: 1, log, dataDir: place.dataDir });
    const primary = primaryOf(chosen);
    const pool = new Pool({ ...connectionTarget(primary), max: 1 });
    pool.on('error', () => {});
    try {
      const client = await pool.connect();
      // Its statement fails with the same error; without a listener the process would end instead.
      client.on('error', () => {});
      await fixTextForms(client);
      // Before the snapshot: a migration would wait for what this reads, and everybody else for the migration.
      await keepMigrationsOut(client);
      await client.query('begin transaction isolation level repeatable read read only');
      return await backUp(client, primary, request).finally(() => client.release(true));
    } finally {
      await Promise.all([pool.end(), chosen.end()]);
    }
  });
}

async function backUp(client: PoolClient, primary: Primary, request: BackupRequest): Promise<BackupSummary> {
  if (!(await isMigrated(client))) throw new StartRefusal('There is no Tillseal in this database: nothing to back up.');
  const takenAt = new Date();
  const source = await readSource(client, primary);
  const header = await readHeader(client, request.version, takenAt);
  const secrets = await readSecrets(request.place, request.keys);
  const masterKey = sealingKey(secrets, header);
  const manifest: { -readonly [Key in keyof Manifest]: Manifest[Key] } = {
    HeaderSha256: '',
    Tables: [],
    Files: [],
    Sequences: [],
  };
  async function* entries(): AsyncGenerator<Entry> {
    const headerBytes = json(header);
    manifest.HeaderSha256 = createHash('sha256').update(headerBytes).digest('hex');
    yield { name: HEADER, bytes: headerBytes };
    for (const { Name, Columns } of header.Tables) {
      const parts = new ItemParts(tableItem(Name));
      const rows = client.query(copyTo(copyOut({ name: Name, columns: Columns })));
      request.progress(Name);
      yield* parts.of(rows as AsyncIterable<Buffer>);
      // The stream ends with its last byte; how many rows they were comes behind it, before the next answer.
      await client.query('select 1');
      manifest.Tables.push({ ...parts.item(), Rows: rows.rowCount });
    }
    manifest.Sequences = (await readSequences(client)).map(({ table, column, value, isCalled }) => ({
      Table: table,
      Column: column,
      Value: value,
      IsCalled: isCalled,
    }));
    for (const kept of await readFiles(request.place)) {
      const parts = new ItemParts(fileItem(kept.path));
      yield* parts.of(onlyOne(encrypt(filesKey(masterKey), kept.bytes, fileItem(kept.path))));
      manifest.Files.push(parts.item());
    }
    if (request.passphrase !== undefined) {
      yield { name: SECRETS, bytes: await sealSecrets(secrets, request.passphrase) };
    }
    yield { name: MANIFEST, bytes: json(manifest) };
  }
  const archiveBytes = await writeArchive(request.file, sealedEntries(entries(), masterKey), takenAt);
  await client.query('commit');
  return {
    source,
    takenAt: header.TakenAt,
    tables: manifest.Tables.length,
    rows: manifest.Tables.reduce((sum, table) => sum + table.Rows, 0),
    receipts: manifest.Tables.find((table) => table.Name === tableItem('receipts'))?.Rows ?? 0,
    archiveBytes,
    hasMasterKey: request.passphrase !== undefined,
    fingerprints: header.MasterKeyFingerprints,
  };
}

/** The newest. A key of some other installation would be found out at the restore, when it is too late. */
function sealingKey({ masterKeys }: Secrets, { MasterKeyFingerprints }: Header): Buffer {
  const keys = masterKeys.map((key) => Buffer.from(key, 'base64'));
  const [newest] = keys;
  if (newest === undefined) {
    throw new StartRefusal(
      'There is no master key to authenticate the backup with: set MASTER_KEY or MASTER_KEY_FILE, as for the service.',
    );
  }
  refuseWrongKeys(MasterKeyFingerprints, keys);
  return newest;
}

async function readHeader(client: PoolClient, version: string, takenAt: Date): Promise<Header> {
  const applied = await readApplied(client);
  const tables = await readTables(client);
  return {
    Format: FORMAT,
    Version: version,
    TakenAt: takenAt.toISOString(),
    Migrations: applied.map(({ number, name, checksum }) => ({ Number: number, Name: name, Checksum: checksum })),
    Tables: tables.map(({ name, columns }) => ({ Name: name, Columns: [...columns] })),
    MasterKeyFingerprints: await readKeyFingerprints(client),
  };
}

/** Beside a database elsewhere nothing is kept that matters. */
async function readFiles(place: Place): Promise<KeptFile[]> {
  if (place.kind === 'database') return [];
  const demo = await readFile(join(place.dataDir, 'demo.json')).catch(() => undefined);
  const simulator = await readSimulatorFiles(place.dataDir);
  return demo === undefined ? simulator : [{ path: 'demo.json', bytes: demo }, ...simulator];
}

async function* onlyOne(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 1)}\n`);
}

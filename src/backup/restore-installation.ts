import { join } from 'node:path';
import { Pool } from 'pg';
import { pauseRestoredEndpoints } from '../endpoints/index.ts';
import { holdRestoredDevices } from '../fiscal/index.ts';
import { openDatabase, primaryOf, Transaction } from '../platform/database/database.ts';
import type { DatabaseConnection } from '../platform/database/database-hosts.ts';
import { lockMigrations, migrate, readMigrations, refuseNeverReleased } from '../platform/database/migrate.ts';
import { connectionTarget } from '../platform/database/primary.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import type { Log } from '../platform/logging/log.ts';
import { saveFile } from '../platform/save-file.ts';
import { writeKeys } from '../platform/secrets/master-keys.ts';
import { decrypt } from '../platform/secrets/secrets.ts';
import { StartRefusal } from '../platform/start-refusal.ts';
import { filesKey, provenKey } from './archive-seal.ts';
import type { KeySource, Place } from './installation.ts';
import { loadArchive } from './load-archive.ts';
import { fileItem, type Header } from './manifest.ts';
import { type ChainsProof, proveChains } from './prove-chains.ts';
import { type Inspection, inspectArchive, readAgain } from './read-archive.ts';
import { chooseKeys, type RestoredKeys } from './restored-keys.ts';
import { findFilledTable, fixTextForms, isMigrated } from './store.ts';
import { finishTarget, prepareTarget } from './target-folder.ts';

export interface RestoreRequest {
  readonly file: string;
  readonly place: Place;
  readonly migrations: string;
  readonly keys: KeySource;
  readonly passphrase: string | undefined;
  /** For a database elsewhere: where to put the master key that was in the archive. */
  readonly saveMasterKey: string | undefined;
  readonly log: Log;
  readonly progress: (words: string) => void;
}

export interface RestoreSummary {
  readonly takenAt: string;
  readonly version: string;
  readonly tables: number;
  readonly rows: number;
  readonly heldDevices: number;
  readonly proof: ChainsProof;
}

/**
 * The whole archive is held against its manifest and its seal before anything is touched; then all rows go in with one transaction, so that
 * there is never half an installation. Devices are held until the authority has said that it knows nothing newer of them, and endpoints
 * are paused.
 */
export async function restoreInstallation(request: RestoreRequest): Promise<RestoreSummary> {
  request.progress('checking the archive');
  const inspection = await inspectArchive(request.file, (bytes) =>
    request.progress(`checking the archive: ${Math.round(bytes / 1e6)} MB`),
  );
  await refuseForeignVersion(inspection.header, request.migrations);
  const chosen = await chooseKeys(inspection, request);
  const sealedWith = provenKey(inspection, chosen.masterKeys);
  const keys = { ...chosen, sealedWith };
  return request.place.kind === 'folder'
    ? restoreIntoFolder(request, request.place.dataDir, inspection, keys)
    : restoreIntoDatabase(request, request.place.url, inspection, keys);
}

async function restoreIntoFolder(
  request: RestoreRequest,
  dataDir: string,
  inspection: Inspection,
  keys: RestoredKeys & { readonly sealedWith: Buffer },
): Promise<RestoreSummary> {
  await prepareTarget(dataDir);
  const embedded = await startEmbeddedPostgres({ dataDir, log: request.log, isRestoring: true });
  let summary: RestoreSummary;
  try {
    const files = new Map<string, Buffer[]>();
    summary = await restoreRows(request, embedded.connection, inspection, files);
    const key = filesKey(keys.sealedWith);
    for (const [path, parts] of files)
      await saveFile(join(dataDir, path), decrypt(key, Buffer.concat(parts), fileItem(path)));
    await writeKeys(join(dataDir, 'master.key'), keys.masterKeys);
    if (keys.operatorToken !== undefined) await saveFile(join(dataDir, 'operator-token'), `${keys.operatorToken}\n`);
  } finally {
    await embedded.stop();
  }
  await finishTarget(dataDir);
  return summary;
}

async function restoreIntoDatabase(
  request: RestoreRequest,
  url: string,
  inspection: Inspection,
  keys: RestoredKeys,
): Promise<RestoreSummary> {
  // First: rows whose key did not reach its place would be worth nothing.
  if (request.saveMasterKey !== undefined) await writeKeys(request.saveMasterKey, keys.masterKeys);
  return restoreRows(request, url, inspection, new Map());
}

async function restoreRows(
  request: RestoreRequest,
  connection: DatabaseConnection,
  inspection: Inspection,
  files: Map<string, Buffer[]>,
): Promise<RestoreSummary> {
  const { log, migrations, progress } = request;
  const { header, manifest } = inspection;
  const pool = await openDatabase({ connection, maxConnections: 2, log });
  try {
    await refuseFilled(pool);
    progress('making the tables');
    await migrate(pool, migrations, log, { through: header.Migrations.at(-1)?.Number ?? 0 });
    const heldDevices = await loadRows(request, pool, inspection, files);
    await migrate(pool, migrations, log);
    progress('gathering statistics');
    await pool.query('analyze');
    const proof = await proveChains(pool, (words) => progress(`verifying chains: ${words}`));
    return {
      takenAt: header.TakenAt,
      version: header.Version,
      tables: manifest.Tables.length,
      rows: manifest.Tables.reduce((sum, table) => sum + table.Rows, 0),
      heldDevices,
      proof,
    };
  } finally {
    await pool.end();
  }
}

/** On a connection without pipelining, which a COPY does not work with. Returns the number of devices on hold. */
async function loadRows(
  { file, progress }: RestoreRequest,
  chosen: Pool,
  inspection: Inspection,
  files: Map<string, Buffer[]>,
): Promise<number> {
  const { header, manifest } = inspection;
  const pool = new Pool({ ...connectionTarget(primaryOf(chosen)), max: 1 });
  pool.on('error', () => {});
  try {
    const client = await pool.connect();
    client.on('error', () => {});
    const tx = new Transaction(client);
    try {
      await fixTextForms(client);
      await client.query('begin');
      // A service that is started meanwhile migrates first, and so waits here until everything is in.
      await lockMigrations(tx);
      await loadArchive(client, readAgain(file, inspection), {
        header,
        manifest,
        takeFilePart: (item, bytes) => keepFilePart(files, item, bytes),
        progress: (table) => progress(`loading: ${table}`),
      });
      const heldDevices = await holdRestoredDevices(
        tx,
        `Device {device} was restored from the backup of ${header.TakenAt}. It seals nothing until the authority has said which receipt it knows last.`,
      );
      await pauseRestoredEndpoints(tx, new Date());
      await tx.commit();
      return heldDevices;
    } finally {
      tx.end();
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

const FILES = 'files/';

function keepFilePart(files: Map<string, Buffer[]>, item: string, bytes: Buffer): void {
  if (!item.startsWith(FILES)) return;
  const path = item.slice(FILES.length);
  // The archive may come from anywhere: nothing in it may name a place outside the folder.
  if (path.startsWith('/') || path.split('/').includes('..')) throw new Error(`${item} is not a valid file name`);
  files.set(path, [...(files.get(path) ?? []), bytes]);
}

async function refuseFilled(pool: Pool): Promise<void> {
  const filled = await findFilledTable(pool);
  if (filled === undefined) return;
  const what = (await isMigrated(pool)) ? 'an installation' : 'tables of something else';
  throw new StartRefusal(
    `The database is not empty: it holds ${what} (${filled} has rows). Restore into a new one: create database … and name it in DATABASE_URL.`,
  );
}

async function refuseForeignVersion(header: Header, folder: string): Promise<void> {
  refuseNeverReleased(header.Migrations[0]?.Name, 'This backup');
  const known = await readMigrations(folder);
  for (const { Number: number, Name, Checksum } of header.Migrations) {
    const ours = known.find((migration) => migration.number === number);
    if (ours?.checksum === Checksum) continue;
    throw new StartRefusal(
      `The backup was made by version ${header.Version} with migration ${Name}, which this version does not have: restore it with the version that made it, or a newer one.`,
    );
  }
}

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseConnection } from '../platform/database/database-hosts.ts';
import { superuser } from '../platform/embedded-postgres/cluster.ts';
import { databaseName, startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import { postmasterOf } from '../platform/embedded-postgres/postmaster.ts';
import { port } from '../platform/embedded-postgres/server.ts';
import type { Log } from '../platform/logging/log.ts';
import { readMasterKeys } from '../platform/secrets/master-keys.ts';
import { StartRefusal } from '../platform/start-refusal.ts';
import type { Secrets } from './secrets-box.ts';

/** Where an installation keeps its rows: an embedded server in a folder, or a database elsewhere. */
export type Place =
  | { readonly kind: 'folder'; readonly dataDir: string }
  /** Where its service has DATA_DIR, if that is on this machine: it says which servers were in use. */
  | { readonly kind: 'database'; readonly url: string; readonly dataDir: string | undefined };

export interface KeySource {
  readonly masterKey: string | undefined;
  readonly masterKeyFile: string | undefined;
}

/** Calls `work` with a connection to the installation's database, which is started for that time if it does not run. */
export async function withDatabase<T>(
  place: Place,
  log: Log,
  work: (connection: DatabaseConnection) => Promise<T>,
): Promise<T> {
  if (place.kind === 'database') return work(place.url);
  const cluster = join(place.dataDir, 'postgres');
  if (!existsSync(cluster)) {
    throw new StartRefusal(
      `There is no installation in ${place.dataDir}: name its folder with --data, or set DATABASE_URL.`,
    );
  }
  const running = await postmasterOf(cluster);
  if (running?.isRunning) {
    return work({ host: running.socketFolder || cluster, port, user: superuser, database: databaseName });
  }
  const embedded = await startEmbeddedPostgres({ dataDir: place.dataDir, log });
  try {
    return await work(embedded.connection);
  } finally {
    await embedded.stop();
  }
}

/** The secrets that are not in the database. */
export async function readSecrets(place: Place, source: KeySource): Promise<Secrets> {
  const dataDir = place.kind === 'folder' ? place.dataDir : '';
  const isNowhere = dataDir === '' && source.masterKey === undefined && source.masterKeyFile === undefined;
  const keys = isNowhere
    ? []
    : await readMasterKeys({ masterKey: source.masterKey, masterKeyFile: source.masterKeyFile, dataDir });
  const token = dataDir === '' ? '' : await readFile(join(dataDir, 'operator-token'), 'utf8').catch(() => '');
  return { masterKeys: keys.map((key) => key.toString('base64')), operatorToken: token.trim() || undefined };
}

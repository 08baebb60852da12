import { join } from 'node:path';
import type { Pool } from 'pg';
import { openDatabase, primaryOf } from '../../platform/database/database.ts';
import { refuseUnsafeDatabase } from '../../platform/database/durability.ts';
import { readMigrations, refuseForeignHistory } from '../../platform/database/migrate.ts';
import { findPrograms, superuser } from '../../platform/embedded-postgres/cluster.ts';
import { databaseName } from '../../platform/embedded-postgres/embedded-postgres.ts';
import { postmasterOf } from '../../platform/embedded-postgres/postmaster.ts';
import { port } from '../../platform/embedded-postgres/server.ts';
import { readMasterKeys } from '../../platform/secrets/master-keys.ts';
import { fingerprint } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import { type Finding, findings } from './finding.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
/** What an instance opens at most. */
const CONNECTIONS = 20;

const { fine, warning, problem, refusedStart, clock } = findings('Database');

/** The database as it is configured. One that the service would start itself is looked at only while it runs. */
export async function checkDatabase(settings: Settings, migrations: string): Promise<Finding[]> {
  let pool: Pool | undefined;
  try {
    const connection = settings.databaseUrl ?? (await embeddedConnection(settings));
    if (connection === undefined) {
      return [fine('the embedded PostgreSQL is here and starts with the service; it is not running now')];
    }
    pool = await openDatabase({ connection, maxConnections: 1, log: quiet, dataDir: settings.dataDir });
    return await lookInto(pool, settings, migrations);
  } catch (error) {
    return [refusedStart(error)];
  } finally {
    await pool?.end();
  }
}

async function embeddedConnection({ dataDir }: Settings) {
  await findPrograms();
  const cluster = join(dataDir, 'postgres');
  const server = await postmasterOf(cluster);
  if (server?.isRunning !== true) return undefined;
  return { host: server.socketFolder || cluster, port, user: superuser, database: databaseName };
}

async function lookInto(pool: Pool, settings: Settings, migrations: string): Promise<Finding[]> {
  const { rows } = await pool.query<{ version: string; is_standby: boolean; free: number; has_migrations: boolean }>(
    `select current_setting('server_version') as version, pg_is_in_recovery() as is_standby,
            to_regclass('migrations') is not null as has_migrations,
            current_setting('max_connections')::integer
              - (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as free`,
  );
  const [server] = rows;
  if (server === undefined) throw new Error('the database answers nothing');
  const found: Finding[] = [fine(`PostgreSQL ${server.version} answers`)];
  if (server.is_standby) {
    const fix = 'Name the primary, or all hosts, in DATABASE_URL.';
    found.push(problem('this server is a standby and takes no writes', fix));
  }
  if (primaryOf(pool).server?.timeline === undefined) {
    const text = 'it does not say on which timeline it is, so of two servers the newer one cannot be told';
    const fix =
      "Name one address in DATABASE_URL, the provider's for writing: see docs/operations/replication.md, Managed services.";
    found.push(warning(text, fix));
  }
  found.push(await durability(pool, settings), await compareClocks(pool));
  if (server.free < CONNECTIONS) {
    const text = `only ${Math.max(0, server.free)} connections are free, and an instance opens up to ${CONNECTIONS}`;
    found.push(warning(text, 'Raise max_connections of the server.'));
  }
  if (!server.has_migrations) return [...found, fine('empty: the first start creates the tables')];
  return [...found, await pending(pool, migrations), await keysInUse(pool, settings)];
}

async function durability(pool: Pool, { allowsUnsafeDatabase }: Settings): Promise<Finding> {
  try {
    await refuseUnsafeDatabase(pool, false, quiet);
    return fine('keeps what it has confirmed (fsync and full_page_writes are on)');
  } catch (error) {
    const found = refusedStart(error);
    return allowsUnsafeDatabase ? { ...found, verdict: 'warning' } : found;
  }
}

/** Half of the time the question took is the way there. */
async function compareClocks(pool: Pool): Promise<Finding> {
  const askedAt = Date.now();
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const between = (askedAt + Date.now()) / 2;
  return clock((rows[0]?.now.getTime() ?? between) - between);
}

async function pending(pool: Pool, folder: string): Promise<Finding> {
  const migrations = await readMigrations(folder);
  try {
    await refuseForeignHistory(pool, migrations);
  } catch (error) {
    return refusedStart(error);
  }
  const { rows } = await pool.query<{ number: number }>('select number from migrations');
  const applied = new Set(rows.map(({ number }) => number));
  const missing = migrations.filter(({ number }) => !applied.has(number));
  if (missing.length === 0) return fine('its tables are those of this version');
  const text = `${missing.length} migrations are missing: it was last used by an older version`;
  return warning(text, 'Make a backup (tillseal backup FILE), then start: the first new instance migrates.');
}

async function keysInUse(pool: Pool, settings: Settings): Promise<Finding> {
  const { rows } = await pool.query<{ fingerprint: Buffer }>(
    'select fingerprint from master_keys where retired_at is null',
  );
  const here = (await readMasterKeys(settings)).map(fingerprint);
  const lacking = rows.filter((row) => !here.some((one) => one.equals(row.fingerprint)));
  const keys = findings('Keys');
  if (lacking.length === 0) return keys.fine('the master key opens the secrets in this database');
  return keys.problem(
    'the database was set up with another master key',
    'Put back the key it was set up with (MASTER_KEY_FILE, MASTER_KEY or DATA_DIR/master.key): without it no device can sign.',
  );
}

import { randomBytes } from 'node:crypto';
import type { Queryable, Transaction } from '../database/database.ts';
import { holdCurrent, type MasterKeys } from './master-keys.ts';
import { decrypt, encrypt, fingerprint, KEY_BYTES } from './secrets.ts';

/** The data key of a tenant: made once, kept wrapped by a master key. Secrets of the tenant are encrypted with it. */
export async function createDataKey(tx: Transaction, masterKeys: MasterKeys, tenantId: string): Promise<Buffer> {
  const dataKey = randomBytes(KEY_BYTES);
  const masterKey = await holdCurrent(tx, masterKeys);
  await tx.query('insert into data_keys (tenant_id, wrapped_key, master_key_fingerprint) values ($1, $2, $3)', [
    tenantId,
    encrypt(masterKey, dataKey, context(tenantId)),
    fingerprint(masterKey),
  ]);
  return dataKey;
}

/** The same where it is made when it is first needed. */
export async function ensureDataKey(tx: Transaction, masterKeys: MasterKeys, tenantId: string): Promise<Buffer> {
  const { rowCount } = await tx.query('select from data_keys where tenant_id = $1', [tenantId]);
  return rowCount === 0 ? createDataKey(tx, masterKeys, tenantId) : loadDataKey(tx, masterKeys, tenantId);
}

interface DataKeyRow {
  readonly tenantId: string;
  readonly wrappedKey: Buffer;
  readonly masterKeyFingerprint: Buffer;
}

const COLUMNS =
  'tenant_id as "tenantId", wrapped_key as "wrappedKey", master_key_fingerprint as "masterKeyFingerprint"';

export async function loadDataKey(db: Queryable, masterKeys: MasterKeys, tenantId: string): Promise<Buffer> {
  try {
    return await unwrap(masterKeys, await findDataKey(db, tenantId));
  } catch {
    // The key it was wrapped with may have been retired since it was read.
    return unwrap(masterKeys, await findDataKey(db, tenantId));
  }
}

async function findDataKey(db: Queryable, tenantId: string): Promise<DataKeyRow> {
  const { rows } = await db.query<DataKeyRow>({
    name: 'load-data-key',
    text: `select ${COLUMNS} from data_keys where tenant_id = $1`,
    values: [tenantId],
  });
  if (rows[0] === undefined) throw new Error(`tenant ${tenantId} has no data key`);
  return rows[0];
}

/**
 * Wraps some of the data keys again, with the current master key; the secrets under them do not change. Each call is a
 * separate transaction, so a rotation killed half-way continues where it stopped. Returns how many it did.
 */
export async function rewrapDataKeys(tx: Transaction, masterKeys: MasterKeys, most: number): Promise<number> {
  const masterKey = masterKeys.current();
  const { rows } = await tx.query<DataKeyRow>(
    `select ${COLUMNS} from data_keys
      where master_key_fingerprint <> $1 order by tenant_id limit $2 for update`,
    [fingerprint(masterKey), most],
  );
  for (const row of rows) {
    const dataKey = await unwrap(masterKeys, row);
    await tx.query('update data_keys set wrapped_key = $2, master_key_fingerprint = $3 where tenant_id = $1', [
      row.tenantId,
      encrypt(masterKey, dataKey, context(row.tenantId)),
      fingerprint(masterKey),
    ]);
  }
  return rows.length;
}

export async function countOtherwiseWrapped(db: Queryable, masterKeys: MasterKeys): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::integer as count from data_keys where master_key_fingerprint <> $1',
    [fingerprint(masterKeys.current())],
  );
  return rows[0]?.count ?? 0;
}

async function unwrap(masterKeys: MasterKeys, row: DataKeyRow): Promise<Buffer> {
  const masterKey = await masterKeys.find(row.masterKeyFingerprint);
  return decrypt(masterKey, row.wrappedKey, context(row.tenantId));
}

function context(tenantId: string): string {
  return `data key of ${tenantId}`;
}

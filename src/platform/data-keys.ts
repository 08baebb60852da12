import { randomBytes } from 'node:crypto';
import type { Queryable } from './database.ts';
import { decrypt, encrypt, fingerprint, KEY_BYTES } from './secrets.ts';

/** The data key of a tenant: made once, kept wrapped by the master key. Secrets of the tenant are encrypted with it. */
export async function createDataKey(db: Queryable, masterKey: Buffer, tenantId: string): Promise<Buffer> {
  const dataKey = randomBytes(KEY_BYTES);
  await db.query('insert into data_keys (taxpayer_id, wrapped_key, master_key_fingerprint) values ($1, $2, $3)', [
    tenantId,
    encrypt(masterKey, dataKey, context(tenantId)),
    fingerprint(masterKey),
  ]);
  return dataKey;
}

export async function loadDataKey(db: Queryable, masterKey: Buffer, tenantId: string): Promise<Buffer> {
  const { rows } = await db.query<{ wrapped_key: Buffer }>('select wrapped_key from data_keys where taxpayer_id = $1', [
    tenantId,
  ]);
  if (rows[0] === undefined) throw new Error(`taxpayer ${tenantId} has no data key`);
  return decrypt(masterKey, rows[0].wrapped_key, context(tenantId));
}

function context(tenantId: string): string {
  return `data key of ${tenantId}`;
}

import type { Queryable } from '../../platform/database/database.ts';
import { loadDataKey } from '../../platform/secrets/data-keys.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { decrypt, encrypt } from '../../platform/secrets/secrets.ts';
import { findEncryptedSecret, type VendorSecret } from './store.ts';

/** Undefined where the vendor has none. */
export async function readVendorSecret(
  db: Queryable,
  masterKeys: MasterKeys,
  vendorId: string,
  which: VendorSecret,
): Promise<string | undefined> {
  const sealed = await findEncryptedSecret(db, vendorId, which);
  if (sealed === undefined) return undefined;
  const dataKey = await loadDataKey(db, masterKeys, vendorId);
  return decrypt(dataKey, sealed, context(vendorId, which)).toString('utf8');
}

/** For its column; the vendor's data key must exist already. */
export async function encryptVendorSecret(
  db: Queryable,
  masterKeys: MasterKeys,
  vendorId: string,
  which: VendorSecret,
  text: string,
): Promise<Buffer> {
  return encrypt(await loadDataKey(db, masterKeys, vendorId), Buffer.from(text), context(vendorId, which));
}

/** Authenticated along: a secret copied to another vendor or another column does not open. */
function context(vendorId: string, which: VendorSecret): string {
  return `${which} of vendor ${vendorId}`;
}

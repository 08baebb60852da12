import { randomBytes } from 'node:crypto';
import type { Queryable, Transaction } from '../platform/database/database.ts';
import type { MessageSecrets } from '../platform/network/post-signed.ts';
import { ensureDataKey, loadDataKey } from '../platform/secrets/data-keys.ts';
import type { MasterKeys } from '../platform/secrets/master-keys.ts';
import { decrypt, encrypt } from '../platform/secrets/secrets.ts';
import type { Endpoint } from './core/endpoint.ts';

/** What Standard Webhooks say a key may have. */
const KEY_BYTES = { least: 24, most: 64, ours: 32 } as const;

export function newSecret(): string {
  return `whsec_${randomBytes(KEY_BYTES.ours).toString('base64')}`;
}

export function isGoodSecret(secret: string): boolean {
  const { length } = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return length >= KEY_BYTES.least && length <= KEY_BYTES.most;
}

type Owned = Pick<Endpoint, 'endpointId' | 'tenantId'>;
/** What it is; the link to confirm an address is kept by nobody but who got it. */
type Sealed = 'secret' | 'header' | 'confirmation';

/** For its column. The data key of a tenant is as old as the tenant; the installation's is made when it is first needed. */
export async function encryptFor(
  tx: Transaction,
  masterKeys: MasterKeys,
  { endpointId, tenantId }: Owned,
  which: Sealed,
  text: string,
): Promise<Buffer> {
  const dataKey = await ensureDataKey(tx, masterKeys, tenantId);
  return encrypt(dataKey, Buffer.from(text), context(endpointId, which));
}

/** What a request is signed with and carries now. */
export async function readSecrets(
  db: Queryable,
  masterKeys: MasterKeys,
  endpoint: Endpoint,
  now: Date,
): Promise<MessageSecrets> {
  const { endpointId, headerName, headerValue, oldSecretUntil } = endpoint;
  const dataKey = await loadDataKey(db, masterKeys, endpoint.tenantId);
  const open = (sealed: Buffer, which: 'secret' | 'header') =>
    decrypt(dataKey, sealed, context(endpointId, which)).toString('utf8');
  if (endpoint.secret === null) throw new Error('the endpoint has no secret');
  const isBoth = endpoint.oldSecret !== null && oldSecretUntil !== null && oldSecretUntil > now;
  return {
    signing: [open(endpoint.secret, 'secret'), ...(isBoth ? [open(endpoint.oldSecret, 'secret')] : [])],
    headers: headerName === null || headerValue === null ? {} : { [headerName]: open(headerValue, 'header') },
  };
}

/** Undefined: it was not made here, or for another endpoint. */
export async function openConfirmation(
  db: Queryable,
  masterKeys: MasterKeys,
  { endpointId, tenantId }: Owned,
  sealed: Buffer,
): Promise<string | undefined> {
  const dataKey = await loadDataKey(db, masterKeys, tenantId);
  try {
    return decrypt(dataKey, sealed, context(endpointId, 'confirmation')).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Bound to its endpoint: a secret that is copied to another endpoint's row cannot be decrypted. */
function context(endpointId: string, which: Sealed): string {
  return `${which} of endpoint ${endpointId}`;
}

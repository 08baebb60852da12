import type { VendorScope } from '../../contract/billpay/vendor-token.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { newToken } from '../../platform/tokens/auth.ts';
import { insertVendorToken, type VendorTokenRecord } from './token-store.ts';

export interface VendorTokenRequest {
  /** Of one whose text was shown to nobody: it gets another. */
  readonly tokenId?: string | undefined;
  readonly vendorId: string;
  readonly name: string;
  readonly scopes: readonly VendorScope[];
  readonly expiresAt?: Date | undefined;
}

/** Issues a token. Its text is returned this once and never stored. */
export async function issueVendorToken(
  db: Queryable,
  { tokenId = newId(), vendorId, name, scopes, expiresAt }: VendorTokenRequest,
  now: Date,
): Promise<{ readonly token: string; readonly record: VendorTokenRecord }> {
  const { token, hash, displayPrefix } = newToken('vendor');
  const issued = { tokenId, displayPrefix, name, scopes, expiresAt: expiresAt ?? null, createdAt: now };
  await insertVendorToken(db, { ...issued, vendorId, hash });
  return { token, record: { ...issued, revokedAt: null } };
}

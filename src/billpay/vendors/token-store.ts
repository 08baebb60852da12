import type { VendorScope } from '../../contract/billpay/vendor-token.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { StoredToken } from '../../platform/tokens/administration.ts';

export type VendorTokenRecord = StoredToken<VendorScope>;

export interface NewVendorTokenRow extends Omit<VendorTokenRecord, 'revokedAt'> {
  readonly vendorId: string;
  readonly hash: Buffer;
}

const RECORD = `token_id as "tokenId", display_prefix as "displayPrefix", name, scopes, expires_at as "expiresAt",
  revoked_at as "revokedAt", created_at as "createdAt"`;

export async function insertVendorToken(tx: Queryable, token: NewVendorTokenRow): Promise<void> {
  await tx.query(
    `insert into vendor_tokens (vendor_id, token_id, token_hash, display_prefix, name, scopes, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (vendor_id, token_id) do update
        set token_hash = excluded.token_hash, display_prefix = excluded.display_prefix, created_at = excluded.created_at`,
    [
      token.vendorId,
      token.tokenId,
      token.hash,
      token.displayPrefix,
      token.name,
      token.scopes,
      token.expiresAt,
      token.createdAt,
    ],
  );
}

export async function listVendorTokens(
  db: Queryable,
  vendorId: string,
  after: string | undefined,
  limit: number,
): Promise<VendorTokenRecord[]> {
  const { rows } = await db.query<VendorTokenRecord>(
    `select ${RECORD} from vendor_tokens
      where vendor_id = $1 and ($2::uuid is null or token_id > $2) order by token_id limit $3`,
    [vendorId, after, limit],
  );
  return rows;
}

export async function lockVendorToken(
  tx: Transaction,
  vendorId: string,
  tokenId: string,
): Promise<VendorTokenRecord | undefined> {
  const { rows } = await tx.query<VendorTokenRecord>(
    `select ${RECORD} from vendor_tokens where vendor_id = $1 and token_id = $2 for update`,
    [vendorId, tokenId],
  );
  return rows[0];
}

export async function revokeVendorToken(
  tx: Transaction,
  vendorId: string,
  tokenId: string,
  revokedAt: Date,
): Promise<void> {
  await tx.query('update vendor_tokens set revoked_at = $3 where vendor_id = $1 and token_id = $2', [
    vendorId,
    tokenId,
    revokedAt,
  ]);
}

import { TOKEN_SCOPES } from '../../contract/shared/values.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { FoundToken } from '../../platform/tokens/authentication.ts';
import type { Holder } from './vendor.ts';

interface HolderRow {
  tokenHash: Buffer;
  tokenId: string;
  name: string;
  scopes: string[];
  expires: Date | null;
  billerCode: string | null;
  vendorId: string;
  vendorCode: string;
  isSuspended: boolean;
}

/** Who is behind those tokens that are not revoked. Expiry is for the caller of this function to check, by its clock. */
export async function findHolders(db: Queryable, tokenHashes: readonly Buffer[]): Promise<FoundToken<Holder>[]> {
  const { rows } = await db.query<HolderRow>({
    name: 'find-holders',
    text: `select t.token_hash as "tokenHash", t.token_id as "tokenId", t.name, t.scopes, t.expires_at as expires,
                  t.biller_code as "billerCode", v.vendor_id as "vendorId", v.vendor_code as "vendorCode",
                  v.suspended_at is not null as "isSuspended"
             from tokens t left join vendors v using (vendor_id)
            where t.token_hash = any($1) and t.revoked_at is null and num_nonnulls(t.vendor_id, t.biller_code) = 1`,
    values: [tokenHashes],
  });
  return rows.map(({ tokenHash, billerCode, vendorId, vendorCode, isSuspended, scopes, expires, ...token }) => {
    const holder = { ...token, expiresAt: expires ?? undefined };
    const has = (scope: string) => scopes.includes(scope);
    const identity: Holder =
      billerCode === null
        ? { kind: 'vendor', ...holder, scopes: TOKEN_SCOPES.vendor.filter(has), vendorId, vendorCode, isSuspended }
        : { kind: 'biller', ...holder, scopes: TOKEN_SCOPES.biller.filter(has), billerCode };
    return { tokenHash, identity };
  });
}

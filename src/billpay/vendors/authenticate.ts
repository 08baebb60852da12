import type { Pool } from 'pg';
import { TOKEN_SCOPES } from '../../contract/shared/values.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { RateLimiter } from '../../platform/http/rate-limit.ts';
import type { FoundToken } from '../../platform/tokens/authentication.ts';
import * as platform from '../../platform/tokens/authentication.ts';
import { countTokenChanges } from '../../platform/tokens/known-tokens.ts';
import type { TokenUses } from '../../platform/tokens/token-uses.ts';
import type { Holder, PaymentScope } from './vendor.ts';

export type AuthenticateHolder = platform.Authenticate<Holder, PaymentScope>;

/** Who is behind a token of a vendor or a biller: Bearer, Bearer with base64 of token:code, or Basic with code:token. */
export function createHolderAuthentication(
  pool: Pool,
  clock: Clock,
  limiter: RateLimiter,
  uses: TokenUses,
): AuthenticateHolder {
  return platform.createAuthentication<PaymentScope, Holder>({
    find: (tokenHashes) => findHolders(pool, tokenHashes),
    changes: () => countTokenChanges(pool),
    fits: (holder, credentials) => {
      const code = holder.kind === 'vendor' ? holder.vendorCode : holder.billerCode;
      if (credentials.scheme === 'basic') return credentials.user === code;
      const { tenantId } = credentials;
      return tenantId === undefined || tenantId === code || (holder.kind === 'vendor' && tenantId === holder.vendorId);
    },
    suspension: (holder) =>
      holder.kind === 'vendor' && holder.isSuspended
        ? 'This vendor is suspended. Ask the operator of this service.'
        : undefined,
    kinds: ['vendor', 'biller'],
    mistake: (holder) =>
      holder.kind === 'biller' ? " It is a biller's, which reads its own TargetStats and feed, and nothing else." : '',
    hint: 'Send the header Authorization: Bearer <token>, or Basic with base64 of vendorCode:token.',
    clock,
    limiter,
    uses,
  });
}

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
async function findHolders(db: Queryable, tokenHashes: readonly Buffer[]): Promise<FoundToken<Holder>[]> {
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

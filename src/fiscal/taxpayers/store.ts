import { SCOPES } from '../../contract/token.ts';
import type { FoundToken } from '../../platform/authentication.ts';
import type { Queryable } from '../../platform/database.ts';
import type { Identity } from './caller.ts';

interface IdentityRow {
  token_hash: Buffer;
  taxpayer_id: string | null;
  token_id: string;
  name: string;
  scopes: string[];
  default_cashier: string | null;
  expires_at: Date | null;
  vat_number: string | null;
  currencies: string[] | null;
  default_hs_taxed: string | null;
  default_hs_zero_rated: string | null;
  default_hs_exempt: string | null;
  suspended_at: Date | null;
}

/** Who is behind those tokens that are not revoked. Expiry is for the caller of this function to check, by its clock. */
export async function findIdentities(db: Queryable, tokenHashes: readonly Buffer[]): Promise<FoundToken<Identity>[]> {
  const { rows } = await db.query<IdentityRow>({
    name: 'find-identities',
    text: `select t.token_hash, t.taxpayer_id, t.token_id, t.name, t.scopes, t.default_cashier, t.expires_at, p.vat_number,
                  p.currencies, p.default_hs_taxed, p.default_hs_zero_rated, p.default_hs_exempt, p.suspended_at
             from tokens t left join taxpayers p using (taxpayer_id)
            where t.token_hash = any($1) and t.revoked_at is null`,
    values: [tokenHashes],
  });
  return rows.map((row) => ({ tokenHash: row.token_hash, identity: identityOf(row) }));
}

function identityOf(row: IdentityRow): Identity {
  const holder = {
    tokenId: row.token_id,
    name: row.name,
    scopes: SCOPES.filter((scope) => row.scopes.includes(scope)),
    expiresAt: row.expires_at ?? undefined,
  };
  if (row.taxpayer_id === null) return { kind: 'operator', ...holder };
  return {
    kind: 'taxpayer',
    ...holder,
    taxpayerId: row.taxpayer_id,
    isSuspended: row.suspended_at !== null,
    isVatRegistered: row.vat_number !== null,
    currencies: row.currencies ?? undefined,
    defaults: {
      cashier: row.default_cashier ?? undefined,
      hsTaxed: row.default_hs_taxed ?? undefined,
      hsZeroRated: row.default_hs_zero_rated ?? undefined,
      hsExempt: row.default_hs_exempt ?? undefined,
    },
  };
}

export interface NewTaxpayer {
  readonly taxpayerId: string;
  readonly name: string;
  readonly tin: string;
  readonly vatNumber: string | undefined;
  readonly currencies?: readonly string[] | undefined;
  readonly defaultHsCodes?: { readonly Taxed: string; readonly ZeroRated: string; readonly Exempt: string } | undefined;
}

export async function insertTaxpayer(db: Queryable, taxpayer: NewTaxpayer): Promise<void> {
  await db.query(
    `insert into taxpayers (taxpayer_id, name, tin, vat_number, currencies,
                            default_hs_taxed, default_hs_zero_rated, default_hs_exempt)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      taxpayer.taxpayerId,
      taxpayer.name,
      taxpayer.tin,
      taxpayer.vatNumber,
      taxpayer.currencies,
      taxpayer.defaultHsCodes?.Taxed,
      taxpayer.defaultHsCodes?.ZeroRated,
      taxpayer.defaultHsCodes?.Exempt,
    ],
  );
  await db.query('insert into event_counters (taxpayer_id) values ($1)', [taxpayer.taxpayerId]);
}

export interface NewTokenRow {
  readonly taxpayerId: string | null;
  readonly tokenId: string;
  readonly hash: Buffer;
  readonly displayPrefix: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly defaultCashier: string | undefined;
  readonly expiresAt: Date | undefined;
}

export async function insertToken(db: Queryable, token: NewTokenRow): Promise<void> {
  await db.query(
    `insert into tokens (taxpayer_id, token_id, token_hash, display_prefix, name, scopes, default_cashier, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      token.taxpayerId,
      token.tokenId,
      token.hash,
      token.displayPrefix,
      token.name,
      token.scopes,
      token.defaultCashier,
      token.expiresAt,
    ],
  );
}

export async function findTaxpayerNames(
  db: Queryable,
  taxpayerIds: readonly string[],
): Promise<{ readonly taxpayerId: string; readonly name: string }[]> {
  const { rows } = await db.query<{ taxpayerId: string; name: string }>(
    'select taxpayer_id as "taxpayerId", name from taxpayers where taxpayer_id = any($1)',
    [taxpayerIds],
  );
  return rows;
}

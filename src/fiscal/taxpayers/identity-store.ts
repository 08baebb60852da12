import { TOKEN_SCOPES } from '../../contract/shared/values.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { FoundToken } from '../../platform/tokens/authentication.ts';
import type { Identity, Selling } from './caller.ts';

interface IdentityRow extends SellingRow {
  readonly tokenHash: Buffer;
  readonly taxpayerId: string | null;
  readonly tokenId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
}

interface SellingRow {
  readonly isSuspended: boolean;
  readonly isVatRegistered: boolean;
  readonly currencies: string[] | null;
  readonly takesBuyer: boolean;
  readonly cashier: string | null;
  readonly hsTaxed: string | null;
  readonly hsZeroRated: string | null;
  readonly hsExempt: string | null;
}

const SELLING = `p.suspended_at is not null as "isSuspended", p.vat_number is not null as "isVatRegistered",
  p.currencies, coalesce(p.notes_take_buyer, false) as "takesBuyer",
  p.default_hs_taxed as "hsTaxed", p.default_hs_zero_rated as "hsZeroRated", p.default_hs_exempt as "hsExempt"`;

/** Who is behind those tokens that are not revoked. Expiry is for the caller of this function to check, by its clock. */
export async function findIdentities(db: Queryable, tokenHashes: readonly Buffer[]): Promise<FoundToken<Identity>[]> {
  const { rows } = await db.query<IdentityRow>({
    name: 'find-identities',
    text: `select t.token_hash as "tokenHash", t.taxpayer_id as "taxpayerId", t.token_id as "tokenId", t.name, t.scopes,
                  t.expires_at as "expiresAt", t.default_cashier as cashier, ${SELLING}
             from tokens t left join taxpayers p using (taxpayer_id)
            where t.token_hash = any($1) and t.revoked_at is null and num_nonnulls(t.vendor_id, t.biller_code) = 0`,
    values: [tokenHashes],
  });
  return rows.map((row) => ({ tokenHash: row.tokenHash, identity: identityOf(row) }));
}

/** A person who sells for a taxpayer that is not suspended. */
export async function findSelling(db: Queryable, taxpayerId: string, cashier: string): Promise<Selling | undefined> {
  const { rows } = await db.query<SellingRow>(
    `select ${SELLING}, $2::text as cashier from taxpayers p where taxpayer_id = $1 and suspended_at is null`,
    [taxpayerId, cashier],
  );
  return rows[0] && { taxpayerId, ...sellingOf(rows[0]) };
}

function identityOf(row: IdentityRow): Identity {
  const { tokenId, name, taxpayerId, isSuspended } = row;
  const has = (scope: string) => row.scopes.includes(scope);
  const holder = { tokenId, name, expiresAt: row.expiresAt ?? undefined };
  if (taxpayerId === null) return { kind: 'operator', ...holder, scopes: TOKEN_SCOPES.installation.filter(has) };
  const scopes = TOKEN_SCOPES.taxpayer.filter(has);
  return { kind: 'taxpayer', ...holder, scopes, taxpayerId, isSuspended, ...sellingOf(row) };
}

function sellingOf(row: SellingRow): Omit<Selling, 'taxpayerId'> {
  return {
    isVatRegistered: row.isVatRegistered,
    currencies: row.currencies ?? undefined,
    defaults: {
      cashier: row.cashier ?? undefined,
      hsTaxed: row.hsTaxed ?? undefined,
      hsZeroRated: row.hsZeroRated ?? undefined,
      hsExempt: row.hsExempt ?? undefined,
    },
    takesBuyer: row.takesBuyer,
  };
}

import { SCOPES } from '../../contract/fiscal/token.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { StoredToken } from '../../platform/tokens/administration.ts';
import type { FoundToken } from '../../platform/tokens/authentication.ts';
import type { Identity, Scope } from './caller.ts';

interface IdentityRow {
  readonly tokenHash: Buffer;
  readonly taxpayerId: string | null;
  readonly tokenId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly isSuspended: boolean;
  readonly isVatRegistered: boolean;
  readonly currencies: string[] | null;
  readonly takesBuyer: boolean;
  readonly cashier: string | null;
  readonly hsTaxed: string | null;
  readonly hsZeroRated: string | null;
  readonly hsExempt: string | null;
}

/** Who is behind those tokens that are not revoked. Expiry is for the caller of this function to check, by its clock. */
export async function findIdentities(db: Queryable, tokenHashes: readonly Buffer[]): Promise<FoundToken<Identity>[]> {
  const { rows } = await db.query<IdentityRow>({
    name: 'find-identities',
    text: `select t.token_hash as "tokenHash", t.taxpayer_id as "taxpayerId", t.token_id as "tokenId", t.name, t.scopes,
                  t.expires_at as "expiresAt", p.suspended_at is not null as "isSuspended", p.vat_number is not null as "isVatRegistered",
                  p.currencies, coalesce(p.notes_take_buyer, false) as "takesBuyer", t.default_cashier as cashier,
                  p.default_hs_taxed as "hsTaxed", p.default_hs_zero_rated as "hsZeroRated", p.default_hs_exempt as "hsExempt"
             from tokens t left join taxpayers p using (taxpayer_id)
            where t.token_hash = any($1) and t.revoked_at is null`,
    values: [tokenHashes],
  });
  return rows.map((row) => ({ tokenHash: row.tokenHash, identity: identityOf(row) }));
}

function identityOf(row: IdentityRow): Identity {
  const { tokenId, name, taxpayerId, isSuspended, isVatRegistered, takesBuyer } = row;
  const scopes = SCOPES.filter((scope) => row.scopes.includes(scope));
  const holder = { tokenId, name, scopes, expiresAt: row.expiresAt ?? undefined };
  if (taxpayerId === null) return { kind: 'operator', ...holder };
  return {
    kind: 'taxpayer',
    ...holder,
    taxpayerId,
    isSuspended,
    isVatRegistered,
    currencies: row.currencies ?? undefined,
    defaults: {
      cashier: row.cashier ?? undefined,
      hsTaxed: row.hsTaxed ?? undefined,
      hsZeroRated: row.hsZeroRated ?? undefined,
      hsExempt: row.hsExempt ?? undefined,
    },
    takesBuyer,
  };
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
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (token_id) do update set token_hash = excluded.token_hash, display_prefix = excluded.display_prefix`,
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

export interface TokenRecord extends StoredToken<Scope> {
  readonly taxpayerId: string | null;
  readonly defaultCashier: string | null;
}

const TOKEN = `token_id as "tokenId", taxpayer_id as "taxpayerId", display_prefix as "displayPrefix", name, scopes,
  default_cashier as "defaultCashier", expires_at as "expiresAt", revoked_at as "revokedAt", created_at as "createdAt"`;

/** The tokens of a taxpayer, or (null) those of the operators. */
export async function listTokens(
  db: Queryable,
  taxpayerId: string | null,
  before: string | undefined,
  limit: number,
): Promise<TokenRecord[]> {
  const { rows } = await db.query<TokenRecord>(
    `select ${TOKEN} from tokens
      where taxpayer_id is not distinct from $1::uuid and ($2::uuid is null or token_id < $2)
      order by token_id desc limit $3`,
    [taxpayerId, before, limit],
  );
  return rows;
}

const ONE = `select ${TOKEN} from tokens where taxpayer_id is not distinct from $1::uuid and token_id = $2`;

export async function findToken(db: Queryable, taxpayerId: string, tokenId: string): Promise<TokenRecord | undefined> {
  const { rows } = await db.query<TokenRecord>(ONE, [taxpayerId, tokenId]);
  return rows[0];
}

export async function lockToken(
  tx: Transaction,
  taxpayerId: string | null,
  tokenId: string,
): Promise<TokenRecord | undefined> {
  const { rows } = await tx.query<TokenRecord>(`${ONE} for update`, [taxpayerId, tokenId]);
  return rows[0];
}

export async function revokeToken(tx: Transaction, tokenId: string, at: Date): Promise<void> {
  await tx.query('update tokens set revoked_at = $2 where token_id = $1 and revoked_at is null', [tokenId, at]);
}

export async function countOperatorTokens(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::integer as count from tokens where taxpayer_id is null and revoked_at is null',
  );
  return rows[0]?.count ?? 0;
}

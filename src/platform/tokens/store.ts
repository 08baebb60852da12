import type { Token } from '../../contract/platform/token.ts';
import type { TokenKind, TokenScope } from '../../contract/shared/values.ts';
import { type Queryable, type Transaction, UNHURRIED } from '../database/database.ts';
import { instantText } from '../database/instant-text.ts';
import { insert } from '../database/rows.ts';

/** Whose a token is; of none of them: the operators'. */
export interface TokenOwner {
  readonly taxpayerId?: string | null | undefined;
  readonly vendorId?: string | null | undefined;
  readonly billerCode?: string | null | undefined;
}

export function kindOf({ taxpayerId, vendorId, billerCode }: TokenOwner): TokenKind {
  if (taxpayerId != null) return 'taxpayer';
  if (vendorId != null) return 'vendor';
  return billerCode == null ? 'installation' : 'biller';
}

const OF_OPERATORS = 'num_nonnulls(taxpayer_id, vendor_id, biller_code) = 0';
const OWNED: Readonly<Record<TokenKind, string>> = {
  taxpayer: 'taxpayer_id = $1::uuid',
  vendor: 'vendor_id = $1::uuid',
  biller: 'biller_code = $1::text',
  installation: `$1::text is null and ${OF_OPERATORS}`,
};

/** What is stored of a token. */
export type StoredToken = Omit<Token, 'State' | 'TillsBehind'>;

const TOKEN = `token_id as "TokenId", taxpayer_id as "TaxpayerId", vendor_id as "VendorId", biller_code as "BillerCode",
  display_prefix as "Prefix", name as "Name", scopes as "Scopes", default_cashier as "DefaultCashier",
  ${instantText('expires_at')} as "ExpiresAt", ${instantText('last_used_at')} as "LastUsedAt",
  ${instantText('revoked_at')} as "RevokedAt", ${instantText('created_at')} as "CreatedAt"`;

export interface NewTokenRow extends TokenOwner {
  readonly tokenId: string;
  readonly displayPrefix: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly hash: Buffer;
  readonly defaultCashier: string | undefined;
  readonly expiresAt: Date | undefined;
}

/** One that is there already gets another text. */
export async function insertToken(db: Queryable, token: NewTokenRow): Promise<StoredToken> {
  const { tokenId, taxpayerId, vendorId, billerCode, hash: tokenHash, displayPrefix, name, scopes } = token;
  const { defaultCashier, expiresAt } = token;
  const owned = { tokenId, taxpayerId, vendorId, billerCode, tokenHash, displayPrefix, name, scopes };
  const [stored] = await insert<StoredToken>(
    db,
    'tokens',
    { ...owned, defaultCashier, expiresAt },
    `on conflict (token_id) do update set token_hash = excluded.token_hash, display_prefix = excluded.display_prefix
     returning ${TOKEN}`,
  );
  if (stored === undefined) throw new Error('a token that was issued is not there');
  return stored;
}

/** Newest first: ids are ordered by time, so the last id of a page is the cursor of the next. */
export async function listTokens(
  db: Queryable,
  owner: TokenOwner,
  before: string | undefined,
  limit: number,
): Promise<StoredToken[]> {
  const { rows } = await db.query<StoredToken>(
    `select ${TOKEN} from tokens where ${OWNED[kindOf(owner)]} and ($2::uuid is null or token_id < $2)
      order by token_id desc limit $3`,
    [owner.taxpayerId ?? owner.vendorId ?? owner.billerCode, before, limit],
  );
  return rows;
}

const ONE = `select ${TOKEN} from tokens where token_id = $1`;

export async function findToken(db: Queryable, tokenId: string): Promise<StoredToken | undefined> {
  const { rows } = await db.query<StoredToken>(ONE, [tokenId]);
  return rows[0];
}

export async function lockToken(tx: Transaction, tokenId: string): Promise<StoredToken | undefined> {
  const { rows } = await tx.query<StoredToken>(`${ONE} for update`, [tokenId]);
  return rows[0];
}

export async function revokeToken(tx: Transaction, tokenId: string, at: Date): Promise<void> {
  await tx.query('update tokens set revoked_at = $2 where token_id = $1 and revoked_at is null', [tokenId, at]);
}

/** Of the operators, those that may do everything. */
export async function countAdminTokens(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from tokens where ${OF_OPERATORS} and 'admin' = any(scopes) and revoked_at is null`,
  );
  return rows[0]?.count ?? 0;
}

/** The owners that are not an id alone: whether it is there is for the foreign key to say, and for this to say in words. */
const TABLES = {
  taxpayer: ['taxpayers', OWNED.taxpayer],
  vendor: ['vendors', OWNED.vendor],
  biller: ['billers', OWNED.biller],
} as const;

export async function isOwnerThere(db: Queryable, owner: TokenOwner): Promise<boolean> {
  const kind = kindOf(owner);
  if (kind === 'installation') return true;
  const [table, isIt] = TABLES[kind];
  const { rows } = await db.query(`select from ${table} where ${isIt}`, [
    owner.taxpayerId ?? owner.vendorId ?? owner.billerCode,
  ]);
  return rows.length > 0;
}

/**
 * When each was last used, as one instance saw it: only forward, and nothing waits for it. A row that somebody holds is left for the next
 * time.
 */
export async function writeLastUses(db: Queryable, uses: ReadonlyMap<string, number>): Promise<void> {
  await db.query(
    `with used as (
       select token_id, at from unnest($1::uuid[], $2::timestamptz[]) as u (token_id, at) join tokens t using (token_id), ${UNHURRIED}
        where t.last_used_at is null or t.last_used_at < u.at order by token_id for update of t skip locked)
     update tokens t set last_used_at = used.at from used where t.token_id = used.token_id`,
    [[...uses.keys()], Array.from(uses.values(), (at) => new Date(at))],
  );
}

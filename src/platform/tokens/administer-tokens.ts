import type { IssuedToken, NewToken, Token } from '../../contract/platform/token.ts';
import { TOKEN_SCOPES, type TokenKind, type TokenScope } from '../../contract/shared/values.ts';
import { readInstant } from '../../kernel/instant.ts';
import { type Refusal, Refused, refused, type Violation } from '../../kernel/refusal.ts';
import { askedFor, type Change, findUnanswered, type Unchanged } from '../database/audit.ts';
import type { Transaction } from '../database/database.ts';
import { issueToken } from './issue-token.ts';
import {
  countAdminTokens,
  isOwnerThere,
  kindOf,
  lockToken,
  revokeToken,
  type StoredToken,
  type TokenOwner,
} from './store.ts';

export const NO_TOKEN: Refusal = { code: 'NotFound', detail: 'There is no token with this id.' };
const LAST_TOKEN: Refusal = {
  code: 'InvalidRequest',
  detail:
    'This is the last token of an operator that may do everything: issue another one first, or the installation can no longer be administered.',
};
const TWO_OWNERS: Refusal = {
  code: 'InvalidRequest',
  detail:
    'A token belongs to a taxpayer (TaxpayerId), a vendor (VendorId) or a biller (BillerCode), or to none of them.',
};
const NO_OWNER: Readonly<Record<TokenKind, string>> = {
  taxpayer: 'There is no taxpayer with this TaxpayerId.',
  vendor: 'There is no vendor with this VendorId.',
  biller: 'There is no biller with this BillerCode.',
  installation: '',
};

const OWNERS = ['TaxpayerId', 'VendorId', 'BillerCode'] as const;
type OwnerFields = Pick<NewToken, (typeof OWNERS)[number]>;

export function readOwner(owner: OwnerFields): TokenOwner | Refused {
  if (OWNERS.filter((field) => owner[field] !== undefined).length > 1) return refused(TWO_OWNERS);
  return { taxpayerId: owner.TaxpayerId, vendorId: owner.VendorId, billerCode: owner.BillerCode };
}

/** To whom it says, or to the operators. The same again after a 503 is the same token, with another text. */
export async function issueTokenTo(
  tx: Transaction,
  wanted: NewToken,
  now: Date,
  actor: string,
): Promise<Change<IssuedToken> | Refused> {
  const owner = readOwner(wanted);
  if (owner instanceof Refused) return owner;
  const kind = kindOf(owner);
  const scopes: readonly TokenScope[] = TOKEN_SCOPES[kind];
  const expiresAt = wanted.ExpiresAt == null ? undefined : readInstant(wanted.ExpiresAt);
  const isExpiryWrong = wanted.ExpiresAt != null && (expiresAt === undefined || expiresAt <= now);
  const errors = [...scopeFaults(wanted, kind), ...cashierFaults(wanted, kind), ...(isExpiryWrong ? [EXPIRY] : [])];
  if (errors.length > 0) return refused({ code: 'InvalidRequest', detail: 'The token has errors.', errors });
  if (!(await isOwnerThere(tx, owner))) return refused({ code: 'NotFound', detail: NO_OWNER[kind] });
  const asked = askedFor(actor, wanted);
  const { token, stored } = await issueToken(tx, {
    tokenId: await findUnanswered(tx, asked),
    ...owner,
    name: wanted.Name,
    scopes: scopes.filter((scope) => wanted.Scopes?.includes(scope) ?? isUsual(scope, kind)),
    defaultCashier: wanted.DefaultCashier ?? undefined,
    expiresAt,
  });
  const after = presentToken(stored, now);
  return { action: 'token.issued', ...told(stored), after, answer: { ...after, Token: token }, asked };
}

/** What a till, an app or a program of the operators is given where nothing else is wanted. */
function isUsual(scope: TokenScope, kind: TokenKind): boolean {
  return kind === 'installation' ? scope === 'admin' : scope !== 'endpoints';
}

function scopeFaults({ Scopes = [] }: NewToken, kind: TokenKind): Violation[] {
  const allowed: readonly TokenScope[] = TOKEN_SCOPES[kind];
  const whose =
    kind === 'installation' ? ': without TaxpayerId, VendorId or BillerCode it is a token of the operators' : '';
  const Message = `must be one of ${allowed.join(', ')}${whose}`;
  return Scopes.flatMap((scope, index) =>
    allowed.includes(scope) ? [] : [{ Field: `Scopes[${index}]`, Code: 'NotOneOf', Message }],
  );
}

function cashierFaults({ DefaultCashier }: NewToken, kind: TokenKind): Violation[] {
  const Message = 'must be left out: only a token of a taxpayer (TaxpayerId) signs receipts';
  return DefaultCashier == null || kind === 'taxpayer' ? [] : [{ Field: 'DefaultCashier', Code: 'Malformed', Message }];
}

const EXPIRY: Violation = {
  Field: 'ExpiresAt',
  Code: 'Malformed',
  Message: 'ExpiresAt must be a date and time in the future with Z or an offset, such as 2027-01-31T00:00:00Z',
};

export async function revokeTokenAt(
  tx: Transaction,
  tokenId: string,
  owner: OwnerFields,
  now: Date,
): Promise<Change<Token> | Unchanged<Token> | Refused> {
  const stored = await lockToken(tx, tokenId);
  if (stored === undefined) return refused(NO_TOKEN);
  const before = presentToken(stored, now);
  if (OWNERS.some((field) => owner[field] !== undefined && owner[field] !== before[field])) return refused(NO_TOKEN);
  if (stored.RevokedAt !== null) return { answer: before };
  if (stored.Scopes.includes('admin') && (await countAdminTokens(tx)) === 1) return refused(LAST_TOKEN);
  await revokeToken(tx, tokenId, now);
  const after = presentToken({ ...stored, RevokedAt: now.toISOString() }, now);
  return { action: 'token.revoked', ...told(stored), before, after, answer: after };
}

function told({ TaxpayerId, TokenId }: StoredToken) {
  return { taxpayerId: TaxpayerId ?? undefined, subject: `token ${TokenId}` };
}

/** As its holder may see it. */
export function presentOwnToken({
  TaxpayerId: _taxpayer,
  VendorId: _vendor,
  BillerCode: _biller,
  ...own
}: StoredToken) {
  return own;
}

export function presentToken(token: StoredToken, now: Date): Token {
  const { RevokedAt, ExpiresAt } = token;
  const isExpired = ExpiresAt !== null && new Date(ExpiresAt) <= now;
  return { ...token, State: RevokedAt !== null ? 'Revoked' : isExpired ? 'Expired' : 'Active' };
}

import {
  type IssuedToken,
  type NewOperatorToken,
  type NewToken,
  TAXPAYER_SCOPES,
  type Token,
} from '../../contract/fiscal/token.ts';
import { readInstant } from '../../kernel/instant.ts';
import { type Refusal, type Refused, refused } from '../../kernel/refusal.ts';
import type { Change, Unchanged } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { issueToken } from './issue-token.ts';
import { countOperatorTokens, lockToken, revokeToken, type TokenRecord } from './token-store.ts';

const NO_TOKEN: Refusal = { code: 'NotFound', detail: 'There is no token with this id.' };
const LAST_TOKEN: Refusal = {
  code: 'InvalidRequest',
  detail:
    'This is the last token of an operator: issue another one first, or the installation can no longer be administered.',
};
const WRONG_EXPIRY: Refusal = {
  code: 'InvalidRequest',
  detail: 'The token has errors.',
  errors: [
    {
      Field: 'ExpiresAt',
      Code: 'Malformed',
      Message: 'ExpiresAt must be a date and time in the future with Z or an offset, such as 2027-01-31T00:00:00Z',
    },
  ],
};

/** To a taxpayer, or (null) to an operator. */
export async function issueTokenTo(
  tx: Transaction,
  taxpayerId: string | null,
  wanted: NewToken | NewOperatorToken,
  now: Date,
): Promise<Change<IssuedToken> | Refused> {
  const expiresAt = wanted.ExpiresAt == null ? undefined : readInstant(wanted.ExpiresAt);
  if (wanted.ExpiresAt != null && (expiresAt === undefined || expiresAt <= now)) return refused(WRONG_EXPIRY);
  const isOfTaxpayer = 'Scopes' in wanted;
  const { tokenId, token } = await issueToken(tx, {
    taxpayerId,
    name: wanted.Name,
    scopes: isOfTaxpayer ? TAXPAYER_SCOPES.filter((scope) => wanted.Scopes.includes(scope)) : ['admin'],
    defaultCashier: isOfTaxpayer ? (wanted.DefaultCashier ?? undefined) : undefined,
    expiresAt,
  });
  const record = await lockToken(tx, taxpayerId, tokenId);
  if (record === undefined) throw new Error('the token that was just issued is not there');
  const after = presentToken(record);
  return { action: 'token.issued', ...told(taxpayerId, tokenId), after, answer: { ...after, Token: token } };
}

export async function revokeTokenOf(
  tx: Transaction,
  taxpayerId: string | null,
  tokenId: string,
  now: Date,
): Promise<Change<Token> | Unchanged<Token> | Refused> {
  const stored = await lockToken(tx, taxpayerId, tokenId);
  if (stored === undefined) return refused(NO_TOKEN);
  const before = presentToken(stored);
  if (stored.revokedAt !== null) return { answer: before };
  if (taxpayerId === null && (await countOperatorTokens(tx)) === 1) return refused(LAST_TOKEN);
  await revokeToken(tx, tokenId, now);
  const after = presentToken({ ...stored, revokedAt: now });
  return { action: 'token.revoked', ...told(taxpayerId, tokenId), before, after, answer: after };
}

function told(taxpayerId: string | null, tokenId: string) {
  return { taxpayerId: taxpayerId ?? undefined, subject: `token ${tokenId}` };
}

export function presentToken(token: TokenRecord): Token {
  return {
    TokenId: token.tokenId,
    Name: token.name,
    Prefix: token.displayPrefix,
    Scopes: [...token.scopes],
    DefaultCashier: token.defaultCashier,
    ExpiresAt: token.expiresAt?.toISOString() ?? null,
    RevokedAt: token.revokedAt?.toISOString() ?? null,
    CreatedAt: token.createdAt.toISOString(),
  };
}

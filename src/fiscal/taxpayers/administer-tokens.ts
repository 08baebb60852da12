import {
  type IssuedToken,
  type NewOperatorToken,
  type NewToken,
  TAXPAYER_SCOPES,
  type Token,
} from '../../contract/fiscal/token.ts';
import { type Refusal, Refused, refused } from '../../kernel/refusal.ts';
import { askedFor, type Change, findUnanswered, type Unchanged } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { NO_TOKEN, presentToken as presentFields, readExpiry } from '../../platform/tokens/administration.ts';
import { issueToken } from './issue-token.ts';
import { countOperatorTokens, lockToken, revokeToken, type TokenRecord } from './token-store.ts';

const LAST_TOKEN: Refusal = {
  code: 'InvalidRequest',
  detail:
    'This is the last token of an operator: issue another one first, or the installation can no longer be administered.',
};
/** To a taxpayer, or (null) to an operator. The same again after a 503 is the same token, with another text. */
export async function issueTokenTo(
  tx: Transaction,
  taxpayerId: string | null,
  wanted: NewToken | NewOperatorToken,
  now: Date,
  actor: string,
): Promise<Change<IssuedToken> | Refused> {
  const expiry = readExpiry(wanted.ExpiresAt, now);
  if (expiry instanceof Refused) return expiry;
  const isOfTaxpayer = 'Scopes' in wanted;
  const asked = askedFor(actor, { taxpayerId, ...wanted });
  const { tokenId, token } = await issueToken(tx, {
    tokenId: await findUnanswered(tx, asked),
    taxpayerId,
    name: wanted.Name,
    scopes: isOfTaxpayer ? TAXPAYER_SCOPES.filter((scope) => wanted.Scopes.includes(scope)) : ['admin'],
    defaultCashier: isOfTaxpayer ? (wanted.DefaultCashier ?? undefined) : undefined,
    ...expiry,
  });
  const record = await lockToken(tx, taxpayerId, tokenId);
  if (record === undefined) throw new Error('the token that was just issued is not there');
  const after = presentToken(record);
  return { action: 'token.issued', ...told(taxpayerId, tokenId), after, answer: { ...after, Token: token }, asked };
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
  return { ...presentFields(token), DefaultCashier: token.defaultCashier };
}

import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { newToken } from '../../platform/tokens/auth.ts';
import type { Scope } from './caller.ts';
import { insertToken } from './token-store.ts';

export interface TokenRequest {
  /** Of one whose text was shown to nobody: it gets another. */
  readonly tokenId?: string | undefined;
  /** Null for a token of an operator, whose only scope is admin. */
  readonly taxpayerId: string | null;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly defaultCashier?: string | undefined;
  readonly expiresAt?: Date | undefined;
}

/** Issues a token. Its text is returned this once and never stored. */
export async function issueToken(
  db: Queryable,
  request: TokenRequest,
): Promise<{ readonly tokenId: string; readonly token: string }> {
  const { token, hash, displayPrefix } = newToken();
  const { tokenId = newId() } = request;
  await insertToken(db, { defaultCashier: undefined, expiresAt: undefined, ...request, tokenId, hash, displayPrefix });
  return { tokenId, token };
}

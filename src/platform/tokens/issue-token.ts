import type { TokenScope } from '../../contract/shared/values.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../database/database.ts';
import { newToken } from './auth.ts';
import { insertToken, kindOf, type StoredToken, type TokenOwner } from './store.ts';

export interface TokenRequest extends TokenOwner {
  /** Of one whose text was shown to nobody: it gets another. */
  readonly tokenId?: string | undefined;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly defaultCashier?: string | undefined;
  readonly expiresAt?: Date | undefined;
}

/** Issues a token. Its text is returned this once and never stored. */
export async function issueToken(
  db: Queryable,
  { tokenId = newId(), defaultCashier, expiresAt, ...request }: TokenRequest,
): Promise<{ readonly tokenId: string; readonly token: string; readonly stored: StoredToken }> {
  const { token, hash, displayPrefix } = newToken(kindOf(request));
  const stored = await insertToken(db, { ...request, tokenId, defaultCashier, expiresAt, hash, displayPrefix });
  return { tokenId, token, stored };
}

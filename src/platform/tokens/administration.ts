import { readInstant } from '../../kernel/instant.ts';
import { type Refusal, type Refused, refused } from '../../kernel/refusal.ts';

/** What is stored of every token, of any owner. */
export interface StoredToken<Scope> {
  readonly tokenId: string;
  readonly displayPrefix: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly createdAt: Date;
}

export const NO_TOKEN: Refusal = { code: 'NotFound', detail: 'There is no token with this id.' };

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

export function readExpiry(
  text: string | null | undefined,
  now: Date,
): { readonly expiresAt: Date | undefined } | Refused {
  const expiresAt = text == null ? undefined : readInstant(text);
  const isWrong = text != null && (expiresAt === undefined || expiresAt <= now);
  return isWrong ? refused(WRONG_EXPIRY) : { expiresAt };
}

export function presentToken<Scope>(token: StoredToken<Scope>) {
  return {
    TokenId: token.tokenId,
    Name: token.name,
    Prefix: token.displayPrefix,
    Scopes: [...token.scopes],
    ExpiresAt: token.expiresAt?.toISOString() ?? null,
    RevokedAt: token.revokedAt?.toISOString() ?? null,
    CreatedAt: token.createdAt.toISOString(),
  };
}

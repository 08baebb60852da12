import type { Refusal } from '../kernel/refusal.ts';
import { type Credentials, hashToken, readCredentials, type TokenKind, wrongKindOf } from './auth.ts';
import type { Clock } from './clock.ts';
import { RateLimiter } from './http/rate-limit.ts';
import { KnownTokens } from './known-tokens.ts';

/** What is known of everyone who holds a token, whatever tenant is behind it. */
export interface TokenHolder<Scope extends string> {
  readonly tokenId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | undefined;
}

export type Authenticated<Identity> =
  | { readonly kind: 'known'; readonly identity: Identity }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** At once when the token is known, as it nearly always is: every request passes here, and a promise is a detour. */
export type Authenticate<Identity, Scope> = (
  authorization: string | undefined,
  scope: Scope,
) => Authenticated<Identity> | Promise<Authenticated<Identity>>;

export interface AuthenticationOptions<Identity> {
  readonly find: (tokenHash: Buffer) => Promise<Identity | undefined>;
  /** Another value whenever what `find` says may have changed. */
  readonly changes: () => Promise<bigint>;
  /** Whether the tenant that the credentials name, if they do, is the token's. Also decides which schemes are taken. */
  readonly fits: (identity: Identity, credentials: Credentials) => boolean;
  /** Why the tenant may do nothing now; undefined when it may. */
  readonly suspension: (identity: Identity) => string | undefined;
  readonly kind: TokenKind;
  /** Why a token without the scope is the wrong one; empty where that says it all. */
  readonly mistake?: (identity: Identity, scope: string) => string;
  /** Said when the header is none that can be read. */
  readonly hint: string;
  readonly clock: Clock;
  readonly limiter?: RateLimiter;
}

/** Turns the Authorization header into who is behind it, or into what to answer. */
export function createAuthentication<Scope extends string, Identity extends TokenHolder<Scope>>(
  options: AuthenticationOptions<Identity>,
): Authenticate<Identity, Scope> {
  const { find, changes, fits, suspension, hint, clock, limiter = new RateLimiter(0) } = options;
  const identities = new KnownTokens<Identity>({ find: (token) => find(hashToken(token)), changes });
  const judge = (identity: Identity | undefined, credentials: Credentials, scope: Scope): Authenticated<Identity> => {
    const isExpired = identity?.expiresAt !== undefined && identity.expiresAt <= clock();
    if (identity === undefined || isExpired || !fits(identity, credentials)) {
      const detail = wrongKindOf(credentials.token, options.kind) ?? 'The token is unknown, expired or revoked.';
      return refuse('Unauthorized', detail);
    }
    const suspended = suspension(identity);
    if (suspended !== undefined) return refuse('Forbidden', suspended);
    if (!identity.scopes.includes(scope)) {
      const mistake = options.mistake?.(identity, scope) ?? '';
      return refuse('Forbidden', `This token lacks the scope ${scope}.${mistake}`);
    }
    const retryAfterSeconds = limiter.take(identity.tokenId, clock().getTime());
    if (retryAfterSeconds === undefined) return { kind: 'known', identity };
    const detail =
      'This token sends more requests per second than it may. Nothing was done; try again after Retry-After.';
    return { kind: 'refused', refusal: { code: 'RateLimited', detail, retryAfterSeconds } };
  };
  return (authorization, scope) => {
    const credentials = readCredentials(authorization);
    if (credentials === undefined) return refuse('Unauthorized', hint);
    const known = identities.get(credentials.token);
    if (known !== undefined) return judge(known, credentials, scope);
    return identities.find(credentials.token).then((identity) => judge(identity, credentials, scope));
  };
}

function refuse(code: 'Unauthorized' | 'Forbidden', detail: string): Authenticated<never> {
  return { kind: 'refused', refusal: { code, detail } };
}

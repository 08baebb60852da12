import type { TokenKind } from '../../contract/shared/values.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import type { Clock } from '../clock.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { type RequestSender, senderNetwork } from '../http/sender.ts';
import { type Credentials, hashToken, readCredentials, wrongKindOf } from './auth.ts';
import { KnownTokens } from './known-tokens.ts';
import type { TokenUses } from './token-uses.ts';

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

/** What of a request tells who sent it. */
export interface TokenRequest extends RequestSender {
  readonly headers: { readonly authorization?: string | undefined };
}

/** Tokens never used here before, per second and network; beyond that they are looked up together, half a second later. */
const DOUBTFUL_PER_SECOND = 2;
const DOUBTFUL_AT_ONCE = 20;

/** At once when the token is known, as it nearly always is: every request passes here, and a promise is a detour. */
export type Authenticate<Identity, Scope> = (
  request: TokenRequest,
  /** Of several, any. */
  scope: Scope | readonly Scope[],
) => Authenticated<Identity> | Promise<Authenticated<Identity>>;

export interface FoundToken<Identity> {
  readonly tokenHash: Buffer;
  readonly identity: Identity;
}

export interface AuthenticationOptions<Identity> {
  /** Who is behind these, each with the hash of the token. */
  readonly find: (tokenHashes: readonly Buffer[]) => Promise<readonly FoundToken<Identity>[]>;
  /** Another value whenever what `find` says may have changed. */
  readonly changes: () => Promise<bigint>;
  /** Whether the tenant that the credentials name, if they do, is the token's. Also decides which schemes are taken. */
  readonly fits: (identity: Identity, credentials: Credentials) => boolean;
  /** Why the tenant may do nothing now; undefined when it may. */
  readonly suspension: (identity: Identity) => string | undefined;
  /** Whose tokens are taken here. */
  readonly kinds: readonly TokenKind[];
  /** Why a token without the scope is the wrong one; empty where that says it all. */
  readonly mistake?: (identity: Identity, scope: string) => string;
  /** Said when the header is none that can be read. */
  readonly hint: string;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly uses: TokenUses;
}

/** Turns the Authorization header into who is behind it, or into what to answer. */
export function createAuthentication<Scope extends string, Identity extends TokenHolder<Scope>>(
  options: AuthenticationOptions<Identity>,
): Authenticate<Identity, Scope> {
  const { find, changes, fits, suspension, hint, clock, limiter, uses } = options;
  const identities = new KnownTokens<Identity>({ find: (tokens) => findTokens(find, tokens), changes });
  const doubts = new RateLimiter(DOUBTFUL_PER_SECOND, DOUBTFUL_AT_ONCE);
  const lookUp = (token: string, request: TokenRequest): Promise<Identity | undefined> | undefined => {
    if (!identities.isDoubtful(token)) return identities.find(token);
    const network = senderNetwork(request);
    if (doubts.take(network, performance.now()) !== undefined) return identities.findGathered(token, network);
    return identities.find(token).then((identity) => {
      if (identity !== undefined) doubts.giveBack(network);
      return identity;
    });
  };
  const judge = (
    identity: Identity | undefined,
    credentials: Credentials,
    scope: Scope | readonly Scope[],
  ): Authenticated<Identity> => {
    const nowMs = clock().getTime();
    const isExpired = identity?.expiresAt !== undefined && identity.expiresAt.getTime() <= nowMs;
    if (identity === undefined || isExpired || !fits(identity, credentials)) {
      const detail = wrongKindOf(credentials.token, options.kinds) ?? 'The token is unknown, expired or revoked.';
      return refuse('Unauthorized', detail);
    }
    uses.note(identity.tokenId, nowMs);
    const suspended = suspension(identity);
    if (suspended !== undefined) return refuse('Forbidden', suspended);
    if (
      !(typeof scope === 'string'
        ? identity.scopes.includes(scope)
        : scope.some((one) => identity.scopes.includes(one)))
    ) {
      const wanted = typeof scope === 'string' ? scope : scope.join(' or ');
      return refuse('Forbidden', `This token lacks the scope ${wanted}.${options.mistake?.(identity, wanted) ?? ''}`);
    }
    const retryAfterSeconds = limiter.take(identity.tokenId, nowMs);
    if (retryAfterSeconds === undefined) return { kind: 'known', identity };
    const detail =
      'This token sends more requests per second than it may. Nothing was done; try again after Retry-After.';
    return { kind: 'refused', refusal: { code: 'RateLimited', detail, retryAfterSeconds } };
  };
  return (request, scope) => {
    const credentials = readCredentials(request.headers.authorization);
    if (credentials === undefined) {
      const isSent = request.headers.authorization !== undefined;
      return refuse('Unauthorized', isSent ? `What the header Authorization has is not a valid token. ${hint}` : hint);
    }
    const known = identities.get(credentials.token);
    if (known !== undefined) return judge(known, credentials, scope);
    const looking = lookUp(credentials.token, request);
    if (looking === undefined) return { kind: 'refused', refusal: TOO_MANY_UNKNOWN };
    return looking.then((identity) => judge(identity, credentials, scope));
  };
}

async function findTokens<Identity>(
  find: AuthenticationOptions<Identity>['find'],
  tokens: readonly string[],
): Promise<ReadonlyMap<string, Identity>> {
  const byHash = new Map(tokens.map((token) => [hashToken(token).toString('hex'), token]));
  const found = await find([...byHash.keys()].map((hash) => Buffer.from(hash, 'hex')));
  return new Map(found.map(({ tokenHash, identity }) => [byHash.get(tokenHash.toString('hex')) ?? '', identity]));
}

const TOO_MANY_UNKNOWN: Refusal = {
  code: 'RateLimited',
  detail:
    'Too many requests with unknown tokens come from this network. Nothing was done; try again after Retry-After.',
  retryAfterSeconds: 1,
};

function refuse(code: 'Unauthorized' | 'Forbidden', detail: string): Authenticated<never> {
  return { kind: 'refused', refusal: { code, detail } };
}

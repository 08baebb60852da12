import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Refusal } from '../../kernel/refusal.ts';
import { hashToken, readCredentials } from '../../platform/auth.ts';
import type { Clock } from '../../platform/clock.ts';
import { RateLimiter } from '../../platform/http/rate-limit.ts';
import type { Identity, Scope } from './caller.ts';
import { findIdentity } from './store.ts';

/** A revocation must be felt on every instance within 5 s; asking the database each time would cost a round trip. */
const CACHE_MS = 3000;
const CACHED_TOKENS = 20_000;

export type Authenticated =
  | { readonly kind: 'known'; readonly identity: Identity }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type Authenticate = (authorization: string | undefined, scope: Scope) => Promise<Authenticated>;

export function createAuthenticate(pool: Pool, clock: Clock, limiter = new RateLimiter(0)): Authenticate {
  // Unknown tokens are not remembered, so a flood of them cannot push out the known ones.
  const identities = new LRUCache<string, Identity>({
    max: CACHED_TOKENS,
    ttl: CACHE_MS,
    fetchMethod: async (token) => findIdentity(pool, hashToken(token)),
  });
  return async (authorization, scope) => {
    const credentials = readCredentials(authorization);
    if (credentials?.scheme !== 'bearer') return unauthorized('Send the header Authorization: Bearer <token>.');
    // `get` first: a fetch costs several promises, and nearly every token is known.
    const identity = identities.get(credentials.token) ?? (await identities.fetch(credentials.token));
    if (identity === undefined || !isValid(identity, credentials.tenantId, clock())) {
      return unauthorized('The token is unknown, expired or revoked.');
    }
    if (identity.kind === 'taxpayer' && identity.isSuspended) {
      return forbidden('This taxpayer is suspended. Ask the operator of this service.');
    }
    if (!identity.scopes.includes(scope)) return forbidden(`This token lacks the scope ${scope}.`);
    const waitSeconds = limiter.take(identity.tokenId, clock().getTime());
    if (waitSeconds !== undefined) return rateLimited(waitSeconds);
    return { kind: 'known', identity };
  };
}

function isValid(identity: Identity, tenantId: string | undefined, now: Date): boolean {
  const isExpired = identity.expiresAt !== undefined && identity.expiresAt <= now;
  const isOfTenant = tenantId === undefined || (identity.kind === 'taxpayer' && identity.taxpayerId === tenantId);
  return !isExpired && isOfTenant;
}

function unauthorized(detail: string): Authenticated {
  return { kind: 'refused', refusal: { code: 'Unauthorized', detail } };
}

function forbidden(detail: string): Authenticated {
  return { kind: 'refused', refusal: { code: 'Forbidden', detail } };
}

function rateLimited(retryAfterSeconds: number): Authenticated {
  const detail =
    'This token sends more requests per second than it may. Nothing was done; try again after Retry-After.';
  return { kind: 'refused', refusal: { code: 'RateLimited', detail, retryAfterSeconds } };
}

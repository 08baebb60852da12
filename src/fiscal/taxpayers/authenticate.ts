import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Refusal } from '../../kernel/refusal.ts';
import { hashToken, readCredentials } from '../../platform/auth.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Caller, Scope } from './caller.ts';
import { findCaller } from './store.ts';

/** A revocation must be felt on every instance within 5 s; asking the database each time would cost a round trip. */
const CACHE_MS = 3000;
const CACHED_TOKENS = 20_000;

export type Authenticated =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type Authenticate = (authorization: string | undefined, scope: Scope) => Promise<Authenticated>;

export function createAuthenticate(pool: Pool, clock: Clock): Authenticate {
  // Unknown tokens are not remembered, so a flood of them cannot push out the known ones.
  const callers = new LRUCache<string, Caller>({
    max: CACHED_TOKENS,
    ttl: CACHE_MS,
    fetchMethod: async (token) => findCaller(pool, hashToken(token)),
  });
  return async (authorization, scope) => {
    const credentials = readCredentials(authorization);
    if (credentials?.scheme !== 'bearer') return unauthorized('Send the header Authorization: Bearer <token>.');
    const caller = await callers.fetch(credentials.token);
    const isOfTenant = credentials.tenantId === undefined || credentials.tenantId === caller?.taxpayerId;
    const isExpired = caller?.expiresAt !== undefined && caller.expiresAt <= clock();
    if (caller === undefined || !isOfTenant || isExpired) {
      return unauthorized('The token is unknown, expired or revoked.');
    }
    if (caller.isSuspended) return forbidden('This taxpayer is suspended. Ask the operator of this service.');
    if (!caller.scopes.includes(scope)) return forbidden(`This token lacks the scope ${scope}.`);
    return { kind: 'caller', caller };
  };
}

function unauthorized(detail: string): Authenticated {
  return { kind: 'refused', refusal: { code: 'Unauthorized', detail } };
}

function forbidden(detail: string): Authenticated {
  return { kind: 'refused', refusal: { code: 'Forbidden', detail } };
}

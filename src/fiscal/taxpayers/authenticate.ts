import type { Pool } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { RateLimiter } from '../../platform/http/rate-limit.ts';
import * as platform from '../../platform/tokens/authentication.ts';
import { countTokenChanges } from '../../platform/tokens/known-tokens.ts';
import type { TokenUses } from '../../platform/tokens/token-uses.ts';
import type { Identity, Scope } from './caller.ts';
import { findIdentities } from './identity-store.ts';

export type Authenticate = platform.Authenticate<Identity, Scope>;

/** Who is behind a token of a taxpayer or an operator. */
export function createAuthenticate(pool: Pool, clock: Clock, limiter: RateLimiter, uses: TokenUses): Authenticate {
  return platform.createAuthentication<Scope, Identity>({
    find: (tokenHashes) => findIdentities(pool, tokenHashes),
    changes: () => countTokenChanges(pool),
    fits: (identity, credentials) => {
      if (credentials.scheme !== 'bearer') return false;
      const { tenantId } = credentials;
      return tenantId === undefined || (identity.kind === 'taxpayer' && identity.taxpayerId === tenantId);
    },
    suspension: (identity) =>
      identity.kind === 'taxpayer' && identity.isSuspended
        ? 'This taxpayer is suspended. Ask the operator of this service.'
        : undefined,
    kinds: ['taxpayer', 'installation'],
    mistake: (identity, scope) => {
      if (identity.kind === 'operator') {
        return " It is an operator's, which administers (/api/admin) and does nothing else: use a token of the taxpayer.";
      }
      return scope.includes('admin') ? " It is a taxpayer's; administration takes a token of an operator." : '';
    },
    hint: 'Send the header Authorization: Bearer <token>.',
    clock,
    limiter,
    uses,
  });
}

import type { Pool } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { RateLimiter } from '../../platform/http/rate-limit.ts';
import * as platform from '../../platform/tokens/authentication.ts';
import { countTokenChanges } from '../../platform/tokens/known-tokens.ts';
import type { TokenUses } from '../../platform/tokens/token-uses.ts';
import { findHolders } from './holder-store.ts';
import type { Holder, PaymentScope } from './vendor.ts';

export type AuthenticateHolder = platform.Authenticate<Holder, PaymentScope>;

/** Who is behind a token of a vendor or a biller: Bearer, Bearer with base64 of token:code, or Basic with code:token. */
export function createHolderAuthentication(
  pool: Pool,
  clock: Clock,
  limiter: RateLimiter,
  uses: TokenUses,
): AuthenticateHolder {
  return platform.createAuthentication<PaymentScope, Holder>({
    find: (tokenHashes) => findHolders(pool, tokenHashes),
    changes: () => countTokenChanges(pool),
    fits: (holder, credentials) => {
      const code = holder.kind === 'vendor' ? holder.vendorCode : holder.billerCode;
      if (credentials.scheme === 'basic') return credentials.user === code;
      const { tenantId } = credentials;
      return tenantId === undefined || tenantId === code || (holder.kind === 'vendor' && tenantId === holder.vendorId);
    },
    suspension: (holder) =>
      holder.kind === 'vendor' && holder.isSuspended
        ? 'This vendor is suspended. Ask the operator of this service.'
        : undefined,
    kinds: ['vendor', 'biller'],
    mistake: (holder) =>
      holder.kind === 'biller' ? " It is a biller's, which reads its own TargetStats and feed, and nothing else." : '',
    hint: 'Send the header Authorization: Bearer <token>, or Basic with base64 of vendorCode:token.',
    clock,
    limiter,
    uses,
  });
}

import type { Pool } from 'pg';
import type { VendorScope } from '../../contract/billpay/vendor-token.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RateLimiter } from '../../platform/http/rate-limit.ts';
import * as platform from '../../platform/tokens/authentication.ts';
import { countTokenChanges } from '../../platform/tokens/known-tokens.ts';
import { findVendorsByToken } from './store.ts';
import type { Vendor } from './vendor.ts';

export type AuthenticateVendor = platform.Authenticate<Vendor, VendorScope>;

/** Who is behind a vendor's token: Bearer, Bearer with base64 of token:vendor, or Basic with vendorCode:token. */
export function createVendorAuthentication(pool: Pool, clock: Clock, limiter: RateLimiter): AuthenticateVendor {
  return platform.createAuthentication<VendorScope, Vendor>({
    find: (tokenHashes) => findVendorsByToken(pool, tokenHashes),
    changes: () => countTokenChanges(pool),
    fits: (vendor, credentials) => {
      if (credentials.scheme === 'basic') return credentials.user === vendor.vendorCode;
      const { tenantId } = credentials;
      return tenantId === undefined || tenantId === vendor.vendorId || tenantId === vendor.vendorCode;
    },
    suspension: (vendor) =>
      vendor.isSuspended ? 'This vendor is suspended. Ask the operator of this service.' : undefined,
    kind: 'vendor',
    hint: 'Send the header Authorization: Bearer <token>, or Basic with base64 of vendorCode:token.',
    clock,
    limiter,
  });
}

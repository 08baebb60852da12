import type { EventSource } from '../../platform/events/tenant-guard.ts';
import { isOfPayments } from '../../platform/tokens/auth.ts';
import type { AuthenticateHolder } from './authenticate.ts';

/** Vendors, as readers of events. */
export function vendorEvents(authenticate: AuthenticateHolder): EventSource {
  return {
    kind: 'vendor',
    judges: isOfPayments,
    authenticate: async (request, scope) => {
      const authenticated = await authenticate(request, scope);
      if (authenticated.kind === 'refused') return authenticated;
      const { identity } = authenticated;
      // No scope of a biller's token is one of events.
      if (identity.kind !== 'vendor') throw new Error('a token of a biller has the scopes of a vendor');
      return {
        kind: 'known',
        identity: { tenantId: identity.vendorId, tokenId: identity.tokenId, name: identity.name },
      };
    },
  };
}

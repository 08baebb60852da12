import type { EventSource } from '../../platform/events/tenant-guard.ts';
import { isOfVendor } from '../../platform/tokens/auth.ts';
import type { AuthenticateVendor } from './authenticate.ts';

/** Vendors, as readers of events. */
export function vendorEvents(authenticate: AuthenticateVendor): EventSource {
  return {
    kind: 'vendor',
    judges: isOfVendor,
    authenticate: async (request, scope) => {
      const authenticated = await authenticate(request, scope);
      if (authenticated.kind === 'refused') return authenticated;
      const { vendorId, tokenId, name } = authenticated.identity;
      return { kind: 'known', identity: { tenantId: vendorId, tokenId, name } };
    },
  };
}

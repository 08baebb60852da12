import type { EventSource } from '../../platform/events/tenant-guard.ts';
import { isOfPayments } from '../../platform/tokens/auth.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';

/** Taxpayers, as readers of events. */
export function taxpayerEvents(authenticate: Authenticate): EventSource {
  return {
    kind: 'taxpayer',
    judges: (credentials) => !isOfPayments(credentials),
    authenticate: async (request, scope) => {
      const authenticated = await authenticate(request, scope);
      if (authenticated.kind === 'refused') return authenticated;
      const { identity } = authenticated;
      if (identity.kind !== 'taxpayer') throw new Error('an operator has no scope of a taxpayer');
      const { taxpayerId, tokenId, name } = identity;
      return { kind: 'known', identity: { tenantId: taxpayerId, tokenId, name } };
    },
  };
}

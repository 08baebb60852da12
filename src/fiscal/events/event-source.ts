import type { Pool } from 'pg';
import { isOfVendor } from '../../platform/auth.ts';
import type { EventSource } from '../../platform/http/event-routes.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { listEvents } from './store.ts';

/** The taxpayers' events. */
export function taxpayerEvents(pool: Pool, authenticate: Authenticate): EventSource {
  return {
    judges: (credentials) => !isOfVendor(credentials),
    authenticate: async (authorization) => {
      const authenticated = await authenticate(authorization, 'read');
      if (authenticated.kind === 'refused') return authenticated;
      const { identity } = authenticated;
      if (identity.kind !== 'taxpayer') throw new Error('an operator has no scope read');
      return { kind: 'known', identity: { tenantId: identity.taxpayerId } };
    },
    list: (taxpayerId, after, limit) => listEvents(pool, taxpayerId, after, limit),
  };
}

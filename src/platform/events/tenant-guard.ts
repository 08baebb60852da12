import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from '../http/problem.ts';
import type { Guard } from '../http/route.ts';
import { type Credentials, readCredentials } from '../tokens/auth.ts';
import type { Authenticated, TokenRequest } from '../tokens/authentication.ts';

/** A service whose tenants have events. The addresses are the same for all. */
export interface EventSource {
  readonly kind: 'taxpayer' | 'vendor';
  /** Whether these credentials are of its kind: only this kind of tenant is then asked. */
  readonly judges: (credentials: Credentials | undefined) => boolean;
  readonly authenticate: (
    request: TokenRequest,
    scope: 'read' | 'endpoints',
  ) => Promise<Authenticated<{ readonly tenantId: string; readonly tokenId: string; readonly name: string }>>;
}

export interface Tenant {
  readonly source: EventSource;
  readonly tenantId: string;
  readonly tokenId: string;
  /** Of the token. */
  readonly name: string;
}

const SCOPES = { 'tenant that reads': 'read', 'tenant that registers endpoints': 'endpoints' } as const;

/** Lives beside the request, not on it: nothing that dumps a request can show who sent it. */
const tenants = new WeakMap<FastifyRequest, Tenant>();

/** Lets in the tenants of all these services. */
export function tenantGuard(sources: readonly [EventSource, ...EventSource[]]): Guard {
  return (access) => {
    if (access !== 'tenant that reads' && access !== 'tenant that registers endpoints') {
      throw new Error(`here are let in tenants of any kind, and no ${JSON.stringify(access)}`);
    }
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const credentials = readCredentials(request.headers.authorization);
      const source = sources.find((one) => one.judges(credentials)) ?? sources[0];
      const authenticated = await source.authenticate(request, SCOPES[access]);
      if (authenticated.kind === 'refused') return sendProblem(reply, authenticated.refusal);
      tenants.set(request, { source, ...authenticated.identity });
      return undefined;
    };
  };
}

export function tenantOf(request: FastifyRequest): Tenant {
  const tenant = tenants.get(request);
  if (tenant === undefined) throw new Error('a route of tenants was reached without tenantGuard');
  return tenant;
}

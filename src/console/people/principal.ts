import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { peopleAccess } from '../../contract/shared/access.ts';
import { INSTALLATION_ROLES, includesRole, type Role } from '../../contract/shared/values.ts';
import type { Authenticate } from '../../fiscal/index.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import type { Clock } from '../../platform/clock.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import type { Guard } from '../../platform/http/route.ts';
import type { OpenIdSettings } from '../../platform/setting-values.ts';
import { CONSOLE_HEADER, isFromConsole } from './core/same-origin.ts';
import type { Standing, Tenant } from './core/tenant.ts';
import { sessionCookie, sessionHashOf } from './session-cookie.ts';
import { findSession, type Session } from './session-store.ts';
import { checkScopes, keepToTenant } from './tenant-scope.ts';

/** Who administers: a person who is logged in, or a program with a token of the operators. */
export interface Principal extends Standing {
  /** As the audit log names it. */
  readonly actor: string;
  readonly name: string;
  readonly session: Session | undefined;
}

/** Lives beside the request, not on it: nothing that dumps a request can show who sent it. */
const principals = new WeakMap<FastifyRequest, Principal>();

export function principalOf(request: FastifyRequest): Principal {
  const principal = principals.get(request);
  if (principal === undefined) throw new Error('a route of the console was reached without its role being checked');
  return principal;
}

export interface PrincipalContext {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly authenticate: Authenticate;
  readonly publicUrl: string | undefined;
  readonly openId: OpenIdSettings | undefined;
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export const NOT_FROM_CONSOLE: Refusal = {
  code: 'Forbidden',
  detail: `A change with a session must come from the console itself: open it at the address in PUBLIC_URL, send the header ${CONSOLE_HEADER}: 1 from the same origin, or use a token.`,
};

const NEEDED: Readonly<Record<NonNullable<Session['needs']>, Refusal>> = {
  SecondFactor: {
    code: 'Forbidden',
    detail: 'Give your second factor first (POST /api/admin/session/second-factor).',
  },
  Password: {
    code: 'Forbidden',
    detail: 'You have a one-time password: choose your own first (POST /api/admin/session/password).',
  },
  Enrolment: {
    code: 'Forbidden',
    detail: 'A second factor is required here: set one up first (POST /api/admin/session/totp).',
  },
};

const INSTALLATION: Tenant = { kind: 'installation', id: '' };

/** Lets in who has at least the role that the contract asks for, and a tenant's people to what is theirs. */
export function createGuard({ pool, clock, authenticate, publicUrl, openId }: PrincipalContext): Guard {
  const identify = async (request: FastifyRequest): Promise<Principal | Refusal> => {
    const { authorization, cookie } = request.headers;
    const hash =
      authorization === undefined ? sessionHashOf(cookie, sessionCookie(request.server.publicUrl)) : undefined;
    if (hash === undefined) {
      const authenticated = await authenticate(request, INSTALLATION_ROLES);
      if (authenticated.kind === 'refused') return authenticated.refusal;
      const { name, tokenId, scopes } = authenticated.identity;
      const role = INSTALLATION_ROLES.findLast((one) => scopes.includes(one)) ?? 'viewer';
      return { actor: `${name} (token ${tokenId})`, name, tenant: INSTALLATION, role, session: undefined };
    }
    if (!READING.has(request.method) && !isFromConsole(request.headers, publicUrl)) {
      return NOT_FROM_CONSOLE;
    }
    const session = await findSession(pool, hash, clock(), openId?.issuer);
    if (session === undefined) return { code: 'Unauthorized', detail: 'The session is over: log in again.' };
    return { actor: session.email, name: session.name, tenant: session.tenant, role: session.role, session };
  };

  return (access, operation) => {
    if (access === 'anybody') return undefined;
    const needed = peopleAccess(access);
    if (needed === undefined && access !== 'any session' && access !== 'proven session')
      throw new Error(`${operation.path} is for tokens, which the console does not let in`);
    checkScopes(operation);
    return {
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        const found = await identify(request);
        if ('code' in found) return sendProblem(reply, found);
        const needs = access === 'any session' ? null : (found.session?.needs ?? null);
        // About oneself all is possible but what the second factor protects.
        if (needs !== null && (needs === 'SecondFactor' || needed !== undefined))
          return sendProblem(reply, NEEDED[needs]);
        const lack = needed && lackOf(needed[found.tenant.kind], found);
        if (lack !== undefined) return sendProblem(reply, { code: 'Forbidden', detail: lack });
        principals.set(request, found);
        return undefined;
      },
      preHandler: async (request: FastifyRequest, reply: FastifyReply) => {
        const { tenant } = principalOf(request);
        if (needed === undefined || tenant.kind === 'installation') return undefined;
        const refusal = await keepToTenant(pool, tenant, operation, request);
        return refusal && sendProblem(reply, refusal);
      },
    };
  };
}

function lackOf(needed: Role | undefined, { actor, tenant, role }: Principal): string | undefined {
  if (needed === undefined) return `This is not for the people of a ${tenant.kind}, for which ${actor} acts now.`;
  if (includesRole(tenant.kind, role, needed)) return undefined;
  return `This requires the role ${needed}, and ${actor} has the role ${role}.`;
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { ROLES, type Role } from '../../contract/console/operator.ts';
import type { Authenticate } from '../../fiscal/index.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import type { Clock } from '../../platform/clock.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import type { Guard } from '../../platform/http/route.ts';
import { includesRole } from './core/role.ts';
import { CONSOLE_HEADER, isFromConsole } from './core/same-origin.ts';
import { sessionCookie, sessionHashOf } from './session-cookie.ts';
import { findSession, type Session } from './session-store.ts';

/** Who administers: an operator who is logged in, or a program with an operator's token, which may do everything. */
export interface Principal {
  /** As the audit log names it. */
  readonly actor: string;
  readonly name: string;
  readonly role: Role;
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
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export const NOT_FROM_CONSOLE: Refusal = {
  code: 'Forbidden',
  detail: `A change with a session must come from the console itself: open it at the address in PUBLIC_URL, send the header ${CONSOLE_HEADER}: 1 from the same origin, or use a token.`,
};

const CHANGE_PASSWORD: Refusal = {
  code: 'Forbidden',
  detail: 'You have a one-time password: choose your own first (POST /api/admin/session/password).',
};

/** Lets in who has at least the role that the contract asks for. */
export function createGuard({ pool, clock, authenticate, publicUrl }: PrincipalContext): Guard {
  const identify = async (request: FastifyRequest): Promise<Principal | Refusal> => {
    const { authorization, cookie } = request.headers;
    const hash =
      authorization === undefined ? sessionHashOf(cookie, sessionCookie(request.server.publicUrl)) : undefined;
    if (hash === undefined) {
      const authenticated = await authenticate(request, 'admin');
      if (authenticated.kind === 'refused') return authenticated.refusal;
      const { name, tokenId } = authenticated.identity;
      return { actor: `${name} (token ${tokenId})`, name, role: 'admin', session: undefined };
    }
    if (!READING.has(request.method) && !isFromConsole(request.headers, publicUrl)) {
      return NOT_FROM_CONSOLE;
    }
    const session = await findSession(pool, hash, clock());
    if (session === undefined) return { code: 'Unauthorized', detail: 'The session is over: log in again.' };
    return { actor: session.email, name: session.name, role: session.role, session };
  };

  return (access) => {
    if (access === 'anybody') return undefined;
    const withOneTimePassword = access === 'viewer with any password';
    const role = withOneTimePassword ? 'viewer' : ROLES.find((one) => one === access);
    if (role === undefined) throw new Error(`the console lets in operators, and no ${access}`);
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const found = await identify(request);
      if ('code' in found) return sendProblem(reply, found);
      if (!includesRole(found.role, role)) {
        const detail = `This requires the role ${role}, and ${found.actor} has the role ${found.role}.`;
        return sendProblem(reply, { code: 'Forbidden', detail });
      }
      if (found.session?.mustChangePassword && !withOneTimePassword) return sendProblem(reply, CHANGE_PASSWORD);
      principals.set(request, found);
      return undefined;
    };
  };
}

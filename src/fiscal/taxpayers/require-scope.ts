import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { sendProblem } from '../../platform/http/problem.ts';
import type { Authenticate } from './authenticate.ts';
import type { Caller, Identity, Scope } from './caller.ts';

/** Lives beside the request, not on it: nothing that dumps a request can show who sent it. */
const identities = new WeakMap<FastifyRequest, Identity>();

/** Authenticates before the body is read: a stranger's megabyte is never parsed. */
export function requireScope(authenticate: Authenticate, scope: Scope): onRequestAsyncHookHandler {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const authenticated = await authenticate(request.headers.authorization, scope);
    if (authenticated.kind === 'refused') return sendProblem(reply, authenticated.refusal);
    identities.set(request, authenticated.identity);
    return undefined;
  };
}

export function callerOf(request: FastifyRequest): Caller {
  const identity = identities.get(request);
  if (identity?.kind !== 'taxpayer') throw new Error('a route of taxpayers was reached without requireScope');
  return identity;
}

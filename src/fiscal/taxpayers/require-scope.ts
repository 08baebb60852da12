import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { sendProblem } from '../../platform/http/problem.ts';
import type { Authenticate } from './authenticate.ts';
import type { Caller, Scope } from './caller.ts';

/** Lives beside the request, not on it: nothing that dumps a request can show who sent it. */
const callers = new WeakMap<FastifyRequest, Caller>();

/** Authenticates before the body is read: a stranger's megabyte is never parsed. */
export function requireScope(authenticate: Authenticate, scope: Scope): onRequestAsyncHookHandler {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const authenticated = await authenticate(request.headers.authorization, scope);
    if (authenticated.kind === 'refused') return sendProblem(reply, authenticated.refusal);
    callers.set(request, authenticated.caller);
    return undefined;
  };
}

export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('a route was reached without requireScope');
  return caller;
}

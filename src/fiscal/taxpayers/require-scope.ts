import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { TOKEN_SCOPES } from '../../contract/shared/values.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import type { Guard } from '../../platform/http/route.ts';
import type { Authenticated } from '../../platform/tokens/authentication.ts';
import type { Authenticate } from './authenticate.ts';
import type { Caller, Identity, Scope } from './caller.ts';

/** Lives beside the request, not on it: nothing that dumps a request can show who sent it. */
const identities = new WeakMap<FastifyRequest, Identity>();

/** Authenticates before the body is read: a stranger's megabyte is never parsed. */
function requireScope(authenticate: Authenticate, scope: Scope | readonly Scope[]): onRequestHookHandler {
  return (request, reply, done) => {
    const goOn = (authenticated: Authenticated<Identity>) => {
      if (authenticated.kind === 'refused') {
        sendProblem(reply, authenticated.refusal);
        return;
      }
      identities.set(request, authenticated.identity);
      done();
    };
    const authenticated = authenticate(request, scope);
    if (authenticated instanceof Promise) authenticated.then(goOn, done);
    else goOn(authenticated);
  };
}

/** Who may, as the contract says it. */
export function guardOf(authenticate: Authenticate): Guard {
  return (access) => {
    if (access === 'taxpayer that reads') return requireScope(authenticate, 'read');
    if (access === 'taxpayer') return requireScope(authenticate, TOKEN_SCOPES.taxpayer);
    if (access === 'taxpayer that signs') return requireScope(authenticate, 'sign');
    throw new Error(`the fiscal service lets in taxpayers, and no ${JSON.stringify(access)}`);
  };
}

export function callerOf(request: FastifyRequest): Caller {
  const identity = identities.get(request);
  if (identity?.kind !== 'taxpayer') throw new Error('a route of taxpayers was reached without requireScope');
  return identity;
}

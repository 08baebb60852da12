import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { sendProblem } from '../../platform/http/problem.ts';
import type { Guard } from '../../platform/http/route.ts';
import type { AuthenticateHolder } from './authenticate.ts';
import type { Holder, PaymentScope, Vendor } from './vendor.ts';

/** Lives beside the request, not on it: nothing that dumps a request can show who sent it. */
const holders = new WeakMap<FastifyRequest, Holder>();

/** Authenticates before the body is read: a stranger's megabyte is never parsed. */
function requireScope(
  authenticate: AuthenticateHolder,
  scope: PaymentScope | readonly PaymentScope[],
): onRequestAsyncHookHandler {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const authenticated = await authenticate(request, scope);
    if (authenticated.kind === 'refused') return sendProblem(reply, authenticated.refusal);
    holders.set(request, authenticated.identity);
    return undefined;
  };
}

/** Who may, as the contract says it. */
export function holderGuard(authenticate: AuthenticateHolder): Guard {
  return (access) => {
    if (access === 'vendor that pays') return requireScope(authenticate, 'pay');
    if (access === 'vendor that reads') return requireScope(authenticate, 'read');
    if (access === 'vendor or biller that reads') return requireScope(authenticate, ['read', 'figures']);
    throw new Error(`the routes of payments let in vendors and billers, and no ${JSON.stringify(access)}`);
  };
}

export function holderOf(request: FastifyRequest): Holder {
  const holder = holders.get(request);
  if (holder === undefined) throw new Error('a route of payments was reached without requireScope');
  return holder;
}

export function vendorOf(request: FastifyRequest): Vendor {
  const holder = holderOf(request);
  if (holder.kind !== 'vendor') throw new Error('a token of a biller has the scopes of a vendor');
  return holder;
}

import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { VendorScope } from '../../contract/billpay/vendor-token.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import type { Guard } from '../../platform/http/route.ts';
import type { AuthenticateVendor } from './authenticate.ts';
import type { Vendor } from './vendor.ts';

/** Lives beside the request, not on it: nothing that dumps a request can show who sent it. */
const vendors = new WeakMap<FastifyRequest, Vendor>();

/** Authenticates before the body is read: a stranger's megabyte is never parsed. */
function requireVendor(authenticate: AuthenticateVendor, scope: VendorScope): onRequestAsyncHookHandler {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const authenticated = await authenticate(request, scope);
    if (authenticated.kind === 'refused') return sendProblem(reply, authenticated.refusal);
    vendors.set(request, authenticated.identity);
    return undefined;
  };
}

/** Who may, as the contract says it. */
export function vendorGuard(authenticate: AuthenticateVendor): Guard {
  return (access) => {
    if (access === 'vendor that pays') return requireVendor(authenticate, 'pay');
    if (access === 'vendor that reads') return requireVendor(authenticate, 'read');
    throw new Error(`the routes of vendors let in vendors, and no ${JSON.stringify(access)}`);
  };
}

export function vendorOf(request: FastifyRequest): Vendor {
  const vendor = vendors.get(request);
  if (vendor === undefined) throw new Error('a route of vendors was reached without requireVendor');
  return vendor;
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Address, nearestAddress } from './nearest-address.ts';
import { sendProblem } from './problem.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Answers what is not there with the address that is: another method of it, or the nearest one. */
export function answerUnknownAddresses(app: FastifyInstance): void {
  const addresses: Address[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) {
      if (one !== 'HEAD' && one !== 'OPTIONS' && !url.includes('*')) addresses.push({ method: one, url });
    }
  });
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    if (sendOtherMethods(request, reply)) return reply;
    return sendProblem(reply, { code: 'NoSuchAddress', detail: whatIsNear(request, path, addresses) });
  });
}

/** True when other methods are taken at this very address, and the answer says so. */
export function sendOtherMethods(request: FastifyRequest, reply: FastifyReply): boolean {
  const allowed = METHODS.filter(
    (method) => method !== request.method && request.server.findRoute({ method, url: pathOf(request) }) !== null,
  );
  if (allowed.length === 0) return false;
  sendProblem(reply.header('allow', allowed.join(', ')), {
    code: 'MethodNotAllowed',
    detail: `This address takes ${allowed.join(' and ')}, not ${request.method}.`,
  });
  return true;
}

function whatIsNear(request: FastifyRequest, path: string, addresses: readonly Address[]): string {
  const all = 'All addresses are listed at /docs.';
  const near = nearestAddress(request.method, path, addresses);
  if (near === undefined) return `There is nothing at this address. ${all}`;
  const why = near.isJoined ? ' A slash inside a reference is sent as %2F.' : '';
  return `There is nothing at this address.${why} Did you mean ${near.method} ${near.path}? ${all}`;
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../kernel/refusal.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import { RateLimiter } from '../../platform/http/rate-limit.ts';
import { senderNetwork } from '../../platform/http/sender.ts';
import { isFromConsole } from './core/same-origin.ts';
import type { LogInSender } from './log-in.ts';
import { NOT_FROM_CONSOLE } from './principal.ts';

/** For all who share a network, before anything is read: looking at a password is the dearest thing that needs no token. Right ones do not count. */
const PER_SECOND = 0.5;
const AT_ONCE = 30;

const tooMany = (seconds: number): Refusal => ({
  code: 'RateLimited',
  detail: 'Too many try to log in from this address. Wait a moment, then try again.',
  retryAfterSeconds: Math.ceil(seconds),
});

/** What stands before all that can be asked for without being logged in. */
export function createGate(senderOf: (request: FastifyRequest) => LogInSender, publicUrl: string | undefined) {
  const limiter = new RateLimiter(PER_SECOND, AT_ONCE);
  const placeOf = (request: FastifyRequest) => senderOf(request).browser?.id ?? senderNetwork(request);
  return {
    guard: async (request: FastifyRequest, reply: FastifyReply) => {
      if (!isFromConsole(request.headers, publicUrl)) return sendProblem(reply, NOT_FROM_CONSOLE);
      const seconds = limiter.take(placeOf(request), performance.now());
      return seconds === undefined ? undefined : sendProblem(reply, tooMany(seconds));
    },
    giveBack: (request: FastifyRequest) => limiter.giveBack(placeOf(request)),
  };
}

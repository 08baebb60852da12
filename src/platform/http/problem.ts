import type { FastifyReply } from 'fastify';
import { PROBLEMS, type ProblemCode, problemDocument } from '../../contract/shared/problem.ts';
import type { Refusal } from '../../kernel/refusal.ts';

export function sendProblem(
  reply: FastifyReply,
  refusal: Omit<Refusal, 'code'> & { readonly code: ProblemCode },
): FastifyReply {
  const { status } = PROBLEMS[refusal.code];
  if (refusal.retryAfterSeconds !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(refusal.retryAfterSeconds)));
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="tillseal"');
  return reply
    .code(status)
    .type('application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(problemDocument(refusal, reply.server.publicUrl, reply.request.id));
}

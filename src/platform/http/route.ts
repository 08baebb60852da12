import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  preHandlerAsyncHookHandler,
} from 'fastify';
import type { Access } from '../../contract/shared/access.ts';
import type { AnswerOf, BodyOf, Operation, ParamsOf, QueryOf } from '../../contract/shared/operation.ts';
import { type OrExactText, writeExactJson } from '../../kernel/exact-json.ts';
import { Refused } from '../../kernel/refusal.ts';
import type { ExactJson } from '../json/exact-json.ts';
import { exactValue } from '../json/exact-value.ts';
import { sendProblem } from './problem.ts';

type BeforeBody = onRequestHookHandler | onRequestAsyncHookHandler;

/** The hook that checks who may use it, before the body is read; with one that looks at what was sent, too. Undefined: anyone may. */
export type Guard = (
  access: Access,
  operation: Operation,
) => BeforeBody | { readonly onRequest: BeforeBody; readonly preHandler: preHandlerAsyncHookHandler } | undefined;

/** What the handler of an operation is given, in the types of its contract. */
export interface Call<O extends Operation> {
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  /** Amounts are Decimals; numbers where the operation says so. */
  readonly body: BodyOf<O>;
  /** The body as it was parsed, for whatever reads its numbers digit by digit. */
  readonly exact: ExactJson;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The answer of the contract, parts of which may be written already; a refusal; or the reply, where the handler has sent it. */
export type Answered<O extends Operation> = OrExactText<AnswerOf<O>> | Refused | FastifyReply;

/** Serves an operation: whom it lets in, what it checks and what it answers with comes from its contract. */
export function route<O extends Operation>(
  app: FastifyInstance,
  guard: Guard,
  operation: O,
  handle: (call: Call<O>) => Promise<Answered<O>> | Answered<O>,
  /** Called behind every answer, also those that the handler never saw. */
  onAnswered?: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const { method, path, params, query, body, answer } = operation;
  const guarded = guard(operation.access, operation);
  const hooks = typeof guarded === 'function' ? { onRequest: guarded } : guarded;
  const isRaw = body === undefined || operation.hasRawNumbers;
  const readBody = isRaw ? (exact: ExactJson | undefined) => exact?.value : exactValue(body);
  app.route({
    method,
    url: path,
    ...hooks,
    ...(onAnswered === undefined ? {} : { onResponse: async (request, reply) => onAnswered(request, reply) }),
    // HEAD of an endless answer would be as endless, without anything in it.
    schema: {
      ...(params === undefined || operation.hasOpenParams ? {} : { params }),
      ...(query === undefined ? {} : { querystring: query }),
      ...(body === undefined ? {} : { body }),
      operation,
    },
    handler: async (request, reply) => {
      // The schemas above have checked them: from here on they are of the contract's types.
      const answered = await handle({
        params: request.params as ParamsOf<O>,
        query: request.query as QueryOf<O>,
        body: readBody(request.body as ExactJson) as BodyOf<O>,
        exact: request.body as ExactJson,
        request,
        reply,
      });
      // The reply itself, awaited, is nothing: it was sent by the handler, or its client has gone.
      if (answered === undefined) return reply;
      if (answered instanceof Refused) return sendProblem(reply, answered.refusal);
      if (answer.status !== undefined) reply.code(answer.status);
      return reply.type('application/json; charset=utf-8').send(writeExactJson(answered));
    },
  });
}

declare module 'fastify' {
  interface FastifySchema {
    readonly operation?: Operation;
  }
}

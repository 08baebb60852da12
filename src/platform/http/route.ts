import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify';
import type { Access, AnswerOf, BodyOf, Operation, ParamsOf, QueryOf } from '../../contract/operation.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';
import { Refused } from '../../kernel/refusal.ts';
import type { ExactJson } from './exact-json.ts';
import { exactValue } from './exact-value.ts';
import { sendProblem } from './problem.ts';

/** The hook that lets in who may; it runs before the body is read. Undefined: everybody may. */
export type Guard = (access: Access) => onRequestHookHandler | onRequestAsyncHookHandler | undefined;

/** What the handler of an operation is given, in the types of its contract. */
export interface Call<O extends Operation> {
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  /** Amounts are Decimals. */
  readonly body: BodyOf<O>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The answer of the contract, a refusal, a text that was written exactly before, or what the reply was given directly. */
export type Answered<O extends Operation> = AnswerOf<O> | Refused | ExactText | FastifyReply;

/** A JSON document that is sent as it is. */
export class ExactText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Serves an operation: whom it lets in, what it checks and what it answers with comes from its contract. */
export function route<O extends Operation>(
  app: FastifyInstance,
  guard: Guard,
  operation: O,
  handle: (call: Call<O>) => Promise<Answered<O>> | Answered<O>,
): void {
  const { method, path, params, query, body, answer } = operation;
  const onRequest = guard(operation.access);
  const readBody = body === undefined ? () => undefined : exactValue(body);
  app.route({
    method,
    url: path,
    ...(onRequest === undefined ? {} : { onRequest }),
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
        request,
        reply,
      });
      if (answered === reply) return reply;
      if (answered instanceof Refused) return sendProblem(reply, answered.refusal);
      const text = answered instanceof ExactText ? answered.text : writeExactJson(answered);
      return reply
        .code(answer.status ?? 200)
        .type('application/json; charset=utf-8')
        .send(text);
    },
  });
}

declare module 'fastify' {
  interface FastifySchema {
    readonly operation?: Operation;
  }
}

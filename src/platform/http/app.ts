import { randomUUID } from 'node:crypto';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';

import type { Refusal, Violation } from '../../kernel/refusal.ts';
import { isConnectionFailure } from '../connection-failure.ts';
import type { Metrics } from '../metrics.ts';
import { type ExactJson, JsonRefusal, parseExactJson } from './exact-json.ts';
import { sendProblem } from './problem.ts';
import { bodyShape, queryShape } from './shape.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Where the outside finds this service; links in answers start with it. */
    publicUrl: string;
  }
}

export const BODY_LIMIT_BYTES = 1024 * 1024;

export interface HttpAppOptions {
  readonly log: FastifyBaseLogger;
  readonly publicUrl: string;
  readonly metrics?: Metrics;
  /** While it says so, /api answers 503 at once instead of queueing. */
  readonly isOverloaded?: () => boolean;
}

/** The answers are data for programs: nothing may be loaded, framed, sniffed or cached. Pages set their own policy. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

/**
 * The HTTP ground both services stand on: exact JSON in, problem details out, request ids, and nothing of an internal
 * failure in an answer. Routes give a schema; the body reaches them as ExactJson with its shape already checked.
 */
export function createHttpApp(options: HttpAppOptions): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // A logger per request costs more than parsing it; whoever logs gives the request's id along.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 512 },
    // No hook has run yet when the address itself cannot be read.
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply.header('x-request-id', request.id).headers(SECURITY_HEADERS));
    },
  });
  app.decorate('publicUrl', options.publicUrl);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseExactJson(Buffer.isBuffer(body) ? body : Buffer.from(body)));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  });
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const check = httpPart === 'body' ? bodyShape(Object(schema)) : queryShape(Object(schema));
    return (data: unknown) => {
      // A request without a body and without its type passes no parser; Fastify then asks about null.
      if (httpPart === 'body' && data === null) {
        return { error: new JsonRefusal('The body is empty; a JSON document is expected.') };
      }
      const violations = check(httpPart === 'body' ? (data as ExactJson).value : data);
      return violations.length === 0 ? { value: data } : { error: new ShapeError(violations) };
    };
  });
  app.setErrorHandler<FastifyError>((error, request, reply) => answerError(error, request, reply));
  app.setNotFoundHandler(answerNotFound);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS);
    if (options.isOverloaded?.() && request.url.startsWith('/api/')) sendProblem(reply, OVERLOADED);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(none)';
    options.metrics?.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    logResponse(request, reply, route);
    done();
  });
  return app;
}

const OVERLOADED: Refusal = {
  code: 'Overloaded',
  detail: 'More is being asked than can be answered in time. Nothing was done; try again shortly.',
  retryAfterSeconds: 1,
};

class ShapeError extends Error {
  override readonly name = 'ShapeError';
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super('the request does not have the expected shape');
    this.violations = violations;
  }
}

function answerError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = refusalOf(error);
  if (refusal) return sendProblem(reply, refusal);
  request.log.error({ requestId: request.id, err: error, route: request.routeOptions?.url }, 'a request failed');
  if (isConnectionFailure(error)) {
    return sendProblem(reply, {
      code: 'Unavailable',
      detail: 'The service cannot reach its database. Send the same request again: its reference makes that safe.',
      retryAfterSeconds: 2,
    });
  }
  return sendProblem(reply, {
    code: 'InternalError',
    detail: 'The request failed. Quote the requestId when you report it.',
  });
}

function refusalOf(error: Error): Refusal | undefined {
  if (error instanceof JsonRefusal) return { code: 'MalformedJson', detail: error.message };
  if (error instanceof ShapeError) {
    return {
      code: 'InvalidRequest',
      detail: 'The request does not have the expected fields and types.',
      errors: error.violations,
    };
  }
  const code = 'code' in error ? error.code : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { code: 'BodyTooLarge', detail: `A body has at most ${BODY_LIMIT_BYTES} bytes.` };
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return { code: 'UnsupportedMediaType', detail: 'Send the body with Content-Type: application/json.' };
  }
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return { code: 'InvalidRequest', detail: `The request cannot be read: ${error.message}.` };
  }
  return undefined;
}

function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? '';
  const allowed = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).filter(
    (method) => request.server.findRoute({ method, url: path }) !== null,
  );
  if (allowed.length === 0)
    return sendProblem(reply, { code: 'NotFound', detail: 'There is nothing at this address.' });
  return sendProblem(reply.header('allow', allowed.join(', ')), {
    code: 'MethodNotAllowed',
    detail: `This address takes ${allowed.join(' and ')}, not ${request.method}.`,
  });
}

/** Route patterns only, never the address itself: a query may hold a buyer's data. Good answers are news only to a debugger. */
function logResponse(request: FastifyRequest, reply: FastifyReply, route: string): void {
  if (reply.statusCode < 400 && request.log.level !== 'debug' && request.log.level !== 'trace') return;
  const fields = {
    requestId: request.id,
    method: request.method,
    route,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime),
  };
  if (reply.statusCode >= 400) request.log.info(fields, 'refused');
  else request.log.debug(fields, 'answered');
}

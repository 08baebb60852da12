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
import { isConnectionFailure, isDiskFull, isPassing } from '../database/connection-failure.ts';
import { UnconfirmedError } from '../database/server.ts';
import { CommitsWaitError } from '../database/writing.ts';
import { type ExactJson, JsonRefusal, parseExactJson } from '../json/exact-json.ts';
import type { Metrics } from '../metrics.ts';
import { tracing } from '../tracing/tracing.ts';
import { answerUnknownAddresses } from './not-found.ts';
import { sendProblem } from './problem.ts';
import { RefusalLog } from './refusal-log.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { bodyShape, queryShape } from './shape.ts';
import { traceRequests } from './trace-requests.ts';
import { answerUnreadable } from './unreadable-request.ts';

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
  /** Asked about each request to /api: one that it does not admit is answered 503 at once instead of queueing. */
  readonly admits?: () => boolean;
  readonly patience?: Patience;
  /** How many proxies in front are believed when they say who sent a request; none by default. */
  readonly trustedProxies?: number;
}

/**
 * How long a sender may take. Without these a body that comes byte by byte holds its connection for ever: Fastify turns
 * Node's own limits off. They end with the last byte of the request, so a long poll may wait longer.
 */
export interface Patience {
  readonly headersMs: number;
  readonly requestMs: number;
  /** How often Node looks for those who are too late. */
  readonly checkEveryMs: number;
}

const PATIENCE: Patience = { headersMs: 10_000, requestMs: 30_000, checkEveryMs: 2000 };

/** A connection on which nothing moves in either direction is given up; longer than the longest poll of events. */
const IDLE_CONNECTION_MS = 120_000;

/**
 * The HTTP ground both services stand on: exact JSON in, problem details out, request ids, and nothing of an internal
 * failure in an answer. Routes give a schema; the body reaches them as ExactJson with its shape already checked.
 */
export function createHttpApp(options: HttpAppOptions): FastifyInstance {
  const patience = options.patience ?? PATIENCE;
  const app: FastifyInstance = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // Counted from this machine outwards: what a sender writes in front of what our proxies wrote is not looked at.
    trustProxy: (_address: string, hop: number) => hop < (options.trustedProxies ?? 0),
    requestTimeout: patience.requestMs,
    connectionTimeout: IDLE_CONNECTION_MS,
    http: {
      headersTimeout: patience.headersMs,
      connectionsCheckingInterval: patience.checkEveryMs,
      // Node would answer without our headers; the hook below asks for it.
      requireHostHeader: false,
    },
    // answerUnreadable does it; Fastify's own would answer in another form.
    clientErrorHandler: () => {},
    // A logger per request costs more than parsing it; code that logs adds the request's id.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 512 },
    // The hook below answers instead, in our own form.
    return503OnClosing: false,
    // No hook has run yet when the address itself cannot be read.
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply.header('x-request-id', request.id).headers(SECURITY_HEADERS));
    },
  });
  // An unknown expectation is ignored, as RFC 9110 allows; Node would answer 417 without our headers.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  answerUnreadable(app.server, options.publicUrl);
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
      const violations = check(data as ExactJson);
      return violations.length === 0 ? { value: data } : { error: new ShapeError(violations) };
    };
  });
  app.setErrorHandler<FastifyError>((error, request, reply) => answerError(error, request, reply));
  answerUnknownAddresses(app);
  if (tracing !== undefined) traceRequests(app, tracing);
  let isStopping = false;
  app.addHook('preClose', (done) => {
    isStopping = true;
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') sendProblem(reply, NO_HOST);
    else if (isStopping && !WATCHED.test(request.url)) sendProblem(reply, STOPPING);
    else if (request.url.startsWith('/api/') && options.admits?.() === false) sendProblem(reply, OVERLOADED);
    else done();
  });
  const refusals = new RefusalLog(options.log);
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(none)';
    options.metrics?.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    logResponse(refusals, request, reply, route);
    done();
  });
  return app;
}

const OVERLOADED: Refusal = {
  code: 'Overloaded',
  detail: 'More is being asked than can be answered in time. Nothing was done; try again shortly.',
  retryAfterSeconds: 1,
};

/** Fastify asks for the end of the connection, so the next request finds another instance, or the next process. */
const STOPPING: Refusal = {
  code: 'Unavailable',
  detail: 'This instance is stopping. Nothing was done; send the same request again.',
  retryAfterSeconds: 1,
};

/** What those who run it ask while it stops: readiness says so in its own words. */
const WATCHED = /^\/(health\/|metrics)/;

const COMMITS_WAIT: Refusal = {
  code: 'Unavailable',
  detail:
    'The database waits for its standby, and nothing new is begun until that is back. Send the same request again.',
  retryAfterSeconds: 2,
};

const NO_HOST: Refusal = { code: 'InvalidRequest', detail: 'A request of HTTP/1.1 carries the header Host.' };

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
  if (isPassing(error)) {
    return sendProblem(reply, {
      code: 'Unavailable',
      detail: `The service ${troubleOf(error)}. Send the same request again: its reference makes that safe.`,
      retryAfterSeconds: 2,
    });
  }
  return sendProblem(reply, {
    code: 'InternalError',
    detail: 'The request failed. Quote the requestId when you report it.',
  });
}

function troubleOf(error: Error): string {
  if (isDiskFull(error)) return 'has no room left on the disk of its database';
  if (error instanceof UnconfirmedError) return 'has no word from its database yet that this is kept';
  return isConnectionFailure(error) ? 'cannot reach its database' : 'was interrupted in its database';
}

function refusalOf(error: Error): Refusal | undefined {
  if (error instanceof CommitsWaitError) return COMMITS_WAIT;
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

/** Route patterns only, never the address itself: a query may hold a buyer's data. Good answers are news only to a debugger. */
function logResponse(refusals: RefusalLog, request: FastifyRequest, reply: FastifyReply, route: string): void {
  if (reply.statusCode < 400 && request.log.level !== 'debug' && request.log.level !== 'trace') return;
  const fields = {
    requestId: request.id,
    method: request.method,
    route,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime),
  };
  if (reply.statusCode >= 400) refusals.write(fields);
  else request.log.debug(fields, 'answered');
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Span, Tracing } from '../tracing/tracing.ts';

/**
 * A span for every request of the API, in the caller's trace where `traceparent` names one. Routes only, never the address: it may
 * hold a reference or a buyer's data. `traceresponse` tells the caller.
 */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith('/api/')) return done();
    const { method, headers, routeOptions } = request;
    const attributes = { 'http.request.method': method, 'http.response.header.x-request-id': [request.id] };
    const span = tracing.start(
      {
        name: routeOptions.url === undefined ? method : `${method} ${routeOptions.url}`,
        kind: 'server',
        attributes: routeOptions.url === undefined ? attributes : { ...attributes, 'http.route': routeOptions.url },
      },
      tracing.callerOf(headers['traceparent'], headers['tracestate']),
    );
    spans.set(request, span);
    reply.header('traceresponse', tracing.traceparent(span));
    // Comes in any case, also for a caller that went away.
    reply.raw.once('close', () => end(tracing, span, reply));
    tracing.within(span, done);
  });
  // The body arrives in the context of its connection, and the end of the answer does.
  for (const hook of ['preValidation', 'onResponse'] as const) {
    app.addHook(hook, (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
      tracing.within(spans.get(request), done);
    });
  }
}

function end(tracing: Tracing, span: Span, { statusCode, raw }: FastifyReply): void {
  if (!raw.writableFinished) tracing.fail(span, 'the caller went away');
  else {
    span.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) tracing.fail(span, String(statusCode));
  }
  span.end();
}

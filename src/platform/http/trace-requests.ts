import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Span, Tracing } from '../tracing/tracing.ts';

/**
 * A span for every request of the API, in the caller's trace where `traceparent` names one. Routes only, never the address: it may
 * hold a reference or a buyer's data. `traceresponse` tells the caller.
 */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith('/api/')) return done();
    const { method, headers, routeOptions } = request;
    const route = routeOptions.url ?? '(none)';
    const id = { 'http.response.header.x-request-id': [request.id] };
    const attributes = { 'http.request.method': method, 'http.route': route, ...id };
    const caller = tracing.callerOf(headers);
    const span = tracing.start({ name: `${method} ${route}`, kind: 'server', attributes }, caller);
    reply.header('traceresponse', tracing.traceparent(span));
    // Comes in any case, also for a caller that went away.
    reply.raw.once('close', () => end(tracing, span, reply));
    tracing.within(span, done);
  });
}

function end(tracing: Tracing, span: Span, { statusCode, raw }: FastifyReply): void {
  if (raw.writableFinished) {
    span.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) tracing.fail(span, String(statusCode));
  } else tracing.fail(span, 'the caller went away');
  span.end();
}

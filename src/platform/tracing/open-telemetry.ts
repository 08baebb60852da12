import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import * as api from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import * as resources from '@opentelemetry/resources';
import * as sdk from '@opentelemetry/sdk-trace';
import type { Log } from '../logging/log.ts';
import { VERSION } from '../version.ts';
import type { Span, Tracing } from './tracing.ts';

/** A service that stops has other things to finish. */
const STOP_MS = 2000;
/** As many as a batch has receipts. */
const MAX_LINKS = 500;
/** Some are words of the other side. */
const MAX_REASON = 100;

const w3c = new W3CTraceContextPropagator();
const KINDS = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };

/** The only file that loads OpenTelemetry, and itself loaded only where a collector is named. */
export function openTelemetry(log: Log): Tracing {
  const spans = new AsyncLocalStorage<Span | undefined>();
  const provider = createProvider(log);
  const tracer = provider.getTracer('tillseal', VERSION);
  return {
    current: () => {
      const span = spans.getStore();
      // Sampled and yet not recording: it has ended, and this is work that it set off.
      const isOver = span?.isRecording() === false && (span.spanContext().traceFlags & api.TraceFlags.SAMPLED) !== 0;
      return isOver ? undefined : span;
    },
    start: ({ name, kind, attributes = {}, links = [] }, parent) =>
      tracer.startSpan(
        name,
        {
          kind: kind === undefined ? api.SpanKind.INTERNAL : KINDS[kind],
          attributes,
          links: links.map((span) => ({ context: span.spanContext() })),
        },
        parent === undefined ? api.ROOT_CONTEXT : api.trace.setSpan(api.ROOT_CONTEXT, parent),
      ),
    within: (span, work) => spans.run(span, work),
    callerOf: (headers) => api.trace.getSpan(w3c.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter)),
    traceparent: (span) => {
      const headers: { traceparent?: string } = {};
      w3c.inject(api.trace.setSpan(api.ROOT_CONTEXT, span), headers, api.defaultTextMapSetter);
      return headers.traceparent ?? '';
    },
    fail: (span, reason) => {
      span.setAttribute('error.type', reason.slice(0, MAX_REASON)).setStatus({ code: api.SpanStatusCode.ERROR });
    },
    stop: () => Promise.race([provider.shutdown().catch(() => {}), delay(STOP_MS)]),
  };
}

function createProvider(log: Log): sdk.TracerProvider {
  // Until it is constructed: what is wrong with a variable. Later a failed delivery would be reported every few seconds.
  const warn = (message: string) => log.warn({}, `traces: ${message}`);
  const nothing = () => {};
  api.diag.setLogger({ error: warn, warn, info: nothing, debug: nothing, verbose: nothing }, api.DiagLogLevel.WARN);
  const detectors = [
    resources.serviceInstanceIdDetector,
    resources.resourceAttributesEnvDetector,
    resources.serviceNameEnvDetector,
  ];
  const provider = new sdk.TracerProvider({
    // Not as the flag of a caller says: anyone can send a traceparent, with or without a token. What is kept the collector decides.
    sampler: new sdk.AlwaysOnSampler(),
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'tillseal', 'service.version': VERSION }))
      .merge(resources.detectResources({ detectors })),
    spanLimits: { linkCountLimit: MAX_LINKS },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: reporting(new OTLPTraceExporter(), log) })],
  });
  api.diag.disable();
  return provider;
}

/** Says once that the collector cannot be reached, and once that it can be again. */
function reporting(exporter: sdk.SpanExporter, log: Log): sdk.SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const { error: err } = result;
        if (err !== undefined && !isFailing) log.warn({ err }, 'traces cannot be delivered and are lost');
        if (err === undefined && isFailing) log.info({}, 'traces are delivered again');
        isFailing = err !== undefined;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

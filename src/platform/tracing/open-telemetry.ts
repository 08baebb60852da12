import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as api from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import * as resources from '@opentelemetry/resources';
import * as sdk from '@opentelemetry/sdk-trace';
import type { Log } from '../logging/log.ts';
import type { TraceSettings } from '../trace-settings.ts';
import { VERSION } from '../version.ts';
import type { Span, Tracing } from './tracing.ts';

/** A service that stops has other things to finish. */
const STOP_MS = 2000;
/** As many as a batch has receipts. */
const MAX_LINKS = 500;
/** Some are words of the other side. */
const MAX_REASON = 100;

const KINDS = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };

/** The only file that loads OpenTelemetry, and itself loaded only where a collector is named. */
export function openTelemetry(settings: TraceSettings, log: Log): Tracing {
  const spans = new AsyncLocalStorage<Span | undefined>();
  const provider = createProvider(settings, log);
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
    callerOf,
    traceparent,
    fail: (span, reason) => {
      span.setAttribute('error.type', reason.slice(0, MAX_REASON)).setStatus({ code: api.SpanStatusCode.ERROR });
    },
    stop: () => Promise.race([provider.shutdown().catch(() => {}), delay(STOP_MS)]),
  };
}

function createProvider(settings: TraceSettings, log: Log): sdk.TracerProvider {
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
    sampler: samplerOf(settings),
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'tillseal', 'service.version': VERSION }))
      .merge(resources.detectResources({ detectors })),
    spanLimits: { linkCountLimit: MAX_LINKS },
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter: reporting(new OTLPTraceExporter(), log), ...settings.batching }),
    ],
  });
  api.diag.disable();
  return provider;
}

/**
 * What a caller says of its own trace decides nothing here, neither its flag nor an id that it may have chosen: anyone can send a
 * traceparent, with or without a token. Its request is in its trace all the same, where it is recorded.
 */
function samplerOf({ sampler, ratio }: TraceSettings): sdk.Sampler {
  const root: sdk.Sampler = sampler.endsWith('ratio')
    ? new sdk.TraceIdRatioBasedSampler(ratio)
    : sampler.endsWith('off')
      ? new sdk.AlwaysOffSampler()
      : new sdk.AlwaysOnSampler();
  const ofCaller: sdk.Sampler = {
    shouldSample: (context, _traceId, ...rest) => root.shouldSample(context, randomBytes(16).toString('hex'), ...rest),
    toString: () => `of callers: ${root.toString()}`,
  };
  return new sdk.ParentBasedSampler({ root, remoteParentSampled: ofCaller, remoteParentNotSampled: ofCaller });
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

/** W3C Trace Context: later versions may append to the first four fields, this one may not. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const PLAIN_LENGTH = 55;

function callerOf(header: unknown, tracestate: unknown): Span | undefined {
  const match = typeof header === 'string' ? TRACEPARENT.exec(header) : null;
  const [text = '', version, traceId = '', spanId = '', flags = ''] = match ?? [];
  const caller = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & api.TraceFlags.SAMPLED, isRemote: true };
  if (!api.isSpanContextValid(caller) || (version === '00' && text.length !== PLAIN_LENGTH)) return undefined;
  return api.trace.wrapSpanContext(
    typeof tracestate === 'string' ? { ...caller, traceState: api.createTraceState(tracestate) } : caller,
  );
}

function traceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & api.TraceFlags.SAMPLED}`;
}

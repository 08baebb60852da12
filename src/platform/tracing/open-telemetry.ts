import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createTraceState,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../logging/log.ts';
import type { TraceSettings } from '../trace-settings.ts';
import { VERSION } from '../version.ts';
import type { Tracing } from './tracing.ts';

/** A service that stops has other things to finish. */
const STOP_MS = 2000;
/** As many as a batch has receipts. */
const MAX_LINKS = 500;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

/** The only file that loads OpenTelemetry, and itself loaded only where a collector is named. */
export function openTelemetry(settings: TraceSettings, log: Log): Tracing {
  const spans = new AsyncLocalStorage<Span | undefined>();
  const provider = createProvider(settings, log);
  const tracer = provider.getTracer('tillseal', VERSION);
  return {
    current: () => {
      const span = spans.getStore();
      // Sampled and yet not recording: it has ended, and this is work that it set off.
      const isOver = span?.isRecording() === false && (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
      return isOver ? undefined : span;
    },
    start: ({ name, kind, attributes, links = [] }, parent) =>
      tracer.startSpan(
        name,
        {
          kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind],
          ...(attributes === undefined ? {} : { attributes }),
          links: links.map((span) => ({ context: span.spanContext() })),
        },
        parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent),
      ),
    within: (span, work) => spans.run(span, work),
    callerOf,
    traceparent,
    fail: (span, reason) => {
      span.setAttribute('error.type', reason).setStatus({ code: SpanStatusCode.ERROR });
    },
    stop: () => Promise.race([provider.shutdown().catch(() => {}), delay(STOP_MS)]),
  };
}

function createProvider(settings: TraceSettings, log: Log): TracerProvider {
  // Until it is constructed: what is wrong with a variable. Later a failed delivery would be reported every few seconds.
  const warn = (message: string) => log.warn({}, `traces: ${message}`);
  const nothing = () => {};
  diag.setLogger({ error: warn, warn, info: nothing, debug: nothing, verbose: nothing }, DiagLogLevel.WARN);
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector];
  const provider = new TracerProvider({
    sampler: samplerOf(settings),
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'tillseal', 'service.version': VERSION }))
      .merge(detectResources({ detectors })),
    spanLimits: { linkCountLimit: MAX_LINKS },
    spanProcessors: [
      new BatchSpanProcessor({ exporter: reporting(new OTLPTraceExporter(), log), ...batchingOf(settings) }),
    ],
  });
  diag.disable();
  return provider;
}

function batchingOf({ sampler: _sampler, ratio: _ratio, ...batching }: TraceSettings) {
  return batching;
}

function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const root = sampler.endsWith('ratio')
    ? new TraceIdRatioBasedSampler(ratio)
    : sampler.endsWith('off')
      ? new AlwaysOffSampler()
      : new AlwaysOnSampler();
  return sampler.startsWith('parentbased') ? new ParentBasedSampler({ root }) : root;
}

/** Says once that the collector cannot be reached, and once that it can be again. */
function reporting(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const { error } = result;
        const hasFailed = error !== undefined;
        if (hasFailed && !isFailing) log.warn({ err: error }, 'traces cannot be delivered and are lost');
        if (!hasFailed && isFailing) log.info({}, 'traces are delivered again');
        isFailing = hasFailed;
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
  const caller = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  if (!isSpanContextValid(caller) || (version === '00' && text.length !== PLAIN_LENGTH)) return undefined;
  return trace.wrapSpanContext(
    typeof tracestate === 'string' ? { ...caller, traceState: createTraceState(tracestate) } : caller,
  );
}

function traceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

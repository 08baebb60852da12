import type { Attributes, Span } from '@opentelemetry/api';

export type { Span } from '@opentelemetry/api';

/** A span to be. Names and attributes follow OpenTelemetry's conventions; never a value of a receipt, a payment or a person. */
export interface SpanStart {
  readonly name: string;
  readonly kind?: 'server' | 'client';
  readonly attributes?: Attributes;
  readonly links?: readonly Span[];
}

/** A call to another service. */
export interface OutgoingCall {
  readonly method: string;
  /** What is asked for, without the ids in its address. */
  readonly target?: string;
  readonly host: string;
}

/** What became of it: its status where one came, and why it failed if it did. */
export interface CallEnd {
  readonly status?: number | undefined;
  readonly failure?: string | undefined;
}

export interface Tracing {
  /** The span that this code runs in, until it ends; it may be one that is not recorded. */
  current(): Span | undefined;
  /** Undefined as the parent begins a new trace. */
  start(start: SpanStart, parent: Span | undefined): Span;
  within<Result>(span: Span | undefined, work: () => Result): Result;
  /** The span of a caller in another process, by its headers; undefined where they do not name one. */
  callerOf(headers: object): Span | undefined;
  /** The header that names the span to others. */
  traceparent(span: Span): string;
  fail(span: Span, reason: string): void;
  /** Sends what has been recorded, as far as that is possible in a moment. */
  stop(): Promise<void>;
}

/**
 * Undefined while nothing is traced, which is all that tracing then costs. One for the process, like the packages behind it: handed
 * through, it would be in every signature between a request and its statements.
 */
export let tracing: Tracing | undefined;

/** Returns what ends it. */
export function traceWith(given: Tracing): () => Promise<void> {
  tracing = given;
  return () => given.stop();
}

/** Work with a span. */
export function traced<Result>(
  start: SpanStart,
  parent: Span | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  return tracing === undefined ? work() : finish(tracing, tracing.start(start, parent), work);
}

/** The call is given the headers that continue the trace on the other side. */
export function tracedCall<Result>(
  { method, target, host }: OutgoingCall,
  call: (headers: Readonly<Record<string, string>>) => Promise<Result>,
  describe: (result: Result) => CallEnd,
): Promise<Result> {
  if (tracing === undefined) return call({});
  const name = target === undefined ? method : `${method} ${target}`;
  const attributes = { 'http.request.method': method, 'server.address': host };
  const span = tracing.start({ name, kind: 'client', attributes }, tracing.current());
  const headers = { traceparent: tracing.traceparent(span) };
  return finish(tracing, span, () => call(headers), describe);
}

/**
 * Work for several at once. Its span is in the trace of the first that is recorded; the others and it link to each other. None of
 * them recorded: no span, and no one's context.
 */
export function tracedBatch<Result>(
  name: string,
  askers: readonly (Span | undefined)[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (tracing === undefined) return work();
  const [first, ...others] = askers.filter((span) => span?.isRecording() === true);
  if (first === undefined) return tracing.within(undefined, work);
  const links = others.filter((span) => span !== undefined);
  const attributes = { 'tillseal.batch.size': askers.length };
  const batch = tracing.start({ name, attributes, links }, first);
  for (const span of links) span.addLink({ context: batch.spanContext() });
  return finish(tracing, batch, work);
}

/** For log lines; empty outside of every span. */
export function traceFields(): object {
  const context = tracing?.current()?.spanContext();
  if (context === undefined) return {};
  return { trace_id: context.traceId, span_id: context.spanId, trace_flags: `0${context.traceFlags}` };
}

/** A code or a name: a message may repeat a row. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error ? String(error.code) : error.name;
}

async function finish<Result>(
  own: Tracing,
  span: Span,
  work: () => Promise<Result>,
  describe?: (result: Result) => CallEnd,
): Promise<Result> {
  try {
    const result = await own.within(span, work);
    const { status, failure } = describe?.(result) ?? {};
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    if (failure !== undefined) own.fail(span, failure);
    return result;
  } catch (error) {
    own.fail(span, errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

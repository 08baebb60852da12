import { expect, test } from 'vitest';
import { readTraceSettings } from '../trace-settings.ts';
import { openTelemetry } from './open-telemetry.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

function open(sampler: string, ratio = '1') {
  const environment: Record<string, string> = {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_TRACES_SAMPLER: sampler,
    OTEL_TRACES_SAMPLER_ARG: ratio,
  };
  const settings = readTraceSettings((name) => environment[name]);
  if (settings === undefined) throw new Error('nothing would be traced');
  return openTelemetry(settings, quiet);
}

test.each([
  ['always_on', '1', [true, true, true]],
  ['always_off', '1', [false, false, false]],
  ['traceidratio', '1', [true, true, true]],
  ['traceidratio', '0', [false, false, false]],
  ['parentbased_always_on', '1', [true, true, true]],
  ['parentbased_always_off', '1', [false, false, false]],
  ['parentbased_traceidratio', '0', [false, false, false]],
])(
  '%s with %s records whatever the caller says: a new trace, a recorded caller, one that is not: %j',
  async (sampler, ratio, expected) => {
    const tracing = open(sampler, ratio);
    const callers = [undefined, ...['01', '00'].map((flags) => tracing.callerOf(`00-${TRACE}-${SPAN}-${flags}`, ''))];
    expect(callers.map((caller) => tracing.start({ name: 'for a test' }, caller).isRecording())).toEqual(expected);
    await tracing.stop();
  },
);

test.each(['traceidratio', 'parentbased_traceidratio'])(
  '%s bounds what is recorded of callers that ask for it, with a flag or an id that would be; what belongs to a request follows it',
  async (sampler) => {
    const tracing = open(sampler, '0.1');
    // Of all ids the first that a ratio takes.
    const caller = tracing.callerOf(`00-${'0'.repeat(31)}1-${SPAN}-01`, '');
    const requests = Array.from({ length: 2000 }, () => tracing.start({ name: 'a request' }, caller));
    const recorded = requests.filter((request) => request.isRecording());
    expect(recorded.length).toBeGreaterThan(100);
    expect(recorded.length).toBeLessThan(320);
    for (const request of requests.slice(0, 100)) {
      expect(request.spanContext().traceId).toBe(caller?.spanContext().traceId);
      expect(tracing.start({ name: 'a batch' }, request).isRecording()).toBe(request.isRecording());
    }
    await tracing.stop();
  },
);

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-01-more`, false],
  [`cc-${TRACE}-${SPAN}-01-more`, true],
  [`cc-${TRACE}-${SPAN}-01more`, false],
  [`ff-${TRACE}-${SPAN}-01`, false],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, false],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, false],
  [`00-${TRACE}-${SPAN}-1`, false],
  ['', false],
  [undefined, false],
])('traceparent %s names a caller: %s', async (header, isCaller) => {
  const tracing = open('always_off');
  const caller = tracing.callerOf(header, 'shop=1')?.spanContext();
  expect(caller?.traceId).toBe(isCaller ? TRACE : undefined);
  expect(caller?.traceState?.get('shop')).toBe(isCaller ? '1' : undefined);
  await tracing.stop();
});

test('work that a request set off is not its part any more when it has ended; the end does not wait long', async () => {
  const tracing = open('always_on');
  const span = tracing.start({ name: 'a request' }, undefined);
  tracing.within(span, () => {
    expect(tracing.current()).toBe(span);
    span.end();
    expect(tracing.current()).toBeUndefined();
  });
  // There is no collector to send it to.
  const stoppedAt = performance.now();
  await tracing.stop();
  expect(performance.now() - stoppedAt).toBeLessThan(5000);
});

import { expect, test } from 'vitest';
import { openTelemetry } from './open-telemetry.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('what a caller says of its own trace decides nothing: all is recorded, in the trace that it names', async () => {
  const tracing = openTelemetry(quiet);
  const callers = ['01', '00'].map((flags) => tracing.callerOf({ traceparent: `00-${TRACE}-${SPAN}-${flags}` }));
  for (const caller of [undefined, ...callers]) {
    const request = tracing.start({ name: 'a request' }, caller);
    expect(request.isRecording()).toBe(true);
    expect(request.spanContext().traceId).toBe(caller?.spanContext().traceId ?? request.spanContext().traceId);
    expect(tracing.start({ name: 'a batch' }, request).isRecording()).toBe(true);
  }
  await tracing.stop();
});

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
  const tracing = openTelemetry(quiet);
  const caller = tracing.callerOf({ traceparent: header, tracestate: 'shop=1' })?.spanContext();
  expect(caller?.traceId).toBe(isCaller ? TRACE : undefined);
  expect(caller?.traceState?.get('shop')).toBe(isCaller ? '1' : undefined);
  await tracing.stop();
});

test('work that a request set off is not its part any more when it has ended; the end does not wait long', async () => {
  const tracing = openTelemetry(quiet);
  const span = tracing.start({ name: 'a request' }, undefined);
  tracing.within(span, () => {
    expect(tracing.current()).toBe(span);
    span.end();
    expect(tracing.current()).toBeUndefined();
  });
  // There is no collector to send it to.
  const stoppedAt = performance.now();
  await tracing.stop();
  expect(performance.now() - stoppedAt).toBeLessThan(9000);
});

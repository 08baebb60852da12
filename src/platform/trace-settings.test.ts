import { expect, test } from 'vitest';
import { readSettings } from './settings.ts';
import { StartRefusal } from './start-refusal.ts';

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const tracesOf = (environment: Record<string, string>) => readSettings(environment).traces;

test.each([
  [{}],
  [{ OTEL_SERVICE_NAME: 'tills', OTEL_TRACES_SAMPLER: 'whatever' }],
  [{ ...COLLECTOR, OTEL_SDK_DISABLED: 'True' }],
  [{ ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
])('nothing is traced with %j', (environment) => {
  expect(tracesOf(environment)).toBeUndefined();
});

test.each([
  [COLLECTOR],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' }],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }],
])('with %j everything is traced, as the specification has it', (environment) => {
  expect(tracesOf(environment)).toEqual({
    sampler: 'parentbased_always_on',
    ratio: 1,
    batching: {
      scheduledDelayMillis: 5000,
      exportTimeoutMillis: 30_000,
      maxQueueSize: 2048,
      maxExportBatchSize: 512,
    },
  });
});

test('how much is traced, and how it is sent, can be set', () => {
  const sampler = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
  expect(tracesOf({ ...COLLECTOR, ...sampler, OTEL_BSP_MAX_QUEUE_SIZE: '100' })).toMatchObject({
    sampler: 'parentbased_traceidratio',
    ratio: 0.1,
    batching: { maxQueueSize: 100, maxExportBatchSize: 100 },
  });
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'an address such as http://collector.example.com:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'http/protobuf, which collectors take on port 4318'],
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'one of otlp, none'],
  ['OTEL_TRACES_SAMPLER', 'sometimes', 'one of always_on, always_off, traceidratio, parentbased_always_on'],
  ['OTEL_TRACES_SAMPLER_ARG', '10', 'a number from 0 to 1'],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '4096', 'a whole number from 1 to 2048'],
  ['OTEL_SDK_DISABLED', 'yes', 'one of true, false'],
])('%s=%s is refused in one line that says what it takes', (name, value, expected) => {
  const read = () => readSettings({ ...COLLECTOR, [name]: value });
  expect(read).toThrow(StartRefusal);
  expect(read).toThrow(`${name} must be ${expected}`);
});

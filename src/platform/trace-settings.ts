import { oneOf, webAddress, wholeNumber, yesOrNo } from './setting-values.ts';
import { StartRefusal } from './start-refusal.ts';

/**
 * The standard variables of OpenTelemetry that its packages do not read on their own. Where to, with which headers, certificates and
 * names is read by the exporter and by the resource.
 */
export interface TraceSettings {
  readonly sampler: SamplerName;
  /** Of the traces that begin here; only for the samplers that are named after it. */
  readonly ratio: number;
  readonly batching: Readonly<
    Record<'scheduledDelayMillis' | 'exportTimeoutMillis' | 'maxQueueSize' | 'maxExportBatchSize', number>
  >;
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

const PROTOCOL = 'http/protobuf';
const MAX_MS = 600_000;
const MAX_SPANS = 1_000_000;

/** Undefined unless a collector is named. */
export function readTraceSettings(given: (name: string) => string | undefined): TraceSettings | undefined {
  const exporter = given('OTEL_TRACES_EXPORTER');
  const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  const isNamed = exporter === 'otlp' || endpoints.some((name) => given(name) !== undefined);
  const isDisabled = yesOrNo('OTEL_SDK_DISABLED', given('OTEL_SDK_DISABLED')?.toLowerCase(), false);
  if (!isNamed || isDisabled || exporter === 'none') return undefined;
  oneOf('OTEL_TRACES_EXPORTER', exporter ?? 'otlp', ['otlp', 'none']);
  for (const name of endpoints) webAddress(name, given(name), 'http://collector.example.com:4318');
  const protocols = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
  const name = protocols.find((one) => given(one) !== undefined);
  if (name !== undefined && given(name) !== PROTOCOL) {
    throw new StartRefusal(`${name} must be ${PROTOCOL}, which collectors take on port 4318, got "${given(name)}".`);
  }
  const number = (name: string, otherwise: number, maximum: number) =>
    wholeNumber(name, given(name) ?? String(otherwise), 1, maximum);
  const maxQueueSize = number('OTEL_BSP_MAX_QUEUE_SIZE', 2048, MAX_SPANS);
  return {
    sampler: oneOf('OTEL_TRACES_SAMPLER', given('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on', SAMPLERS),
    ratio: readRatio('OTEL_TRACES_SAMPLER_ARG', given('OTEL_TRACES_SAMPLER_ARG') ?? '1'),
    batching: {
      scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY', 5000, MAX_MS),
      exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT', 30_000, MAX_MS),
      maxQueueSize,
      maxExportBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', Math.min(512, maxQueueSize), maxQueueSize),
    },
  };
}

function readRatio(name: string, text: string): number {
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new StartRefusal(`${name} must be a number from 0 to 1, such as 0.1 for every tenth trace, got "${text}".`);
}

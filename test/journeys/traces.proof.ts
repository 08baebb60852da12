import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.ts';
import { copyDemo } from '../support/prepared-demo.ts';
import { Machine, readDemoFile, type ServiceProcess, spawnService, until } from '../support/process.ts';
import { nowInvoice } from '../support/receipts/load.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

const machine = new Machine();
let collector: Collector;
let service: ServiceProcess;
let demo: Awaited<ReturnType<typeof readDemoFile>>;

beforeAll(async () => {
  collector = await startCollector();
  const dataDir = await copyDemo(join(await machine.folder(), 'data'));
  service = machine.start({
    DATA_DIR: dataDir,
    SUBMISSION_WAIT_MS: '20000',
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=secret',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_SERVICE_NAME: 'tillseal-harare',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  await service.ready;
  demo = await readDemoFile(dataDir);
});
afterAll(async () => {
  await machine.end();
  await collector.close();
});

/** In two pieces, as over a slow line: the second arrives in the context of the connection. */
async function* pieces(body: string) {
  yield Buffer.from(body.slice(0, 100));
  await delay(50);
  yield Buffer.from(body.slice(100));
}

function sign(reference: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${demo.baseUrl}/api/receipt/sign`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.taxpayer.token}`, 'content-type': 'application/json', ...headers },
    body: ReadableStream.from(pieces(JSON.stringify(nowInvoice(demo.deviceId, reference)))),
    duplex: 'half',
  });
}

const traceIdOf = (answer: Response) => answer.headers.get('traceresponse')?.split('-')[1] ?? '';
const traceOf = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);
const named = (name: string, spans: readonly CollectedSpan[]) => spans.filter((span) => span.name === name);

async function only(name: string, traceId: string, parentId?: string): Promise<CollectedSpan> {
  const found = () => named(name, traceOf(traceId)).filter((span) => (parentId ?? span.parentId) === span.parentId);
  await until(() => found().length > 0, `${name} is collected`);
  const [span] = found();
  if (span === undefined || found().length > 1) throw new Error(`${found().length} spans of the name ${name}`);
  return span;
}

/** In its own trace, or in that of another receipt of the batch. */
function batchesOf(request: CollectedSpan): CollectedSpan[] {
  const batches = named('seal receipts', collector.spans);
  return batches.filter(({ spanId, parentId }) => parentId === request.spanId || request.links.includes(spanId));
}

test("a receipt is one trace: the caller's, the request, its batch, the authority's answer", async () => {
  const answer = await sign('TRACE-1', { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: 'shop=1' });
  expect(answer.status).toBe(200);
  const request = await only('POST /api/receipt/sign', TRACE);
  expect(answer.headers.get('traceresponse')).toBe(`00-${TRACE}-${request.spanId}-01`);
  expect(request).toMatchObject({
    parentId: CALLER,
    kind: 'server',
    hasFailed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/receipt/sign',
      'http.response.status_code': 200,
      'http.response.header.x-request-id': [answer.headers.get('x-request-id')],
    },
    resource: { 'service.name': 'tillseal-harare', 'deployment.environment.name': 'test' },
  });
  const [batch] = batchesOf(request);
  if (batch === undefined) throw new Error('its batch was not collected');
  const submission = await only('submit receipt', TRACE, request.spanId);
  expect(submission.attributes).toMatchObject({ 'tillseal.device.id': demo.deviceId });
  const call = await only('POST SubmitReceipt', TRACE, submission.spanId);
  expect(call).toMatchObject({ kind: 'client', attributes: { 'http.response.status_code': 200 } });
  await only('record acceptances', TRACE, submission.spanId);

  const { calls } = (await (await fetch(`${demo.simulator.controlUrl}/calls?operation=SubmitReceipt`)).json()) as {
    calls: { traceparent?: string }[];
  };
  expect(calls.map(({ traceparent }) => traceparent)).toContain(`00-${TRACE}-${call.spanId}-01`);
  expect(collector.requests[0]).toMatchObject({ 'x-collector-key': 'secret' });
  // Nothing of a receipt, and no address with one in it.
  expect(JSON.stringify(collector.spans)).not.toContain('TRACE-1');
});

test('its log lines name the trace', async () => {
  const lines = service
    .stdout()
    .split('\n')
    .filter((line) => line.includes(TRACE))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const request = await only('POST /api/receipt/sign', TRACE);
  const call = await only('POST SubmitReceipt', TRACE);
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'answered', span_id: request.spanId, trace_flags: '01' }),
  );
  const submitted = expect.objectContaining({ operation: 'SubmitReceipt', span_id: call.parentId });
  expect(lines).toContainEqual(submitted);
});

test('receipts that share a batch link to it, and it to them', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => sign(`TOGETHER-${index}`)));
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  const requests = await Promise.all(answers.map((answer) => only('POST /api/receipt/sign', traceIdOf(answer))));
  expect(requests.some(({ links }) => links.length > 0)).toBe(true);
  for (const request of requests) {
    const [batch, ...more] = batchesOf(request);
    expect(more).toEqual([]);
    expect([batch?.parentId, ...(batch?.links ?? [])]).toContain(request.spanId);
  }
});

test('a caller that does not record its own part is recorded here all the same, and a header that is none begins a new trace', async () => {
  const unsampled = TRACE.replace('4b', '5c');
  const answer = await sign('TRACE-2', { traceparent: `00-${unsampled}-${CALLER}-00` });
  expect(answer.headers.get('traceresponse')).toMatch(new RegExp(`^00-${unsampled}-[0-9a-f]{16}-01$`));
  expect(await only('POST /api/receipt/sign', unsampled)).toMatchObject({ parentId: CALLER });
  const wrong = await sign('TRACE-3', { traceparent: `00-${'0'.repeat(32)}-${CALLER}-01` });
  expect(await only('POST /api/receipt/sign', traceIdOf(wrong))).toMatchObject({ parentId: '' });
});

test('a webhook has the trace of its delivery', async () => {
  const asOperator = async (method: string, path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${demo.operator.token}` };
    return (await fetch(`${demo.baseUrl}/api/admin/webhook-deliveries${path}`, { method, headers })).json();
  };
  const { Deliveries } = (await asOperator('GET', '')) as { Deliveries: { DeliveryId: string }[] };
  const received = async () =>
    (await (await fetch(`${demo.simulator.controlUrl}/webhooks`)).json()) as { headers: Record<string, string> }[];
  const before = (await received()).length;
  await asOperator('POST', `/${Deliveries[0]?.DeliveryId}/resend`);
  await until(async () => (await received()).length > before, 'the webhook is sent again');
  const [, traceId = '', spanId] = (await received())[0]?.headers['traceparent']?.split('-') ?? [];
  expect(await only('POST', traceId)).toMatchObject({ spanId, kind: 'client' });
});

test('a collector that went away is reported once, and neither a receipt nor the end waits for it', async () => {
  await collector.close();
  const complaints = () => service.stdout().split('traces cannot be delivered').length - 1;
  for (let count = 0; complaints() === 0 || count < 3; count += 1) {
    expect((await sign(`ALONE-${count}`)).status).toBe(200);
  }
  expect(await service.stop()).toBe(0);
  expect(complaints()).toBe(1);
});

test('OpenTelemetry is loaded only where a collector is named', async () => {
  const other = await startCollector();
  const program = 'src/main.ts';
  const hooks = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => {
      if (/@opentelemetry.(sdk-trace|exporter)/.test(url)) process.stderr.write('loaded ' + url + '\\n');
      return next(url, context);
    } });`;
  const nodeOptions = ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`];
  // A taken port ends it as soon as everything is loaded.
  const start = async (environment: Record<string, string>) => {
    const refused = spawnService({ PORT: new URL(other.url).port, ...environment }, { nodeOptions, program });
    expect(await refused.ended).toBe(1);
    expect(refused.stderr()).toContain('is taken');
    return refused.stderr().includes('loaded');
  };
  const named = { OTEL_EXPORTER_OTLP_ENDPOINT: other.url };
  expect(await Promise.all([start({}), start(named)])).toEqual([false, true]);
  await other.close();
});

import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getMetrics } from '../../contract/platform/health.ts';
import { eventRoutes } from '../events/event-routes.ts';
import { createLogger } from '../logging/logger.ts';
import { BODY_LIMIT_BYTES, createHttpApp } from './app.ts';
import { route } from './route.ts';

const lines: string[] = [];
const log = createLogger('info', { write: (line: string) => lines.push(line) });
const app = createHttpApp({ log, publicUrl: 'https://tills.example.com' });
const schema = { body: Type.Object({ Amount: Type.Number() }, { additionalProperties: false }) };
app.post('/api/thing', { schema, handler: () => ({ Done: true }) });
app.get('/api/thing/:name', (request) => request.params);
app.put('/api/thing/:name', () => ({}));
app.get('/api/fails', () => {
  throw new Error('select secret from table');
});
app.get('/api/down', () => {
  throw Object.assign(new Error('connect ECONNREFUSED /secret/socket'), { code: 'ECONNREFUSED' });
});
app.get('/api/refused/:code', (request) => {
  throw Object.assign(new Error('canceling statement'), request.params);
});
route(
  app,
  () => undefined,
  getMetrics,
  async ({ reply }) => reply.type('text/plain').send(await Promise.resolve('one 1')),
);
const polls = new EventEmitter();
eventRoutes(
  app,
  {
    list: async () => Promise.resolve([]),
    watch: {
      watch: () => {
        polls.emit('waits');
        return () => polls.emit('over');
      },
      stop: () => {},
    },
  },
  [
    {
      kind: 'taxpayer',
      judges: () => true,
      authenticate: async () =>
        Promise.resolve({ kind: 'known', identity: { tenantId: 'one', tokenId: 'one', name: 'till' } }),
    },
  ],
);

let base: string;
beforeAll(async () => {
  base = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly Code: string;
  readonly requestId: string;
  readonly errors?: readonly { readonly Field: string; readonly Code: string; readonly Message: string }[];
}

/** Every refusal has the same form: its status, its code, where it is explained, and the request's id twice. */
async function expectProblem(answer: Response, status: number, code: string): Promise<Problem> {
  const problem = (await answer.json()) as Problem;
  expect([answer.status, problem.Code], JSON.stringify(problem)).toEqual([status, code]);
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(problem).toMatchObject({ type: `https://tills.example.com/docs/errors#${code}`, status });
  expect([problem.title, problem.detail].every((text) => text.length > 0)).toBe(true);
  expect(problem.requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get('x-request-id')).toBe(problem.requestId);
  return problem;
}

function post(body: string | Uint8Array<ArrayBuffer> | undefined, type: string | undefined = 'application/json') {
  return fetch(`${base}/api/thing`, {
    method: 'POST',
    ...(body === undefined ? {} : { body }),
    headers: type === '' ? {} : { 'content-type': type },
  });
}

test('a good request is answered with its own request id', async () => {
  const answers = await Promise.all([post('{"Amount":1}'), post('{"Amount":1}', 'application/json; charset=utf-8')]);
  for (const answer of answers) expect([answer.status, await answer.json()]).toEqual([200, { Done: true }]);
  const ids = answers.map((answer) => answer.headers.get('x-request-id'));
  expect(ids[0]).not.toBe(ids[1]);
});

test.each([
  ['/nothing/of/the/kind', 'There is nothing at this address. All'],
  ['/api/things', 'There is nothing at this address. Did you mean POST /api/thing? All'],
  ['/api/Thing/kettle/?x=secret', 'There is nothing at this address. Did you mean GET /api/thing/kettle? All'],
  [
    '/api/thing/a/b',
    'There is nothing at this address. A slash inside a reference is sent as %2F. Did you mean GET /api/thing/a%2Fb? All',
  ],
])('an unknown address is 404 and names the one that is there: %s', async (path, detail) => {
  const problem = await expectProblem(await fetch(base + path), 404, 'NoSuchAddress');
  expect(problem.detail).toBe(`${detail} addresses are listed at /docs.`);
});

test.each([
  ['GET', '/api/thing', 'POST'],
  ['DELETE', '/api/thing/kettle', 'GET, PUT'],
  ['POST', '/api/thing/a%2Fb?x=1', 'GET, PUT'],
])('a known address with another method is 405 and says which it takes: %s %s', async (method, path, allowed) => {
  const answer = await fetch(base + path, { method });
  await expectProblem(answer, 405, 'MethodNotAllowed');
  expect(answer.headers.get('allow')?.replace('GET, HEAD', 'GET')).toBe(allowed);
});

test('a body over one mebibyte is 413, with and without its length told', async () => {
  const large = `{"Amount":1${' '.repeat(BODY_LIMIT_BYTES)}}`;
  await expectProblem(await post(large), 413, 'BodyTooLarge');
  const stream = new Blob([large]).stream();
  const chunked = await fetch(`${base}/api/thing`, {
    method: 'POST',
    body: stream,
    headers: { 'content-type': 'application/json' },
    duplex: 'half',
  });
  await expectProblem(chunked, 413, 'BodyTooLarge');
  expect((await post(`{"Amount":1${' '.repeat(BODY_LIMIT_BYTES - 12)}}`)).status).toBe(200);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense'])(
  'another content type is 415: %s',
  async (type) => {
    await expectProblem(await post('{"Amount":1}', type), 415, 'UnsupportedMediaType');
  },
);

test('a body without a content type is 415', async () => {
  await expectProblem(await post(new Uint8Array(Buffer.from('{"Amount":1}')), ''), 415, 'UnsupportedMediaType');
});

test.each([
  ['an empty body', ''],
  ['an open brace', '{'],
  ['text after the document', '{"Amount":1} x'],
  ['a duplicate key', '{"Amount":1,"Amount":2}'],
  ['a zero character', '{"Amount":1,"A\\u0000":1}'],
  ['a lone surrogate', '{"Amount":1,"\\ud800":1}'],
  ['a byte order mark', '\ufeff{"Amount":1}'],
])('malformed JSON is 400: %s', async (_name, body) => {
  await expectProblem(await post(body), 400, 'MalformedJson');
});

test('invalid UTF-8 is 400', async () => {
  const bytes = Uint8Array.from([...Buffer.from('{"Amount":1,"'), 0xc3, 0x28, ...Buffer.from('":1}')]);
  await expectProblem(await post(bytes), 400, 'MalformedJson');
});

test('no body at all is 400, with a content type and without one', async () => {
  await expectProblem(await post(undefined, ''), 400, 'MalformedJson');
  await expectProblem(await post(undefined), 400, 'MalformedJson');
});

test.each([
  ['a list', '[]', '(body)', 'WrongType'],
  ['null', 'null', '(body)', 'WrongType'],
  ['a number', '1', '(body)', 'WrongType'],
  ['a missing key', '{}', 'Amount', 'Required'],
  ['a number as text', '{"Amount":"1"}', 'Amount', 'WrongType'],
  ['null for a number', '{"Amount":null}', 'Amount', 'WrongType'],
  ['an unknown key', '{"Amount":1,"Amuont":2}', 'Amuont', 'UnknownField'],
])('JSON of another shape is 400 with the path: %s', async (_name, body, Field, Code) => {
  const { errors } = await expectProblem(await post(body), 400, 'InvalidRequest');
  expect(errors).toMatchObject([{ Field, Code }]);
});

test('bad percent-encoding is 400, and good percent-encoding is decoded once', async () => {
  await expectProblem(await rawGet('/api/thing/%zz'), 400, 'InvalidRequest');
  await expectProblem(await rawGet('/api/thing/%E0%A4%A'), 400, 'InvalidRequest');
  expect(await (await rawGet('/api/thing/a%252Fb%2Fc')).json()).toEqual({ name: 'a%2Fb/c' });
});

test('a failure is 500 that says nothing but its request id, and the log has the rest', async () => {
  const answer = await fetch(`${base}/api/fails`);
  const { requestId, detail } = await expectProblem(answer, 500, 'InternalError');
  expect(detail).not.toMatch(/select|secret|table/);
  const logged = lines.find((line) => line.includes(requestId) && line.includes('a request failed'));
  expect(logged).toContain('select secret from table');
});

test('a database that is away is 503 with Retry-After, and hides where it is', async () => {
  const answer = await fetch(`${base}/api/down`);
  const { detail } = await expectProblem(answer, 503, 'Unavailable');
  expect(answer.headers.get('retry-after')).toBe('2');
  expect(detail).not.toContain('socket');
});

test.each(['57014', '55P03', '40001', '40P01', '25P03', '25P04'])(
  'a statement that somebody or a limit of the database ended is 503, not a mistake of ours: %s',
  async (code) => {
    const answer = await fetch(`${base}/api/refused/${code}`);
    await expectProblem(answer, 503, 'Unavailable');
    expect(answer.headers.get('retry-after')).toBe('2');
  },
);

test('an answer that its handler sends, and a waiting poll whose client hangs up, leave no line in the log', async () => {
  const before = lines.length;
  expect(await (await fetch(`${base}/metrics`)).text()).toBe('one 1');
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  const waits = once(polls, 'waits');
  socket.write('GET /api/events?wait=30 HTTP/1.1\r\nHost: tills\r\n\r\n');
  await waits;
  const over = once(polls, 'over');
  socket.destroy();
  await over;
  // Later than whatever the poll had to say.
  await fetch(`${base}/api/thing/kettle`);
  expect(lines.slice(before)).toEqual([]);
});

test('who asks a service that is stopping is told so in our own form on a connection that is in use; who watches it is answered', async () => {
  const stopping = createHttpApp({ log, publicUrl: 'https://tills.example.com' });
  const work = Promise.withResolvers<void>();
  stopping.get('/api/slow', async () => {
    await work.promise;
    return { Done: true };
  });
  stopping.get('/health/ready', () => ({ Status: 'stopping' }));
  const { hostname, port } = new URL(await stopping.listen({ host: '127.0.0.1', port: 0 }));
  const ask = async (socket: Socket, path: string) => {
    const isHeard = once(stopping.server, 'request');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: tills\r\n\r\n`);
    await isHeard;
  };
  const [till, watcher] = [connect(Number(port), hostname), connect(Number(port), hostname)];
  const texts = [till, watcher].map((socket) => text(socket));
  for (const socket of [till, watcher]) await ask(socket, '/api/slow');
  const closing = stopping.close();
  await ask(till, '/api/slow');
  await ask(watcher, '/health/ready');
  work.resolve();
  await closing;
  const [toTill, toWatcher] = (await Promise.all(texts)).map((all) => all.split(/(?=HTTP\/1\.1 )/));
  expect(toTill?.map((answer) => answer.slice(9, 12))).toEqual(['200', '503']);
  expect(toWatcher?.at(-1)).toContain('{"Status":"stopping"}');
  const [head = '', body = ''] = toTill?.at(-1)?.split('\r\n\r\n') ?? [];
  const problem = JSON.parse(body) as Problem;
  expect(problem).toMatchObject({ Code: 'Unavailable', type: 'https://tills.example.com/docs/errors#Unavailable' });
  expect(head.toLowerCase().split('\r\n')).toEqual(
    expect.arrayContaining(['connection: close', 'retry-after: 1', `x-request-id: ${problem.requestId}`]),
  );
});

test('a flood of refusals does not fill the log', async () => {
  const before = lines.length;
  for (let count = 0; count < 300; count += 1) await app.inject({ url: '/nothing-here' });
  expect(lines.length - before).toBeLessThan(200);
});

test('the log names routes, not addresses: a query may hold anything', async () => {
  await fetch(`${base}/api/thing?token=secret-in-a-query`);
  await rawGet('/api/thing/%zz-secret-in-a-path');
  expect(lines.join('')).not.toContain('secret-in-a');
});

/** Without the tidying that fetch does to an address. */
function rawGet(path: string): Promise<Response> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: tills\r\nConnection: close\r\n\r\n`);
    });
    socket.setEncoding('utf8').on('data', (part: string) => {
      received += part;
    });
    socket.once('error', reject).once('close', () => {
      const [head = '', body = ''] = received.split('\r\n\r\n', 2);
      const [first = '', ...rest] = head.split('\r\n');
      const headers = rest.map((line): [string, string] => [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 1).trim(),
      ]);
      resolve(new Response(body, { status: Number(first.split(' ')[1]), headers }));
    });
  });
}

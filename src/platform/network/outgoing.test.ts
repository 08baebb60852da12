import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { KEPT_MS } from './kept-clients.ts';
import { createOutgoing, type OutgoingOptions, type OutgoingRequest } from './outgoing.ts';

const servers: { close(): void; closeAllConnections?: () => void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections?.();
  }
});

async function listen(answer: RequestListener, host = '127.0.0.1'): Promise<{ port: number; server: Server }> {
  const server = createServer(answer).listen(0, host);
  servers.push(server);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server };
}

function send(url: string, options: Partial<OutgoingOptions> = {}, request: Partial<OutgoingRequest> = {}) {
  return createOutgoing({ allowsPrivate: true, ...options }).send({
    url,
    headers: { 'Content-type': 'application/json' },
    body: '[]',
    timeoutMs: 50_000,
    answerBytes: 1024,
    ...request,
  });
}

test('posts what it is given and answers with status and body', async () => {
  const seen: string[] = [];
  const { port } = await listen((request, response) => {
    seen.push(`${request.method} ${request.url}`, ...request.rawHeaders);
    response.writeHead(418).end('short and stout');
  });
  const outcome = await send(`http://127.0.0.1:${port}/hook?a=1`);
  expect(outcome).toEqual({ kind: 'answered', status: 418, answer: Buffer.from('short and stout') });
  expect(seen[0]).toBe('POST /hook?a=1');
  expect(seen).toContain('Content-type');
  expect(seen).toContain('application/json');
});

test('a name is connected to at the very address that was checked, and looked up once', async () => {
  const { port } = await listen((_request, response) => response.end('inside'));
  const answers = ['127.0.0.1', '10.0.0.1'];
  let lookups = 0;
  const resolve = () => {
    lookups += 1;
    return Promise.resolve([{ address: answers.shift() ?? '', family: 4 }]);
  };
  const outcome = await send(`http://rebinding.example:${port}/`, { resolve });
  expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
  expect(lookups).toBe(1);
});

test('a name that leads inside is refused, and nothing is connected to', async () => {
  let connections = 0;
  const { port, server } = await listen((_request, response) => response.end('inside'));
  server.on('connection', () => {
    connections += 1;
  });
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    const resolve = () => Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]);
    const outcome = await send(`http://vendor.example:${port}/`, { allowsPrivate: false, resolve });
    const reason = 'does not lead to a public address';
    expect(outcome).toEqual({ kind: 'failed', reason, status: undefined });
  }
  for (const url of [`http://127.0.0.1:${port}/`, `http://2130706433:${port}/`, `http://[::ffff:7f00:1]:${port}/`]) {
    expect(await send(url, { allowsPrivate: false })).toMatchObject({ kind: 'failed' });
  }
  expect(await send(`http://localhost:${port}/`, { allowsPrivate: false })).toMatchObject({ kind: 'failed' });
  expect(connections).toBe(0);
});

test('one address inside among many outside is enough to refuse', async () => {
  const resolve = () =>
    Promise.resolve([
      { address: '93.184.216.34', family: 4 },
      { address: '10.0.0.7', family: 4 },
    ]);
  const outcome = await send('http://vendor.example/', { allowsPrivate: false, resolve });
  expect(outcome).toMatchObject({ kind: 'failed', reason: 'does not lead to a public address' });
});

/** Whose connections are kept, and how many were made. */
async function keeping(answer: RequestListener) {
  let connections = 0;
  const lookups: string[] = [];
  const { port, server } = await listen(answer);
  server.on('connection', () => {
    connections += 1;
  });
  const addresses = ['127.0.0.1'];
  const resolve = (name: string) => {
    lookups.push(name);
    return Promise.resolve(addresses.map((address) => ({ address, family: 4 })));
  };
  const outgoing = createOutgoing({ allowsPrivate: true, resolve });
  const sendTo = (connectionOf: string | undefined, name = 'shop.example') =>
    outgoing.send({
      url: `http://${name}:${port}/`,
      headers: {},
      body: '[]',
      timeoutMs: 50_000,
      answerBytes: 10,
      connectionOf,
    });
  return { outgoing, server, sendTo, addresses, lookups, connections: () => connections };
}

test('requests of one endpoint share a connection, whose address was checked once; of no other', async () => {
  const { outgoing, sendTo, lookups, connections } = await keeping((_request, response) =>
    response.end('a longer answer'),
  );
  for (let time = 0; time < 3; time += 1) {
    expect(await sendTo('one')).toMatchObject({ status: 200, answer: Buffer.from('a longer a') });
  }
  expect([connections(), lookups.length]).toEqual([1, 1]);
  await sendTo('another');
  await sendTo(undefined);
  await sendTo(undefined);
  expect([connections(), lookups.length]).toEqual([4, 4]);
  outgoing.close();
});

test('a kept connection is closed on demand, for another address and after a minute, and the next one is checked again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { outgoing, server, sendTo, addresses, connections } = await keeping((_request, response) => response.end());
    const openCount = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    await sendTo('one');
    outgoing.forget('one');
    await sendTo('one');
    await sendTo('one', 'elsewhere.example');
    expect(connections()).toBe(3);
    await vi.advanceTimersByTimeAsync(KEPT_MS);
    await vi.waitUntil(async () => (await openCount()) === 0, { timeout: 50_000 });
    addresses.push('169.254.169.254');
    expect(await sendTo('one', 'elsewhere.example')).toMatchObject({ kind: 'failed' });
    expect(connections()).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});

test('a receiver that closes a kept connection as it is used again gets the request over a new one', async () => {
  let requests = 0;
  const { outgoing, sendTo, connections } = await keeping((request, response) => {
    requests += 1;
    if (requests === 2) request.socket.destroy();
    else response.end();
  });
  await sendTo('one');
  expect(await sendTo('one')).toMatchObject({ status: 200 });
  expect([requests, connections()]).toEqual([3, 2]);
  outgoing.close();
});

test('an answer carries how long its sender wants to be left alone', async () => {
  const { port } = await listen((_request, response) => response.writeHead(429, { 'retry-after': '120' }).end());
  expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 429, retryAfter: '120' });
});

test('a redirect is an answer like any other', async () => {
  let isFollowed = false;
  const target = await listen((_request, response) => {
    isFollowed = true;
    response.end();
  });
  const { port } = await listen((_request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${target.port}/` }).end();
  });
  expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'answered', status: 302 });
  expect(isFollowed).toBe(false);
});

test('an endless answer is cut after what is kept', async () => {
  const { port } = await listen((_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', write);
    write();
  });
  const outcome = await send(`http://127.0.0.1:${port}/`);
  expect(outcome).toEqual({ kind: 'answered', status: 200, answer: Buffer.alloc(1024, 'x') });
});

test.each([
  ['never accepts the request', () => {}],
  ['sends a head and no body', (response: Parameters<RequestListener>[1]) => void response.write('never ends')],
] as const)('the deadline holds for a server that %s', async (_name, answer) => {
  const { port } = await listen((_request, response) => answer(response));
  const outcome = await send(`http://127.0.0.1:${port}/`, {}, { timeoutMs: 150 });
  expect(outcome).toMatchObject({ kind: 'failed', reason: 'no whole answer within 0.15 s' });
});

test('the deadline holds for a server that sends one byte of its head after the other', async () => {
  const server = createTcpServer((socket) => {
    const timer = setInterval(() => socket.write('H'), 20);
    socket.on('error', () => {}).on('close', () => clearInterval(timer));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect(await send(url, {}, { timeoutMs: 200 })).toMatchObject({ kind: 'failed' });
});

test('the deadline holds for a name that is never looked up to the end', async () => {
  const resolve = () => new Promise<never>(() => {});
  const outcome = await send('http://vendor.example/', { resolve }, { timeoutMs: 100 });
  expect(outcome).toMatchObject({ kind: 'failed', reason: 'no whole answer within 0.1 s' });
});

test('what went wrong is said in words', async () => {
  const { port, server } = await listen((request) => request.socket.destroy());
  expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ reason: 'the connection was cut (UND_ERR_SOCKET)' });
  server.close();
  await once(server, 'close');
  expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ reason: 'refuses connections (ECONNREFUSED)' });
  const resolve = () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }));
  expect(await send('http://nobody.example/', { resolve })).toMatchObject({
    reason: 'the name is unknown (ENOTFOUND)',
  });
});

test('what is stopped before it begins is not sent', async () => {
  let requests = 0;
  const { port } = await listen(() => {
    requests += 1;
  });
  const outcome = await send(`http://127.0.0.1:${port}/`, {}, { signal: AbortSignal.abort() });
  expect(outcome).toMatchObject({ kind: 'failed', reason: 'the service was stopped before the answer came' });
  expect(requests).toBe(0);
});

import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  gatewayBench,
  newIdentity,
  receiptAnswer,
  sampleReceipt,
  until,
} from '../../../test/support/authority/gateway.ts';
import { answering, createTestCa, startAuthorityServer } from '../../../test/support/authority/server.ts';

describe('a lost answer may have arrived', () => {
  test('when the connection is cut before the answer', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith((_request, _response, socket) => socket.destroy());
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: true });
    expect(bench.server.requests).toHaveLength(1);
  });

  test('when the connection is cut in the middle of it', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith((_request, response, socket) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write(JSON.stringify(receiptAnswer).slice(0, 50), () => socket.destroy());
    });
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: true });
  });

  test('when no answer comes in time', async () => {
    await using bench = await gatewayBench({ timeoutMs: 5_000 });
    bench.server.respondWith(() => undefined);
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(answer).toEqual({ kind: 'unavailable', reason: 'no answer within 5 s', mayHaveArrived: true });
  });

  test('when the answer drips: the deadline is for all of it', async () => {
    await using bench = await gatewayBench({ timeoutMs: 5_000 });
    bench.server.respondWith((_request, response) => {
      response.writeHead(200);
      const dripping = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(dripping));
    });
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: true });
  });

  test('when it is far too long', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith(answering(`"${'x'.repeat(2 * 1024 * 1024)}"`));
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: true });
  });

  test('and the next call goes through on a new connection', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith((_request, _response, socket) => socket.destroy());
    await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    bench.server.respondWith(answering(receiptAnswer));
    expect(await bench.gateway.submitReceipt(bench.device, sampleReceipt)).toMatchObject({ kind: 'answered' });
    const [first, second] = bench.server.requests;
    expect(second?.body).toBe(first?.body);
  });
});

describe('what never left cannot have arrived', () => {
  test('connection refused', async () => {
    await using bench = await gatewayBench();
    await bench.server.close();
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    const reason = 'the authority refuses connections (ECONNREFUSED)';
    expect(answer).toEqual({ kind: 'unavailable', reason, mayHaveArrived: false });
  });

  test('a host name nobody knows', async () => {
    await using bench = await gatewayBench({ url: 'https://authority.invalid' });
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: false });
  });

  test('a server that accepts and then says nothing', async () => {
    await using silent = await listen(() => undefined);
    await using bench = await gatewayBench({ url: silent.url, timeoutMs: 300 });
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: false });
  });

  test('a server that speaks no TLS', async () => {
    await using plain = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    await using bench = await gatewayBench({ url: plain.url });
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: false });
  });
});

describe('the server certificate', () => {
  test('of another CA is refused before anything is said', async () => {
    const strangers = await createTestCa('CN=Another CA');
    const server = await startAuthorityServer(strangers);
    await using bench = await gatewayBench({ url: server.url });
    const answers = [
      await bench.gateway.submitReceipt(bench.device, sampleReceipt),
      await bench.gateway.registerDevice(187, { activationKey: '12345678', certificateRequest: 'PEM' }),
    ];
    for (const answer of answers) {
      const reason = expect.stringContaining("the authority's server certificate is not trusted");
      expect(answer).toEqual({ kind: 'unavailable', reason, mayHaveArrived: false });
    }
    expect(server.requests).toHaveLength(0);
    await server.close();
  });

  test('of a public CA is refused as well when a bundle is configured, and ours when none is', async () => {
    await using bench = await gatewayBench({ caPem: undefined });
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: false });
    expect(bench.server.requests).toHaveLength(0);
  });

  test('for another host is refused', async () => {
    await using bench = await gatewayBench({}, { names: ['authority.example'] });
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    const reason = expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(answer).toEqual({ kind: 'unavailable', reason, mayHaveArrived: false });
  });
});

test('a device certificate the server ends the handshake over reaches no request', async () => {
  await using bench = await gatewayBench({}, { refusesStrangers: true });
  const strangers = await createTestCa('CN=Another CA');
  const answer = await bench.gateway.submitReceipt(await newIdentity(strangers, 187), sampleReceipt);
  expect(answer).toMatchObject({ kind: 'unavailable' });
  expect(bench.server.requests).toHaveLength(0);
});

test('a device has one connection, over which its calls go one after another', async () => {
  await using bench = await gatewayBench();
  bench.server.respondWith(answering({ operationID: 'x', reportingFrequency: 5 }));
  const answers = await Promise.all([bench.gateway.ping(bench.device), bench.gateway.ping(bench.device)]);
  expect(answers).toMatchObject([{ kind: 'answered' }, { kind: 'answered' }]);
  expect(bench.server.connections()).toBe(1);
});

test('closing lets what is under way finish, and what comes after is told so', async () => {
  await using bench = await gatewayBench();
  bench.server.respondWith((_request, response) => {
    setTimeout(() => response.end(JSON.stringify(receiptAnswer)), 100);
  });
  const underWay = bench.gateway.submitReceipt(bench.device, sampleReceipt);
  await until(() => bench.server.requests.length === 1);
  await bench.gateway.close();
  expect(await underWay).toMatchObject({ kind: 'answered' });
  const late = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
  expect(late).toEqual({ kind: 'unavailable', reason: 'the gateway is closed', mayHaveArrived: false });
});

describe('the log', () => {
  const SECRET = 'ACTIVATE';

  test('tells operation, device and operationID: info for a refusal, debug for the rest', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith(answering({ errorCode: 'RCPT01', status: 422, operationID: 'op-refused' }, 422));
    await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    bench.server.respondWith(answering({ operationID: 'op-answered', reportingFrequency: 5 }));
    await bench.gateway.ping(bench.device);
    bench.server.respondWith(answering({ operationID: 'op-failed' }, 500));
    await bench.gateway.status(bench.device);
    const common = { deviceId: 187, durationMs: expect.any(Number) };
    expect(bench.logged.map(({ level, fields }) => ({ level, ...fields }))).toEqual([
      {
        ...common,
        level: 'info',
        operation: 'SubmitReceipt',
        operationId: 'op-refused',
        status: 422,
        errorCode: 'RCPT01',
      },
      { ...common, level: 'debug', operation: 'Ping', operationId: 'op-answered' },
      { ...common, level: 'debug', operation: 'GetStatus', operationId: 'op-failed', reason: expect.any(String) },
    ]);
  });

  test('holds no key, certificate, activation key, buyer or words of the authority', async () => {
    await using bench = await gatewayBench();
    const echo = `buyer@example.com is no address; key ${SECRET}`;
    for (const status of [200, 400, 500]) {
      bench.server.respondWith(answering({ status, title: echo, detail: echo, operationID: 'op' }, status));
      await bench.gateway.registerDevice(187, { activationKey: SECRET, certificateRequest: 'PEM-OF-REQUEST' });
      await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    }
    await bench.server.close();
    await bench.gateway.registerDevice(187, { activationKey: SECRET, certificateRequest: 'PEM-OF-REQUEST' });
    const text = JSON.stringify(bench.logged);
    expect(bench.logged).toHaveLength(7);
    for (const secret of [SECRET, 'PEM', 'BEGIN', 'PRIVATE', 'buyer', 'Ruvimbo', 'c2lnbmF0dXJl']) {
      expect(text).not.toContain(secret);
    }
  });
});

test('every call is observed once with its outcome', async () => {
  const observed: unknown[] = [];
  const observe = (...call: readonly [string, string, number]) => observed.push(call);
  await using bench = await gatewayBench({ observe });
  bench.server.respondWith(answering({ operationID: 'x', reportingFrequency: 5 }));
  await bench.gateway.ping(bench.device);
  await bench.gateway.status(bench.device);
  await bench.server.close();
  await bench.gateway.config(bench.device);
  expect(observed).toEqual([
    ['Ping', 'answered', expect.any(Number)],
    ['GetStatus', 'unavailable', expect.any(Number)],
    ['GetConfig', 'unavailable', expect.any(Number)],
  ]);
});

async function listen(connected: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    connected(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `https://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

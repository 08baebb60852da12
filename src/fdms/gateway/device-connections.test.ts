import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { newIdentity, until } from '../../../test/support/authority/gateway.ts';
import { answering, createTestCa, startAuthorityServer } from '../../../test/support/authority/server.ts';
import { DeviceConnections } from './device-connections.ts';
import { exchange } from './exchange.ts';

const get = (path: string) => ({ method: 'GET', path, headers: {}, body: undefined }) as const;

test('the least recently used device makes room, and what it had under way is finished', async () => {
  const ca = await createTestCa();
  const server = await startAuthorityServer(ca);
  const connections = new DeviceConnections({
    origin: server.url,
    caPem: ca.caPem,
    timeoutMs: 10_000,
    maxDevices: 1,
  });
  const [first, second] = [await newIdentity(ca, 1), await newIdentity(ca, 2)];
  let answerFirst = () => {};
  server.respondWith((_request, response) => {
    answerFirst = () => response.end('first');
  });
  const pool = connections.of(first);
  const underWay = exchange(pool, get('/first'), 10_000);
  await until(() => server.requests.length === 1);
  server.respondWith(answering('second'));
  expect(await exchange(connections.of(second), get('/second'), 10_000)).toMatchObject({ kind: 'response' });
  expect(pool.closed).toBe(true);
  answerFirst();
  expect(await underWay).toMatchObject({ kind: 'response', body: Buffer.from('first') });
  expect(connections.of(first)).not.toBe(pool);
  await connections.close();
  await server.close();
});

test('the same certificate has the same connections, another certificate of the same device its own', async () => {
  const ca = await createTestCa();
  const connections = new DeviceConnections({ origin: 'https://authority.example', caPem: ca.caPem, timeoutMs: 1_000 });
  const [before, renewed] = [await newIdentity(ca, 1), await newIdentity(ca, 1)];
  expect(connections.of({ ...before })).toBe(connections.of(before));
  expect(connections.of(renewed)).not.toBe(connections.of(before));
  await connections.close();
});

test('after a restart or an outage not all devices shake hands at once, and each gets its turn', async () => {
  const ca = await createTestCa();
  const sockets: Socket[] = [];
  // It accepts and never says a word: every handshake stays under way until it is given up.
  const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const origin = `https://127.0.0.1:${port}`;
  const connections = new DeviceConnections({ origin, caPem: ca.caPem, timeoutMs: 1_000 });
  const identities = await Promise.all(Array.from({ length: 40 }, (_, index) => newIdentity(ca, index + 1)));
  const calls = identities.map((identity) => exchange(connections.of(identity), get('/'), 20_000));
  await until(() => sockets.length === 32);
  expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(32);
  await until(() => sockets.length === 40);
  expect((await Promise.all(calls)).map(({ kind }) => kind)).toEqual(identities.map(() => 'failed'));
  await connections.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
});

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
    timeoutMs: 50_000,
    maxDevices: 1,
  });
  const [first, second] = [await newIdentity(ca, 1), await newIdentity(ca, 2)];
  let answerFirst = () => {};
  server.respondWith((_request, response) => {
    answerFirst = () => response.end('first');
  });
  const pool = connections.of(first);
  const underWay = exchange(pool, get('/first'), 50_000);
  await until(() => server.requests.length === 1);
  server.respondWith(answering('second'));
  expect(await exchange(connections.of(second), get('/second'), 50_000)).toMatchObject({ kind: 'response' });
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

test('not all devices shake hands at once; each gets its turn, and its time begins then', async () => {
  const ca = await createTestCa();
  const sockets: Socket[] = [];
  // It accepts and never says a word: every handshake stays under way until it is given up.
  const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const origin = `https://127.0.0.1:${port}`;
  const connections = new DeviceConnections({ origin, caPem: ca.caPem, timeoutMs: 4_000 });
  const identities = await Promise.all(Array.from({ length: 40 }, (_, index) => newIdentity(ca, index + 1)));
  const startedAt = performance.now();
  const call = async (identity: (typeof identities)[number]) => ({
    ...(await connections.exchange(identity, get('/'))),
    afterMs: performance.now() - startedAt,
  });
  const calls = identities.map(call);
  await until(() => sockets.length === 32);
  expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(32);
  await until(() => sockets.length === 40);
  const outcomes = await Promise.all(calls);
  expect(outcomes.map(({ kind }) => kind)).toEqual(identities.map(() => 'failed'));
  // The last eight end a whole time later than the first, in whose place they came.
  const ends = outcomes.map(({ afterMs }) => afterMs).toSorted((one, other) => one - other);
  expect((ends[32] ?? 0) - (ends[0] ?? 0)).toBeGreaterThan(3_900);
  const unfinished = identities.map(call);
  await connections.close();
  const reasons = (await Promise.all(unfinished)).map((outcome) => outcome.kind === 'failed' && outcome.reason);
  expect(reasons.filter((reason) => reason === 'too many devices connect at the same time')).toHaveLength(8);
  expect(sockets).toHaveLength(40);
  for (const socket of sockets) socket.destroy();
  silent.close();
});

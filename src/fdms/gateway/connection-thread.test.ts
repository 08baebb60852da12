import { expect, test } from 'vitest';
import { newIdentity, until } from '../../../test/support/authority/gateway.ts';
import { createTestCa, startAuthorityServer } from '../../../test/support/authority/server.ts';
import { ConnectionThread } from './connection-thread.ts';

const get = (path: string) => ({ method: 'GET', path, headers: {}, body: undefined }) as const;

async function start() {
  const ca = await createTestCa();
  const server = await startAuthorityServer(ca);
  const options = { origin: server.url, caPem: ca.caPem, timeoutMs: 20_000 };
  const connections = new ConnectionThread(options, (error) => expect.fail(String(error)));
  return { ca, server, connections };
}

test('many devices ask at once, each with its own certificate and over its own connection, and get their own answers', async () => {
  const { ca, server, connections } = await start();
  server.respondWith(({ url, clientCommonName = '' }, response) =>
    response.end(`é ${url} ${clientCommonName.slice(-3)}`),
  );
  const identities = await Promise.all([1, 2, 3].map((deviceId) => newIdentity(ca, deviceId)));
  for (const round of [1, 2]) {
    const outcomes = await Promise.all(
      [undefined, ...identities].map((one) => connections.exchange(one, get(`/${round}/${one?.deviceId ?? 'none'}`))),
    );
    const bodies = outcomes.map((outcome) => outcome.kind === 'response' && outcome.body.toString('utf8'));
    expect(bodies).toEqual(['none ', '1 001', '2 002', '3 003'].map((end) => `é /${round}/${end}`));
  }
  expect(server.connections()).toBe(4);
  await connections.close();
  await server.close();
});

test('a replaced certificate ends with its connection; what was asked with it is finished', async () => {
  const { ca, server, connections } = await start();
  const names: string[] = [];
  server.respondWith(({ url, clientCommonName = '' }, response) => {
    names.push(`${url} ${clientCommonName.slice(-3)}`);
    response.end();
  });
  const [first, renewed] = [await newIdentity(ca, 7), await newIdentity(ca, 7)];
  await connections.exchange(first, get('/1'));
  expect(server.openConnections()).toBe(1);
  await Promise.all([connections.exchange(first, get('/2')), connections.exchange(renewed, get('/3'))]);
  await until(() => server.openConnections() === 1);
  await connections.exchange(renewed, get('/4'));
  expect(names).toEqual(['/1 007', '/2 007', '/3 007', '/4 007']);
  expect(server.connections()).toBe(2);
  await connections.close();
  await server.close();
});

test('closing finishes what is under way, and nothing connects any more', async () => {
  const { ca, server, connections } = await start();
  let answerFirst = () => {};
  server.respondWith((_request, response) => {
    answerFirst = () => response.end('late');
  });
  const underWay = connections.exchange(await newIdentity(ca, 1), get('/'));
  await until(() => server.requests.length === 1);
  connections.stopConnecting();
  expect(await connections.exchange(await newIdentity(ca, 2), get('/'))).toEqual({
    kind: 'failed',
    reason: 'the service stops',
    mayHaveArrived: false,
  });
  const closing = connections.close();
  answerFirst();
  expect(await underWay).toMatchObject({ kind: 'response', body: Buffer.from('late') });
  await closing;
  await server.close();
});

test('a thread that fails leaves open what was asked of it, and the next request begins another', async () => {
  const failures: unknown[] = [];
  const connections = new ConnectionThread({ origin: 'nowhere', caPem: undefined, timeoutMs: 1_000 }, (error) =>
    failures.push(error),
  );
  for (const count of [1, 2]) {
    const outcomes = await Promise.all(
      [get('/first'), get('/second')].map((one) => connections.exchange(undefined, one)),
    );
    const reason = 'the connections to the authority were lost';
    expect(outcomes).toEqual([1, 2].map(() => ({ kind: 'failed', reason, mayHaveArrived: true })));
    expect(failures).toHaveLength(count);
  }
  await connections.close();
});

test('a thread that hangs is ended in time, leaves open what was asked of it, and the next request begins another', async () => {
  const ca = await createTestCa();
  const server = await startAuthorityServer(ca);
  server.respondWith((_request, response) => response.end('here'));
  const failures: unknown[] = [];
  const connections = new ConnectionThread(
    { origin: server.url, caPem: ca.caPem, timeoutMs: 5_000 },
    (error) => failures.push(error),
    { program: new URL('../../../test/support/authority/stuck-thread.ts', import.meta.url), marginMs: 5_000 },
  );
  const identity = await newIdentity(ca, 1);
  const ask = (path: string) => connections.exchange(identity, get(path));
  expect(await ask('/')).toMatchObject({ kind: 'response' });
  const lost = { kind: 'failed', reason: 'the connections to the authority were lost', mayHaveArrived: true };
  expect(await Promise.all([ask('/stuck'), ask('/beside')])).toEqual([lost, lost]);
  expect(failures).toHaveLength(1);
  expect(await ask('/')).toMatchObject({ kind: 'response', body: Buffer.from('here') });
  await connections.close();
  await server.close();
});

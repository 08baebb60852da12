import { Pool } from 'undici';
import { expect, test } from 'vitest';
import { until } from '../../../test/support/authority/gateway.ts';
import { answering, createTestCa, startAuthorityServer } from '../../../test/support/authority/server.ts';
import { exchange } from './exchange.ts';

const get = (path: string) => ({ method: 'GET', path, headers: {}, body: undefined }) as const;

test('a request that waited for a connection beyond its deadline is not sent later either', async () => {
  const ca = await createTestCa();
  const server = await startAuthorityServer(ca);
  const pool = new Pool(server.url, { connections: 1, connect: { ca: ca.caPem } });
  let answerFirst = () => {};
  server.respondWith((_request, response) => {
    answerFirst = () => response.end('first');
  });
  const first = exchange(pool, get('/first'), 50_000);
  await until(() => server.requests.length === 1);
  const late = await exchange(pool, get('/late'), 50);
  expect(late).toEqual({ kind: 'failed', reason: 'no answer within 0.05 s', mayHaveArrived: false });
  server.respondWith(answering('last'));
  answerFirst();
  expect(await first).toMatchObject({ kind: 'response', body: Buffer.from('first') });
  expect(await exchange(pool, get('/last'), 50_000)).toMatchObject({ kind: 'response' });
  expect(server.requests.map(({ url }) => url)).toEqual(['/first', '/last']);
  await pool.close();
  await server.close();
});

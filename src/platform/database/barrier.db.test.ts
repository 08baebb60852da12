import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CuttingProxy, startCuttingProxy } from '../../../test/support/cutting-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { barrierOf, epochOf, passBarrier } from './barrier.ts';
import { openDatabase, primaryOf } from './database.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
let database: TestDatabase;
let proxy: CuttingProxy;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  const { host, port, ...names } = database.connection;
  proxy = await startCuttingProxy(`unix:${host}/.s.PGSQL.${port}`);
  const connection = { ...names, host: '127.0.0.1', port: Number(new URL(proxy.url).port) };
  pool = await openDatabase({ connection, maxConnections: 2, log: quiet });
});
afterAll(async () => {
  await barrierOf(pool).close();
  await pool.end();
  await proxy.close();
  await database.drop();
});

test('a barrier whose connection alone was swallowed is given up while no commit waits, and the next one passes', async () => {
  // As if there were a standby, which has everything at once.
  primaryOf(pool).isReplicated = true;
  await passBarrier(pool, epochOf(pool));
  proxy.holdsBack = 'pg_logical_emit_message';
  await expect(passBarrier(pool, epochOf(pool))).rejects.toThrow('Connection terminated');
  expect(proxy.held).toHaveLength(1);
  proxy.holdsBack = undefined;
  await passBarrier(pool, epochOf(pool));
});

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { rowsReadBy } from '../../../test/support/query-plan.ts';
import { ServerCertificates } from '../../fdms/index.ts';
import { Evidence } from './evidence.ts';
import { FIND_UNPROVED_THUMBPRINTS, findUnprovedThumbprints } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function acceptUnproved(deviceId: number, thumbprint: string, count: number): Promise<void> {
  await database.pool.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, server_signature, server_certificate_thumbprint)
     select '6f1b2c9e-52a4-4c6e-9a53-8d3f0f1f7c11', $1, number, 'Submitted', '\\x00', $2 from generate_series(1, $3::integer) as number`,
    [deviceId, thumbprint, count],
  );
}

test('however many receipts wait for a certificate, finding out which ones are missing reads a handful of rows', async () => {
  expect(await findUnprovedThumbprints(database.pool)).toEqual([]);
  await acceptUnproved(1, 'BB', 50_000);
  await acceptUnproved(2, 'AA', 1);
  await acceptUnproved(3, 'cc', 1);
  for (const gathered of ['select', 'analyze submissions']) {
    await database.pool.query(gathered);
    expect(await rowsReadBy(database.pool, FIND_UNPROVED_THUMBPRINTS)).toBeLessThan(20);
  }
  expect((await findUnprovedThumbprints(database.pool)).toSorted()).toEqual(['AA', 'BB', 'cc']);
});

test('while a certificate does not come, every acceptance asks for a look, and the looks are a second apart', async () => {
  const certificates = new ServerCertificates({ serverCertificate: () => Promise.reject(new Error('not now')) });
  const evidence = new Evidence(database.pool, certificates, { info: () => {}, warn: () => {}, error: () => {} });
  const looks: number[] = [];
  // At the look itself: on a busy machine whoever counts them later sees two at once.
  const query = database.pool.query.bind(database.pool);
  const spy = vi.spyOn(database.pool, 'query').mockImplementation((...statement: unknown[]) => {
    if (Object(statement[0]) === FIND_UNPROVED_THUMBPRINTS) looks.push(performance.now());
    return Reflect.apply(query, undefined, statement);
  });
  const poking = setInterval(() => evidence.poke(), 5);
  evidence.start();
  await expect.poll(() => looks.length).toBeGreaterThanOrEqual(3);
  clearInterval(poking);
  await evidence.stop();
  spy.mockRestore();
  const [first = 0, second = 0, third = 0] = looks;
  expect([second - first, third - second].every((apartMs) => apartMs > 900)).toBe(true);
});

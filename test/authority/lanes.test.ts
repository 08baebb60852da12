import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { writeWireJson } from '../../src/fdms/gateway/wire-json.ts';
import { fdmsReceipt } from '../../src/fdms/index.ts';
import { readNextReceipts } from '../../src/fiscal/submission/store.ts';
import { AuthorityBench } from '../support/authority/authority.ts';
import { until } from '../support/process.ts';
import { invoice } from '../support/receipts/receipts.ts';

let bench: AuthorityBench;
beforeAll(async () => {
  bench = await AuthorityBench.start();
});
afterEach(() => bench.books.clearFaults());
afterAll(() => bench.end());

async function tokenOf(deviceId: number): Promise<bigint | undefined> {
  const { rows } = await bench.pool.query<{ token: bigint }>(
    'select fencing_token as token from device_lanes where device_id = $1',
    [deviceId],
  );
  return rows[0]?.token;
}

const submissionsOf = async (deviceId: number) => (await bench.submissions(deviceId)).join();

test('a shop that sells receipt after receipt keeps its lane, and each request is answered without a look at the tables', async () => {
  const deviceId = await bench.addDevice();
  // Its first turn ends with a ping.
  const isPinged = async () =>
    (await bench.books.calls({ deviceId, operation: 'Ping' })).some((call) => call.status === 200);
  await until(isPinged, 'the first turn ends');
  await bench.sell(deviceId, 'kept-1');
  const token = await tokenOf(deviceId);
  const statements = vi.spyOn(bench.instance().pool, 'query');
  for (const count of [2, 3, 4]) {
    expect(await bench.sell(deviceId, `kept-${count}`)).toMatchObject({ SubmissionState: 'Submitted' });
  }
  const names = statements.mock.calls.map(([statement]) => (statement as { name?: string }).name ?? '');
  statements.mockRestore();
  expect(names.filter((name) => ['find-receipt', 'read-lanes', 'read-next-receipts'].includes(name))).toEqual([]);
  expect(await tokenOf(deviceId)).toBe(token);
});

test('what is sent from memory is what would be read from the tables', async () => {
  const deviceId = await bench.addDevice();
  const buyer = { BuyerName: 'Café "Ruvimbo"', BuyerTIN: '2000000009', BuyerVAT: '220000009' };
  await bench.sell(deviceId, 'memory-1', buyer);
  const key = { taxpayerId: bench.shop.taxpayerId, deviceId, globalCounter: 1 };
  const [[stored] = []] = await readNextReceipts(bench.pool, [{ ...key, count: 1 }]);
  const [booked] = await bench.books.receipts(deviceId);
  expect(stored && JSON.parse(writeWireJson(fdmsReceipt(stored)))).toEqual(booked?.receipt);
});

test('a receipt sealed on another instance goes out through the one that keeps the lane', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'elsewhere-1');
  const token = await tokenOf(deviceId);
  const other = await bench.addInstance();
  const answer = await other.app.inject({
    method: 'POST',
    url: '/api/receipt/sign',
    headers: { authorization: `Bearer ${bench.shop.token}` },
    body: invoice(deviceId, 'elsewhere-2', { Date: bench.now.toISOString() }),
  });
  expect(answer.json()).toMatchObject({ SubmissionState: 'Submitted' });
  expect(await tokenOf(deviceId)).toBe(token);
});

test('slow devices hold up nothing but themselves', async () => {
  const [healthy = 0, ...slow] = await bench.addDevices(13, { registration: { AdvanceLimitSeconds: 86_400 } });
  await bench.sell(healthy, 'healthy-1');
  for (const deviceId of slow) {
    await bench.books.fault({ kind: 'delay', operation: 'SubmitReceipt', deviceId, delayMs: 15_000 });
  }
  const stuck = slow.map((deviceId) => bench.sell(deviceId, `slow-${deviceId}`));
  for (let count = 2; count <= 8; count += 1) {
    const startedAt = performance.now();
    expect(await bench.sell(healthy, `healthy-${count}`)).toMatchObject({ SubmissionState: 'Submitted' });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  }
  expect(await submissionsOf(healthy)).toBe(Array.from({ length: 8 }, () => 'Submitted').join());
  await Promise.all(stuck);
});

import { expect, test, vi } from 'vitest';
import { writeWireJson } from '../../src/fdms/gateway/wire-json.ts';
import { fdmsReceipt } from '../../src/fdms/index.ts';
import { readNextReceipts } from '../../src/fiscal/submission/store.ts';
import { benchOfFile } from '../support/authority/authority.ts';
import { until } from '../support/process.ts';

const bench = await benchOfFile();

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
  expect(stored && JSON.parse(writeWireJson(fdmsReceipt(stored, { partialBuyers: false, cashier: false })))).toEqual(
    booked?.receipt,
  );
});

test('a receipt sealed on another instance goes out through the one that keeps the lane', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'elsewhere-1');
  const token = await tokenOf(deviceId);
  await bench.addInstance();
  expect(await bench.sell(deviceId, 'elsewhere-2', {}, { instance: 1 })).toMatchObject({
    SubmissionState: 'Submitted',
  });
  expect(await tokenOf(deviceId)).toBe(token);
});

test('an instance that remembers a pause of a lane still wakes the one that has taken it since', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'error-500', operation: 'SubmitReceipt', deviceId, count: 1 });
  expect(await bench.sell(deviceId, 'paused-1')).toMatchObject({ SubmissionState: 'Pending' });
  // Through the other instance, so that only that one knows of it.
  expect((await bench.admin('POST', `/api/admin/devices/${deviceId}/resume`, {}, 1)).statusCode).toBe(202);
  await until(async () => (await submissionsOf(deviceId)) === 'Submitted', 'the other instance has taken the lane');
  const token = await tokenOf(deviceId);
  expect(await bench.sell(deviceId, 'paused-2')).toMatchObject({ SubmissionState: 'Submitted' });
  expect(await tokenOf(deviceId)).toBe(token);
});

test('a device whose lease lies hours ahead, its holder gone, is submitted for soon, and at once when an operator resumes it', async () => {
  const devices = await bench.addDevices(2);
  for (const deviceId of devices) await bench.sell(deviceId, `ahead-${deviceId}-1`);
  const [soon = 0, resumed = 0] = devices;
  // The second one pauses as well, for as long as the test's clock stands still.
  await bench.pool.query(
    `update device_lanes
        set fencing_token = 1, locked_until = clock_timestamp() + interval '3 hours',
            paused_until = case when device_id = $2 then $3::timestamptz + interval '1 minute' end
      where device_id = any ($1)`,
    [devices, resumed, bench.now],
  );
  const [first, second] = devices.map((deviceId) => bench.sell(deviceId, `ahead-${deviceId}-2`));
  expect(await first).toMatchObject({ AuthorityDeviceId: soon, SubmissionState: 'Submitted' });
  expect(await submissionsOf(resumed)).toBe('Submitted,Pending');
  expect((await bench.admin('POST', `/api/admin/devices/${resumed}/resume`, {})).statusCode).toBe(202);
  expect(await second).toMatchObject({ SubmissionState: 'Submitted' });
});

test('slow devices hold up nothing but themselves', async () => {
  const [healthy = 0, ...slow] = await bench.addDevices(13, { registration: { AdvanceLimitSeconds: 86_400 } });
  await bench.sell(healthy, 'healthy-1');
  const letGo = slow.map((deviceId) => bench.hold('SubmitReceipt', deviceId));
  const stuck = slow.map((deviceId) => bench.sell(deviceId, `slow-${deviceId}`));
  for (let count = 2; count <= 8; count += 1) {
    expect(await bench.sell(healthy, `healthy-${count}`)).toMatchObject({ SubmissionState: 'Submitted' });
  }
  expect(await submissionsOf(healthy)).toBe(Array.from({ length: 8 }, () => 'Submitted').join());
  for (const go of letGo) go();
  for (const sold of await Promise.all(stuck)) expect(sold).toMatchObject({ SubmissionState: 'Submitted' });
});

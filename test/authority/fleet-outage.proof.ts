import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';

const DEVICES = 20;
const RECEIPTS = 25;

const bench = await benchOfFile({ isProcess: true });

async function bookedNumbers(deviceId: number): Promise<number[]> {
  return (await bench.books.receipts(deviceId)).map((receipt) => receipt.receiptGlobalNo);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

test('an outage with 500 receipts over 20 devices: all are sealed, and after it all are submitted in order and the days close', {
  timeout: 180_000,
}, async () => {
  const devices = await bench.addDevices(DEVICES, { registration: { AdvanceLimitSeconds: 86_400 } });
  await bench.books.fault({ kind: 'outage' });
  const waits: number[] = [];
  await Promise.all(
    devices.map(async (deviceId) => {
      for (let count = 1; count <= RECEIPTS; count += 1) {
        const startedAt = performance.now();
        const sold = await bench.sell(deviceId, `outage-${deviceId}-${count}`);
        waits.push(performance.now() - startedAt);
        expect(sold.SubmissionFailed).not.toBeNull();
        expect(sold.SubmissionError).toMatch(/Not submitted yet/);
      }
    }),
  );
  expect(waits).toHaveLength(DEVICES * RECEIPTS);
  // Nobody sits out the twenty seconds that a request may wait for its submission.
  expect(Math.max(...waits)).toBeLessThan(10_000);
  await bench.books.clearFaults();
  for (const deviceId of devices) await bench.untilSubmitted(deviceId);
  for (const deviceId of devices) await bench.requestDay(deviceId, 'close');
  for (const deviceId of devices) {
    await bench.untilDay(deviceId, 'Closed', 1);
    expect(await bookedNumbers(deviceId)).toEqual(upTo(RECEIPTS));
    const { ours, theirs } = await bench.counters(deviceId, 1);
    expect(ours).toEqual(theirs);
  }
  const order = (await bench.books.calls({ deviceId: devices[0] ?? 0, operation: 'SubmitReceipt' }))
    .filter((call) => call.status === 200)
    .map((call) => call.receiptGlobalNo);
  expect(order).toEqual(upTo(RECEIPTS));
  expect((await bench.get(`/api/receipt/outage-${devices[0]}-1`)).json()).toMatchObject({
    SubmissionFailed: null,
    SubmissionError: null,
  });
});

const SLOW = 200;
const SLOW_MS = 25_000;

test('200 devices answered after 25 s: receipts of others are accepted within a second all the while', {
  timeout: 300_000,
}, async () => {
  const [busy = 0, rested = 0, ...slow] = await bench.addDevices(SLOW + 2, {
    registration: { AdvanceLimitSeconds: 86_400 },
  });
  await bench.books.fault({ kind: 'delay', operation: 'SubmitReceipt', delayMs: SLOW_MS, count: SLOW });
  const startedAt = performance.now();
  const stuck = slow.map((deviceId) => bench.sell(deviceId, `slow-${deviceId}`));
  let count = 0;
  const sellQuickly = async (deviceId: number) => {
    const sentAt = performance.now();
    count += 1;
    expect(await bench.sell(deviceId, `quick-${count}`)).toMatchObject({ SubmissionState: 'Submitted' });
    expect(performance.now() - sentAt).toBeLessThan(1000);
  };
  // All of them are under way, each on its own connection.
  await expect.poll(() => bench.books.struck()).toBe(SLOW);
  while (performance.now() - startedAt < SLOW_MS - 2000) {
    await sellQuickly(busy);
    await delay(500);
  }
  await sellQuickly(rested);
  expect(count).toBeGreaterThan(10);
  for (const sold of await Promise.all(stuck)) expect(sold).not.toMatchObject({ SubmissionState: 'Submitted' });
  for (const deviceId of slow) await bench.untilSubmitted(deviceId);
});

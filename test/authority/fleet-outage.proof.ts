import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityBench } from '../support/authority/authority.ts';

const DEVICES = 20;
const RECEIPTS = 25;

let bench: AuthorityBench;
beforeAll(async () => {
  bench = await AuthorityBench.start();
});
afterAll(() => bench.end());

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

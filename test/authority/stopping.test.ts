import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';

const bench = await benchOfFile({ submissionWaitMs: 0 });

test('a service that stops in the middle of a long backlog stops at once, and another goes on with it', async () => {
  const deviceId = await bench.addDevice();
  const backlog = 40;
  await bench.books.fault({ kind: 'outage' });
  for (let number = 1; number <= backlog; number += 1) await bench.sell(deviceId, `stop-${number}`);
  await bench.books.clearFaults();
  // Eight seconds' worth of work for whoever does not stop.
  await bench.books.fault({ kind: 'delay', operation: 'SubmitReceipt', deviceId, delayMs: 200 });
  await bench.until(async () => (await bench.books.receipts(deviceId)).length > 0, 'the first is submitted', {
    deviceId,
  });

  await bench.fiscal.drain();
  const settled = (await bench.books.receipts(deviceId)).length;
  expect(settled).toBeLessThan(backlog);

  await bench.books.clearFaults();
  const other = await bench.addInstance();
  other.fiscal.poke(bench.shop.taxpayerId, deviceId);
  await bench.untilSubmitted(deviceId);
  const numbers = (await bench.books.receipts(deviceId)).map((receipt) => receipt.receiptGlobalNo);
  expect(numbers).toEqual(Array.from({ length: backlog }, (_, index) => index + 1));
});

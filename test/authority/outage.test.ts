import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';
import { invoice } from '../support/receipts/receipts.ts';

const bench = await benchOfFile();

async function bookedNumbers(deviceId: number): Promise<number[]> {
  return (await bench.books.receipts(deviceId)).map((receipt) => receipt.receiptGlobalNo);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

test('an outage across the maintenance window: the day is closed with all its receipts when it ends, and the next one opens', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'window-1');
  const noon = bench.now;
  await bench.moveTo(new Date(Date.UTC(noon.getUTCFullYear(), noon.getUTCMonth(), noon.getUTCDate(), 23, 50)));
  await bench.books.fault({ kind: 'outage' });
  await bench.sell(deviceId, 'window-2');
  await bench.until(async () => (await bench.dayOf(deviceId)).state === 'Closing', 'the closing begins', {
    stepSeconds: 60,
  });
  await bench.advance(4 * 3600);
  const refused = await bench.sign(invoice(deviceId, 'window-3', { Date: bench.now.toISOString() }));
  expect(refused.json()).toMatchObject({ status: 503, Code: 'FiscalDayNotOpen' });
  await bench.books.clearFaults();
  await bench.untilDay(deviceId, 'Opened', 2);
  expect(await bench.submissions(deviceId)).toEqual(['Submitted', 'Submitted']);
  expect(await bench.books.day(deviceId, 1)).toMatchObject({
    fiscalDayStatus: 'FiscalDayClosed',
    reconciliationMode: 'Auto',
  });
  expect(await bench.sell(deviceId, 'window-3')).toMatchObject({ FiscalDayNumber: 2, SubmissionFailed: null });
});

test('a lost answer to OpenDay: the day is found open and used, not opened twice', async () => {
  await bench.books.fault({ kind: 'lose-answer', operation: 'OpenDay', count: 1 });
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'lost-open');
  await bench.untilSubmitted(deviceId);
  expect((await bench.books.days(deviceId)).map((day) => day.fiscalDayNo)).toEqual([1]);
});

test('a lost answer to CloseDay: the day is found closed and not closed twice', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'lost-close');
  await bench.books.fault({ kind: 'lose-answer', operation: 'CloseDay', count: 1 });
  await bench.closeDay(deviceId);
  expect(await bench.books.calls({ deviceId, operation: 'CloseDay' })).toHaveLength(1);
});

test('a CloseDay that never arrived is sent again', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'cut-close');
  await bench.books.fault({ kind: 'outage', operation: 'CloseDay', count: 1 });
  await bench.closeDay(deviceId);
  expect(await bench.books.calls({ deviceId, operation: 'CloseDay' })).toHaveLength(2);
});

test('with every fifth answer lost each number is at the authority exactly once, and never two of a device under way', async () => {
  await bench.books.control('DELETE', '/calls');
  await bench.books.fault({ kind: 'lose-answer', operation: 'SubmitReceipt', every: 5 });
  const devices = await bench.addDevices(4, { registration: { AdvanceLimitSeconds: 86_400 } });
  await Promise.all(
    devices.flatMap((deviceId) => upTo(10).map((count) => bench.sell(deviceId, `fifth-${deviceId}-${count}`))),
  );
  for (const deviceId of devices) await bench.untilSubmitted(deviceId);
  for (const deviceId of devices) expect(await bookedNumbers(deviceId)).toEqual(upTo(10));
  expect((await bench.books.calls({ operation: 'SubmitReceipt' })).length).toBeGreaterThan(40);
  expect(await bench.books.mostInFlight('SubmitReceipt')).toBe(1);
});

test('one device whose calls fail is tried again ever more slowly, and the others go on', async () => {
  const [failing = 0, other = 0] = await bench.addDevices(2);
  await bench.books.fault({ kind: 'error-500', operation: 'SubmitReceipt', deviceId: failing });
  expect(await bench.sell(failing, 'failing-1')).toMatchObject({ SubmissionError: expect.stringContaining('500') });
  const startedAt = bench.now.getTime();
  const attempts = async () => (await bench.books.calls({ deviceId: failing, operation: 'SubmitReceipt' })).length;
  // So often in a row that the authority would be taken for down, had not another device been answered a moment ago.
  await bench.until(async () => (await attempts()) > 3, 'it fails again and again');
  expect(await bench.sell(other, 'other-1')).toMatchObject({ SubmissionFailed: null });
  await bench.until(() => bench.now.getTime() - startedAt > 120_000, 'two minutes pass', { stepSeconds: 3 });
  expect(await attempts()).toBeLessThan(16);
  expect(await bench.submissions(failing)).toEqual(['Pending']);
  await bench.books.clearFaults();
  await bench.untilSubmitted(failing);
});

import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';

const bench = await benchOfFile({ isProcess: true });

test('thirty days of a device: each opened at the end of its window, closed at its start, counted right and in order', {
  timeout: 180_000,
}, async () => {
  const deviceId = await bench.addDevice();
  const first = bench.now;
  for (let day = 1; day <= 30; day += 1) {
    await bench.untilDay(deviceId, 'Opened', day);
    for (let count = 1; count <= 1 + (day % 3); count += 1) {
      await bench.sell(deviceId, `month-${day}-${count}`);
      await bench.advance(5);
    }
    const midnight = Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate() + day, 0, 0, 0);
    await bench.moveTo(new Date(midnight)); // 02:00 in Harare: the window begins
    await bench.untilDay(deviceId, 'Closed', day);
    expect(bench.now.getTime() - midnight).toBeLessThan(600_000);
    await bench.moveTo(new Date(midnight + 2 * 3_600_000));
  }
  await bench.untilDay(deviceId, 'Opened', 31);
  const days = (await bench.books.days(deviceId)).toSorted((a, b) => a.fiscalDayNo - b.fiscalDayNo);
  expect(days.map((day) => day.fiscalDayNo)).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
  for (const day of days.slice(0, 30)) {
    expect(day).toMatchObject({ fiscalDayStatus: 'FiscalDayClosed', reconciliationMode: 'Auto' });
    expect(day.fiscalDayClosed).toMatch(/T02:0/);
    if (day.fiscalDayNo > 1) expect(day.fiscalDayOpened).toMatch(/T04:00/);
    const { ours, theirs } = await bench.counters(deviceId, day.fiscalDayNo);
    expect(ours).toEqual(theirs);
    expect(ours).toContain(`BalanceByMoneyType USD Cash ${(1 + (day.fiscalDayNo % 3)) * 115.5}`);
  }
  const numbers = (await bench.books.receipts(deviceId)).map((receipt) => receipt.receiptGlobalNo);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => index + 1));
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityBench } from '../support/authority.ts';

let bench: AuthorityBench;
beforeAll(async () => {
  bench = await AuthorityBench.start();
});
afterAll(() => bench.end());

test('a day from registration to closing', async () => {
  const deviceId = await bench.addDevice();
  for (let count = 1; count <= 5; count += 1) {
    const sold = await bench.sell(deviceId, `day-${count}`);
    expect(sold).toMatchObject({ FiscalDayNumber: 1, GlobalCounter: count, SubmissionFailed: null });
    bench.advance(2);
  }
  await bench.requestDay(deviceId, 'close');
  await bench.untilDay(deviceId, 'Closed');
  expect(await bench.books.day(deviceId, 1)).toMatchObject({
    fiscalDayStatus: 'FiscalDayClosed',
    reconciliationMode: 'Auto',
  });
});

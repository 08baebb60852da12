import { afterAll, beforeAll, expect, test } from 'vitest';
import { registeredDevice } from './testing/test-device.ts';
import { TestSimulator } from './testing/test-simulator.ts';

let world: TestSimulator;
beforeAll(async () => {
  world = await TestSimulator.start();
});
afterAll(() => world.end());

test('a day from registration to closing', async () => {
  const device = await registeredDevice(world.simulator, { deviceId: 2001 });
  expect((await device.openDay('2026-03-01T08:00:00')).body).toMatchObject({ fiscalDayNo: 1 });
  const first = await device.submit();
  expect(first.body.validationErrors).toBeUndefined();
  const second = await device.submit();
  expect(second.body.validationErrors).toBeUndefined();
  const closed = await device.closeDay([
    {
      fiscalCounterType: 'SaleByTax',
      fiscalCounterCurrency: 'USD',
      fiscalCounterTaxID: 517,
      fiscalCounterTaxPercent: 15.5,
      fiscalCounterValue: 20,
    },
    {
      fiscalCounterType: 'SaleTaxByTax',
      fiscalCounterCurrency: 'USD',
      fiscalCounterTaxID: 517,
      fiscalCounterTaxPercent: 15.5,
      fiscalCounterValue: 2.68,
    },
    {
      fiscalCounterType: 'BalanceByMoneyType',
      fiscalCounterCurrency: 'USD',
      fiscalCounterMoneyType: 'Cash',
      fiscalCounterValue: 20,
    },
  ]);
  expect(closed.status).toBe(200);
  expect((await device.settled()).body).toMatchObject({
    fiscalDayStatus: 'FiscalDayClosed',
    fiscalDayReconciliationMode: 'Auto',
    lastReceiptGlobalNo: 2,
    lastFiscalDayNo: 1,
  });
});

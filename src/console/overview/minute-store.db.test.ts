import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { openShop, plainReceipt } from '../../../test/support/shop.ts';
import { countMinutes, PAYMENTS, RECEIPTS, readMinutes } from './minute-store.ts';

let service: TestService;
let billpay: TestBillpay;
beforeAll(async () => {
  service = await createTestService();
  billpay = await createTestBillpay();
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await billpay.close();
  await service.close();
});

const hours = (count: number) => new Date(NOON.getTime() + count * 3600_000);

test('hours without a receipt are one step, before the first and between two', async () => {
  const transactions = vi.spyOn(service.pool, 'connect');
  await countMinutes(service.pool, RECEIPTS, NOON);
  expect(transactions).toHaveBeenCalledTimes(1);

  const shop = await openShop(service);
  for (const [hour, reference] of [
    [1, 'M-1'],
    [9, 'M-2'],
  ] as const) {
    service.now = hours(hour);
    const answer = await service.sign(shop.token, plainReceipt(shop.deviceId, reference, '2.50'));
    expect(answer.statusCode, answer.body).toBe(200);
  }
  transactions.mockClear();
  await countMinutes(service.pool, RECEIPTS, hours(20));
  expect(transactions).toHaveBeenCalledTimes(3);
  expect(await readMinutes(service.pool, RECEIPTS, NOON)).toEqual([
    { minute: hours(1), currency: 'USD', count: 1, total: '2.50' },
    { minute: hours(9), currency: 'USD', count: 1, total: '2.50' },
  ]);
});

test('a reversal hours after its payment is found where nothing was paid', async () => {
  const BillerCode = await billpay.addBiller();
  billpay.now = hours(1);
  const body = { VendorReference: 'M-1', BillerCode, MemberNumber: '1', Currency: 'USD', Amount: 4 };
  expect((await billpay.send('POST', '/api/payment/pay', body)).statusCode).toBe(200);
  billpay.now = hours(7);
  const reversal = { VendorReference: 'M-1', Reason: 'twice' };
  expect((await billpay.send('POST', '/api/payment/reverse', reversal)).statusCode).toBe(200);

  const transactions = vi.spyOn(billpay.pool, 'connect');
  await countMinutes(billpay.pool, PAYMENTS, hours(20));
  expect(transactions).toHaveBeenCalledTimes(3);
  expect(await readMinutes(billpay.pool, PAYMENTS, NOON)).toEqual([
    { minute: hours(1), currency: 'USD', count: 1, total: '4.00' },
    { minute: hours(7), currency: 'USD', count: 0, total: '-4.00' },
  ]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { NOON } from '../../../test/support/service.ts';
import { decimal } from '../../kernel/decimal.ts';

let billpay: TestBillpay;
let first: string;
let second: string;
beforeAll(async () => {
  billpay = await createTestBillpay();
  first = await billpay.addBiller({ Fees: [{ Currency: 'USD', Fixed: decimal('0.25'), Percent: decimal('0') }] });
  second = await billpay.addBiller();
});
afterAll(() => billpay.close());

let count = 0;
async function pay(BillerCode: string, Currency: string, Amount: number): Promise<string> {
  count += 1;
  const VendorReference = `V-${count}`;
  const body = { VendorReference, BillerCode, MemberNumber: '1', Currency, Amount };
  const answer = await billpay.send('POST', '/api/payment/pay', body);
  expect([answer.statusCode, answer.json().Status], answer.body).toEqual([200, 'Paid']);
  return VendorReference;
}
async function paidToday() {
  return (await billpay.admin('GET', '/overview')).json().Today.Payments;
}
const moveTo = (seconds: number) => {
  billpay.now = new Date(NOON.getTime() + seconds * 1000);
};

test('what was paid today is added up by currency, fees included, before and after its minutes are counted', async () => {
  expect(await paidToday()).toEqual([]);
  await pay(first, 'USD', 10);
  await pay(second, 'USD', 0.01);
  await pay(second, 'ZWG', 7);
  const expected = [
    { Currency: 'USD', Payments: 2, Total: 10.26 },
    { Currency: 'ZWG', Payments: 1, Total: 7 },
  ];
  expect(await paidToday()).toEqual(expected);
  moveTo(600);
  expect(await paidToday()).toEqual(expected);
});

test('a reversal counts against the day it was made on', async () => {
  const VendorReference = await pay(second, 'USD', 100);
  moveTo(720);
  const answer = await billpay.send('POST', '/api/payment/reverse', { VendorReference, Reason: 'twice' });
  expect(answer.statusCode, answer.body).toBe(200);
  const usd = { Currency: 'USD', Payments: 3, Total: 10.26 };
  expect((await paidToday())[0]).toEqual(usd);
  moveTo(1320);
  expect((await paidToday())[0]).toEqual(usd);
});

test('tomorrow begins at midnight where most devices are', async () => {
  moveTo(12 * 3600 - 61);
  expect((await paidToday())[0]).toMatchObject({ Payments: 3 });
  moveTo(12 * 3600 + 1);
  expect(await paidToday()).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { BILLER, createTestBillpay, type TestBillpay } from '../support/billpay/billpay.ts';
import { keptFigures, recount, wrongPayers } from '../support/billpay/target-books.ts';
import { until } from '../support/process.ts';

const BEFORE = 60;
const DURING = 60;

let billpay: TestBillpay;
let url: string;
let count = 0;

beforeAll(async () => {
  billpay = await createTestBillpay();
  url = await billpay.listen();
  billpay.service.startWorkers();
});
afterAll(() => billpay.close());

async function call(method: 'GET' | 'POST' | 'PUT', path: string, token: string, body?: object): Promise<string> {
  const answer = await ask({ url, token }, method, path, body);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return text;
}

/** Every third one is in the other currency, every fifth is reversed again. */
async function pay(billerCode: string): Promise<void> {
  count += 1;
  const VendorReference = `T-${count}`;
  const Currency = count % 3 === 0 ? 'ZIG' : 'USD';
  const isReversed = count % 5 === 0;
  const payment = { VendorReference, BillerCode: billerCode, MemberNumber: `M${count % 7}`, Currency, Amount: 0.1 };
  await call('POST', '/api/payment/pay', billpay.vendor.token, payment);
  if (isReversed) await call('POST', '/api/payment/reverse', billpay.vendor.token, { VendorReference });
}

const stats = (code: string, more = '') =>
  call('GET', `/api/payment/TargetStats?billercode=${code}${more}`, billpay.vendor.token);
const together = (amount: number, work: () => Promise<void>) => Promise.all(Array.from({ length: amount }, work));

test('payments and reversals move the figures at once, and a since-date that is changed among them loses none', async () => {
  const code = await billpay.addBiller({ ...BILLER, Code: 'SCHOOL-ROOF' });
  await together(BEFORE, () => pay(code));
  expect(await stats(code)).toBe('');

  const path = `/api/admin/billers/${code}`;
  const setTarget = async (since: string | null) => {
    const configuration = JSON.parse(await call('GET', path, billpay.operatorToken)) as object;
    const target = { TargetAmount: 1000.5, TargetUnits: 5, TargetAchievedSinceDate: since };
    await call('PUT', path, billpay.operatorToken, { ...configuration, ...target });
  };
  await setTarget(null);
  await until(async () => (await stats(code)) !== '', 'the first figures show');
  expect(JSON.parse(await stats(code))).toEqual({
    TargetAmount: 1000.5,
    TargetUnits: 5,
    TargetAchievedSinceDate: null,
    TargetAchievedAmount: 4.8,
    TargetAchievedUnits: 0,
    PayerCount: 7,
  });
  expect(JSON.parse(await stats(code, '&currency=ZIG'))).toMatchObject({ TargetAchievedAmount: 1.6 });

  // The thirtieth payment of all, itself included.
  const { rows } = await billpay.pool.query<{ paid_at: Date }>(
    'select paid_at from payments where biller_code = $1 and paid_at is not null order by paid_at offset 29 limit 1',
    [code],
  );
  const since = rows[0]?.paid_at.toISOString() ?? '';
  await Promise.all([together(DURING, () => pay(code)), setTarget(since)]);
  await until(async () => (await stats(code)).includes(since), 'the figures of the new date show');
  const kept = await keptFigures(billpay.pool, code);
  expect(kept?.figures).toEqual(await recount(billpay.pool, code, new Date(since)));
  expect(await wrongPayers(billpay.pool, code)).toEqual([]);
  expect(JSON.parse(await stats(code)).TargetAchievedAmount).toBe(Number(kept?.figures[0]?.amount));
});

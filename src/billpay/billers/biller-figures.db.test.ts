import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay, type TestVendor } from '../../../test/support/billpay/billpay.ts';
import { decimal } from '../../kernel/decimal.ts';

let billpay: TestBillpay;
let other: TestVendor;
beforeAll(async () => {
  billpay = await createTestBillpay();
  other = await billpay.addVendor();
});
afterAll(() => billpay.close());

let number = 0;

async function pay(BillerCode: string, Amount: number, Currency = 'USD', vendor = billpay.vendor): Promise<string> {
  number += 1;
  const body = { VendorReference: `F-${number}`, BillerCode, MemberNumber: `M-${number}`, Currency, Amount };
  const answer = await billpay.send('POST', '/api/payment/pay', body, `Bearer ${vendor.token}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().BillPayReference;
}

async function read(path: string) {
  const answer = await billpay.admin('GET', path);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

test('an operator sees the figures of a target that its vendors see, of one currency or all', async () => {
  const target = { TargetAmount: decimal('100') };
  const code = await billpay.addBiller(target, [billpay.vendor, other]);
  await pay(code, 10.5);
  await pay(code, 4, 'ZWG', other);
  const shown = async (query: string) => (await read(`/billers/${code}/target${query}`)).Target;
  expect(await shown('')).toMatchObject({ TargetAmount: 100, TargetAchievedAmount: 14.5, PayerCount: 2 });
  expect(await shown('?Currency=USD')).toMatchObject({ TargetAchievedAmount: 10.5, PayerCount: 1 });
  const ofVendor = await billpay.send('GET', `/api/payment/TargetStats?billercode=${code}&currency=USD`);
  expect(await shown('?Currency=USD')).toEqual(ofVendor.json());
});

test('a biller without a target has none', async () => {
  const code = await billpay.addBiller();
  expect(await read(`/billers/${code}/target`)).toEqual({ Target: null });
});

test('an operator pages through the feed of all vendors, each payment once, also where vendors may not', async () => {
  const code = await billpay.addBiller({ AllowFeed: false }, [billpay.vendor, other]);
  await pay(code, 1);
  await pay(code, 2, 'USD', other);
  await pay(code, 3, 'ZWG');
  const amounts: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: { Items: { Amount: number }[]; NextCursor: string | null } = await read(
      `/billers/${code}/feed?Limit=1${cursor === '' ? '' : `&Cursor=${cursor}`}`,
    );
    amounts.push(...page.Items.map((item) => item.Amount));
    cursor = page.NextCursor;
  }
  expect(amounts).toEqual([3, 2, 1]);
  const ofCurrency = await read(`/billers/${code}/feed?Currency=ZIG`);
  expect(ofCurrency.Items).toMatchObject([{ Amount: 3, MemberNumber: `M-${number}`, MetaData: [] }]);
});

test('which vendors see a biller follows what is granted and withdrawn', async () => {
  const code = await billpay.addBiller({}, [other]);
  expect(await read(`/billers/${code}/vendors`)).toEqual({ VendorIds: [other.vendorId] });
  await billpay.setVisible(other, code, false);
  await billpay.setVisible(billpay.vendor, code, true);
  expect(await read(`/billers/${code}/vendors`)).toEqual({ VendorIds: [billpay.vendor.vendorId] });
});

test('a payment tells an operator whose it is', async () => {
  const reference = await pay(await billpay.addBiller({}, [other]), 5, 'USD', other);
  expect(await read(`/payments/${reference}`)).toMatchObject({
    VendorId: other.vendorId,
    VendorCode: other.vendorCode,
    BillPayReference: reference,
  });
});

test.each(['vendors', 'target', 'feed'])('there are no %s of a biller that does not exist', async (what) => {
  expect((await billpay.admin('GET', `/billers/NOWHERE/${what}`)).statusCode).toBe(404);
});

test('the overview tells of the newest payments and deliveries, so that whoever watches learns of each', async () => {
  const code = await billpay.addBiller({}, [other]);
  const before = (await read('/overview')).BillPayments;
  billpay.now = new Date(billpay.now.getTime() + 1000);
  const reference = await pay(code, 5, 'USD', other);
  const after = (await read('/overview')).BillPayments;
  expect(after.LatestPayments[0]).toMatchObject({
    BillPayReference: reference,
    VendorCode: other.vendorCode,
    TotalAmount: 5,
    Status: 'Paid',
  });
  expect(after.LatestPayments.slice(1)).toEqual(before.LatestPayments.slice(0, 4));
  expect(after).toMatchObject({ InvoicesWaiting: 0, InvoicesRejected: 0 });
  const told = await billpay.addVendor({ callbackUrl: 'http://127.0.0.1:9/hook' });
  billpay.now = new Date(billpay.now.getTime() + 1000);
  await billpay.setVisible(told, code, true);
  expect((await read('/overview')).BillPayments.LatestWebhooks[0]).toMatchObject({
    VendorCode: told.vendorCode,
    BillerCodes: [code],
    State: 'Pending',
    AttemptCount: 0,
  });
});

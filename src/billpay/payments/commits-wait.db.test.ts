import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { BookBiller } from '../../../test/support/billpay/book-biller.ts';
import { until } from '../../../test/support/process.ts';
import { primaryOf } from '../../platform/database/database.ts';
import { offlineConnector } from '../connectors/registry.ts';

let billpay: TestBillpay;
let offline: string;
let online: string;
const book = new BookBiller();

beforeAll(async () => {
  billpay = await createTestBillpay({ connectors: { Offline: offlineConnector, Test: book } });
  offline = await billpay.addBiller();
  online = await billpay.addBiller({ Connector: 'Test' });
});
afterAll(() => billpay.close());

const payment = (VendorReference: string, BillerCode: string) => {
  return { VendorReference, BillerCode, MemberNumber: '7', Currency: 'USD', Amount: 5 };
};
const post = async (path: string, body: object) =>
  (await billpay.send('POST', `/api/payment/${path}`, body)).statusCode;
const status = async (reference: string) =>
  (await billpay.send('GET', `/api/payment/status?vendorReference=${reference}`)).statusCode;

test('while commits wait for a standby nothing is paid, authorised or reversed, no biller is asked, and no payment is said not to be there', async () => {
  const primary = primaryOf(billpay.pool);
  expect(await post('pay', payment('paid', online))).toBe(200);
  primary.isReplicated = true;
  expect([await status('paid'), await status('none')]).toEqual([200, 404]);
  // A transaction of another test may be older, and not be over yet.
  await until(async () => {
    primary.isWaiting = true;
    if ((await status('paid')) === 200) return true;
    primary.isWaiting = false;
    return (await status('paid')) === 0;
  }, 'the standby surely has it');
  for (const biller of [offline, online]) {
    expect(await post('pay', payment('new', biller))).toBe(503);
    expect(await post('auth', payment('new', biller))).toBe(503);
  }
  expect(await post('reverse', { VendorReference: 'paid' })).toBe(503);
  expect(await post('reverse', { VendorReference: 'none' })).toBe(503);
  expect([await status('paid'), await status('new')]).toEqual([200, 503]);
  primary.isWaiting = false;
  expect([book.asked.size, book.books.size]).toEqual([1, 1]);
  expect([await status('paid'), await status('new')]).toEqual([200, 404]);
  expect(await post('pay', payment('new', offline))).toBe(200);
});

test('nobody waits behind a payment whose commit does', async () => {
  const primary = primaryOf(billpay.pool);
  const holder = await billpay.pool.connect();
  await holder.query('begin');
  await holder.query('select from biller_clocks for update');
  const first = post('pay', payment('first', offline));
  await until(() => billpay.pool.totalCount - billpay.pool.idleCount === 2, 'the first one waits');
  primary.isWaiting = true;
  const begunAt = performance.now();
  expect(await post('pay', payment('second', offline))).toBe(503);
  expect(performance.now() - begunAt).toBeLessThan(9000);
  await holder.query('rollback');
  holder.release();
  expect(await first).toBe(200);
  // A commit was confirmed.
  expect(await post('pay', payment('second', offline))).toBe(200);
});

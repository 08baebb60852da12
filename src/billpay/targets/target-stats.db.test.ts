import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BILLER, createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { type NewPayment, TargetBooks } from '../../../test/support/billpay/target-books.ts';
import { decimal } from '../../kernel/decimal.ts';
import { stepPeriod } from './build-period.ts';
import { claimPeriods } from './period-store.ts';

const EVER = { TargetAmount: decimal('1500.50'), TargetUnits: decimal('40') };
const from = (since: Date) => ({ TargetAchievedSinceDate: since.toISOString() });

let billpay: TestBillpay;
let books: TargetBooks;
let biller: string;

beforeAll(async () => {
  billpay = await createTestBillpay();
  books = new TargetBooks(billpay.pool);
  await books.addVendor();
});
afterAll(() => billpay.close());
beforeEach(async () => {
  biller = await billpay.addBiller(EVER);
});

const ask = (query: string, token?: string) =>
  billpay.send('GET', `/api/payment/TargetStats${query}`, undefined, token);
const stats = async (query = '') => (await ask(`?billercode=${biller}${query}`)).body;
const pay = (amount: string, changes: Partial<NewPayment> = {}, now = billpay.now) =>
  books.pay([{ billerCode: biller, currency: 'USD', amount, units: 1, memberNumber: 'M1', ...changes }], now);

async function buildAll(): Promise<void> {
  for (;;) {
    const [periodId] = await claimPeriods(billpay.pool, 1, 0);
    if (periodId === undefined) return;
    await stepPeriod(billpay.pool, periodId, 100);
  }
}

describe('target statistics', () => {
  test('have the names and types that are promised, and amounts to the last digit', async () => {
    await pay('9999999999999999.99', { units: 7 });
    await pay('9999999999999999.98', { units: 0, memberNumber: 'M2' });
    const answer = await ask(`?billercode=${biller}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.body).toBe(
      '{"TargetAmount":1500.5,"TargetUnits":40,"TargetAchievedSinceDate":null,' +
        '"TargetAchievedAmount":19999999999999999.97,"TargetAchievedUnits":7,"PayerCount":2}',
    );
  });

  test('are zero before the first payment, and in a currency in which nobody paid', async () => {
    const nothing =
      '{"TargetAmount":1500.5,"TargetUnits":40,"TargetAchievedSinceDate":null,' +
      '"TargetAchievedAmount":0,"TargetAchievedUnits":0,"PayerCount":0}';
    expect(await stats()).toBe(nothing);
    await pay('5');
    expect(await stats('&currency=ZWG')).toBe(nothing);
  });

  test('of one currency count its payments and payers; without one all are added up; ZIG is ZWG', async () => {
    await pay('5');
    await pay('20', { currency: 'ZWG' });
    await pay('0.5', { currency: 'ZWG', memberNumber: 'M2' });
    expect(JSON.parse(await stats('&currency=USD'))).toMatchObject({ TargetAchievedAmount: 5, PayerCount: 1 });
    expect(JSON.parse(await stats('&currency=ZIG'))).toMatchObject({ TargetAchievedAmount: 20.5, PayerCount: 2 });
    expect(await stats('&currency=ZIG')).toBe(await stats('&currency=ZWG'));
    expect(JSON.parse(await stats())).toMatchObject({
      TargetAchievedAmount: 25.5,
      TargetAchievedUnits: 3,
      PayerCount: 2,
    });
  });

  test('of a new since-date show when they are counted, with that date; until then the old ones go on', async () => {
    const [first] = await pay('5');
    const later = new Date(billpay.now.getTime() + 1000);
    await pay('7', {}, later);
    const since = new Date((first?.paidAt.getTime() ?? 0) + 1);
    await billpay.changeBiller({ ...BILLER, Code: biller, ...EVER, TargetAmount: decimal('2000'), ...from(since) });
    await pay('1', { memberNumber: 'M2' }, later);
    expect(JSON.parse(await stats())).toEqual({
      TargetAmount: 2000,
      TargetUnits: 40,
      TargetAchievedSinceDate: null,
      TargetAchievedAmount: 13,
      TargetAchievedUnits: 3,
      PayerCount: 2,
    });
    await buildAll();
    expect(JSON.parse(await stats())).toEqual({
      TargetAmount: 2000,
      TargetUnits: 40,
      TargetAchievedSinceDate: since.toISOString(),
      TargetAchievedAmount: 8,
      TargetAchievedUnits: 2,
      PayerCount: 2,
    });
  });

  test('a since-date in the future leaves nothing to count, and what is paid from it on counts', async () => {
    await pay('5');
    const since = new Date(billpay.now.getTime() + 60_000);
    await billpay.changeBiller({ ...BILLER, Code: biller, ...EVER, ...from(since) });
    await pay('6', {}, new Date(since.getTime() - 1));
    expect(JSON.parse(await stats())).toMatchObject({ TargetAchievedSinceDate: since.toISOString(), PayerCount: 0 });
    await pay('7', {}, since);
    expect(JSON.parse(await stats())).toMatchObject({ TargetAchievedAmount: 7, PayerCount: 1 });
  });

  test('a period whose lease lies hours ahead, from before the clock was set back, is taken', async () => {
    await buildAll();
    await pay('5');
    await billpay.changeBiller({ ...BILLER, Code: biller, ...EVER, ...from(billpay.now) });
    const claim = () => claimPeriods(billpay.pool, 1, 10_000);
    const [claimed] = await claim();
    expect(claimed).toBeDefined();
    expect(await claim()).toEqual([]);
    await billpay.pool.query("update target_periods set locked_until = locked_until + interval '3 hours'");
    expect(await claim()).toEqual([claimed]);
    await billpay.pool.query('update target_periods set locked_until = null');
    await buildAll();
  });

  test('changing amount and units alone counts nothing again', async () => {
    await buildAll();
    await pay('5');
    await billpay.changeBiller({ ...BILLER, Code: biller, ...EVER, TargetUnits: decimal('3') });
    expect(JSON.parse(await stats())).toMatchObject({ TargetUnits: 3, TargetAchievedAmount: 5 });
    expect(await claimPeriods(billpay.pool, 1, 0)).toEqual([]);
  });

  test('of a biller without a target are zero bytes; those of a first target are waited for, and after five seconds 503', async () => {
    biller = await billpay.addBiller();
    await pay('5');
    const answer = await ask(`?billercode=${biller}`);
    expect([answer.statusCode, answer.rawPayload.length, answer.headers['content-length']]).toEqual([200, 0, '0']);
    await billpay.changeBiller({ ...BILLER, Code: biller, ...EVER });
    const late = await ask(`?billercode=${biller}`);
    expect([late.statusCode, late.json().Code]).toEqual([503, 'Unavailable']);
    const waiting = stats();
    await buildAll();
    expect(JSON.parse(await waiting)).toMatchObject({ TargetAchievedAmount: 5 });
    await billpay.changeBiller({ ...BILLER, Code: biller });
    expect(await stats()).toBe('');
  });
});

describe('who asks wrongly', () => {
  test('a missing billercode, one with a typing error and a currency that is none are 400 with the field', async () => {
    expect((await ask('')).json().errors).toMatchObject([{ Field: 'billercode', Code: 'Required' }]);
    expect((await ask('?billercode=')).statusCode).toBe(400);
    expect((await ask(`?billerCode=${biller}`)).statusCode).toBe(400);
    expect((await ask(`?billercode=${biller}&currency=dollars`)).json().errors).toMatchObject([{ Field: 'currency' }]);
  });

  test('an unknown biller and one that the vendor does not see are the same 404', async () => {
    const foreign = await billpay.addBiller(EVER, []);
    const answers = await Promise.all(['NOWHERE', foreign, '%20'].map((code) => ask(`?billercode=${code}`)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404]);
    const bodies = answers.map((answer) => ({ ...answer.json<object>(), requestId: '' }));
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[2]).toEqual(bodies[0]);
    await billpay.setVisible(billpay.vendor, biller, false);
    expect((await ask(`?billercode=${biller}`)).statusCode).toBe(404);
  });

  test('without a token nothing is told', async () => {
    expect((await ask(`?billercode=${biller}`, 'Bearer tsv_unknown')).statusCode).toBe(401);
  });
});

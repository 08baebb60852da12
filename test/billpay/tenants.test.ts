import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay, type TestVendor } from '../support/billpay/billpay.ts';

/** What belongs to another vendor answers as what does not exist. */

let billpay: TestBillpay;
let mallory: TestVendor;
/** Of `billpay.vendor` alone. */
let theirBiller: string;
/** Of both. */
let sharedBiller: string;
let theirBillPayReference: string;

const payment = (billerCode: string, vendorReference: string) => ({
  VendorReference: vendorReference,
  BillerCode: billerCode,
  MemberNumber: '4711',
  Currency: 'USD',
  Amount: 10,
  PaymentType: 'Cash',
});

beforeAll(async () => {
  billpay = await createTestBillpay();
  mallory = await billpay.addVendor();
  theirBiller = await billpay.addBiller({ AllowFeed: true });
  sharedBiller = await billpay.addBiller({ AllowFeed: true }, [billpay.vendor, mallory]);
  const paid = await billpay.send('POST', '/api/payment/pay', payment(sharedBiller, 'THEIRS-1'));
  expect(paid.json()).toMatchObject({ Status: 'Paid' });
  theirBillPayReference = paid.json<{ BillPayReference: string }>().BillPayReference;
});
afterAll(() => billpay.close());

type Request = ['GET' | 'POST', string, object?];

/** Each time the same request twice: for what is another vendor's, and for what is nobody's. */
const PAIRS: Record<string, () => [Request, Request]> = {
  'the status of a payment by its own reference': () => [
    ['GET', '/api/payment/status?vendorReference=THEIRS-1'],
    ['GET', '/api/payment/status?vendorReference=NOWHERE'],
  ],
  'the status of a payment by the reference of the service': () => [
    ['GET', `/api/payment/status?billPayReference=${theirBillPayReference}`],
    ['GET', `/api/payment/status?billPayReference=${'0'.repeat(theirBillPayReference.length)}`],
  ],
  'the reversal of a payment': () => [
    ['POST', '/api/payment/reverse', { BillPayReference: theirBillPayReference }],
    ['POST', '/api/payment/reverse', { BillPayReference: '0'.repeat(theirBillPayReference.length) }],
  ],
  'a payment for a biller': () => [
    ['POST', '/api/payment/pay', payment(theirBiller, 'MINE-1')],
    ['POST', '/api/payment/pay', payment('NOWHERE', 'MINE-1')],
  ],
  'the authorisation of a payment for a biller': () => [
    ['POST', '/api/payment/auth', payment(theirBiller, 'MINE-2')],
    ['POST', '/api/payment/auth', payment('NOWHERE', 'MINE-2')],
  ],
  'the feed of a biller': () => [
    ['GET', `/api/payment/feed?billercode=${theirBiller}`],
    ['GET', '/api/payment/feed?billercode=NOWHERE'],
  ],
  'the target statistics of a biller': () => [
    ['GET', `/api/payment/TargetStats?billercode=${theirBiller}`],
    ['GET', '/api/payment/TargetStats?billercode=NOWHERE'],
  ],
  'the configuration of a biller': () => [
    ['GET', `/api/payment/ListBillers?billerCodes=${theirBiller}`],
    ['GET', '/api/payment/ListBillers?billerCodes=NOWHERE'],
  ],
  'the changes of a biller': () => [
    ['GET', `/api/payment/ListBillers?changedSince=2020-01-01T00:00:00Z&billerCodes=${theirBiller}`],
    ['GET', '/api/payment/ListBillers?changedSince=2020-01-01T00:00:00Z&billerCodes=NOWHERE'],
  ],
  'payments in the list by their biller': () => [
    ['GET', `/api/payment/list?BillerCode=${theirBiller}`],
    ['GET', '/api/payment/list?BillerCode=NOWHERE'],
  ],
};

describe('another vendor’s and nobody’s cannot be told apart', () => {
  test.each(Object.keys(PAIRS))('%s', async (name) => {
    const [another, unknown] = PAIRS[name]?.() ?? [];
    if (another === undefined || unknown === undefined) throw new Error('there is no such pair');
    const answers = await Promise.all(
      [another, unknown].map(async ([method, path, body]) => {
        const answer = await billpay.send(method, path, body, `Bearer ${mallory.token}`);
        const { date: _date, 'x-request-id': requestId, ...headers } = answer.headers;
        return { status: answer.statusCode, headers, body: answer.body.replaceAll(String(requestId), '…') };
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    // A list is just empty; everything else is not there.
    expect(answers[0]?.status).toBe(/ListBillers|list/.test(another[1]) ? 200 : 404);
  });
});

test('the same reference may be used by two vendors, and each has its own payment', async () => {
  const bearer = `Bearer ${mallory.token}`;
  const paid = await billpay.send('POST', '/api/payment/pay', payment(sharedBiller, 'THEIRS-1'), bearer);
  expect(paid.statusCode).toBe(200);
  expect(paid.headers).not.toHaveProperty('idempotent-replay');
  expect(paid.json().BillPayReference).not.toBe(theirBillPayReference);
  const list = await billpay.send('GET', '/api/payment/list', undefined, bearer);
  expect(list.json().Payments).toHaveLength(1);
});

describe('credentials', () => {
  const status = async (authorization: string) =>
    (await billpay.send('GET', '/api/payment/ListBillers', undefined, authorization)).statusCode;
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  test('a token is taken only with the vendor it belongs to, in every form', async () => {
    const { vendor } = billpay;
    const forms = (named: TestVendor, token: string) => [
      `Basic ${base64(`${named.vendorCode}:${token}`)}`,
      `Bearer ${base64(`${token}:${named.vendorId}`)}`,
      `Bearer ${base64(`${token}:${named.vendorCode}`)}`,
    ];
    for (const form of forms(mallory, mallory.token)) expect(await status(form)).toBe(200);
    for (const form of forms(vendor, mallory.token)) expect(await status(form)).toBe(401);
    for (const form of forms(mallory, `tsv_${'A'.repeat(43)}`)) expect(await status(form)).toBe(401);
  });

  test('an unknown token and another vendor’s are refused in the same words', async () => {
    const path = '/api/payment/ListBillers';
    const words = async (authorization: string) => {
      const { requestId: _requestId, ...rest } = (await billpay.send('GET', path, undefined, authorization)).json();
      return rest;
    };
    const another = await words(`Basic ${base64(`${mallory.vendorCode}:${billpay.vendor.token}`)}`);
    expect(another).toEqual(await words(`Basic ${base64(`${mallory.vendorCode}:tsv_unknown`)}`));
    expect(another).toEqual(await words(`Basic ${base64(`NOBODY:${billpay.vendor.token}`)}`));
  });

  test('operators’ and vendors’ tokens do not open each other’s doors', async () => {
    expect(await status(`Bearer ${billpay.operatorToken}`)).toBe(401);
    const asOperator = await billpay.send('GET', '/api/admin/vendors');
    expect(asOperator.statusCode).toBe(401);
    const operators = await billpay.send('GET', '/api/payment/list', undefined, `Bearer ${billpay.operatorToken}`);
    expect(operators.json().detail).toContain('Here use one of a vendor (tsv_…)');
    expect(asOperator.json().detail).toMatch(/^This is a token of a vendor \(tsv_…\)/);
  });

  test('a suspended vendor is told so, everywhere, and can go on when it is resumed', async () => {
    const suspended = await billpay.addVendor();
    const bearer = `Bearer ${suspended.token}`;
    await billpay.admin('PATCH', `/vendors/${suspended.vendorId}`, { Suspended: true });
    for (const path of ['/api/payment/ListBillers', '/api/payment/list', '/api/events'])
      expect((await billpay.send('GET', path, undefined, bearer)).statusCode, path).toBe(403);
  });

  test('a token that may only read cannot pay', async () => {
    const VendorId = billpay.vendor.vendorId;
    const { Token } = (await billpay.admin('POST', '/tokens', { VendorId, Name: 'reader', Scopes: ['read'] })).json();
    const answer = await billpay.send('POST', '/api/payment/pay', payment(sharedBiller, 'NEVER'), `Bearer ${Token}`);
    expect([answer.statusCode, answer.json().detail]).toEqual([403, 'This token lacks the scope pay.']);
  });
});

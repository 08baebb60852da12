import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BILLER, createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { decimal } from '../../kernel/decimal.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';
import type { Product } from '../core/biller.ts';

let billpay: TestBillpay;
let plain: string;
let priced: string;
let count = 0;

const KL5: Product = {
  Code: 'KL5',
  Name: 'Water, 5 kilolitres',
  Enabled: true,
  Prices: [{ Currency: 'USD', Price: decimal('5') }],
};

beforeAll(async () => {
  billpay = await createTestBillpay();
  plain = await billpay.addBiller();
  const Fees = [{ Currency: 'USD', Fixed: decimal('0.25'), Percent: decimal('1') }];
  priced = await billpay.addBiller({ Products: [KL5], Fees, MemberNumberRegex: '[0-9]{8}' });
});
afterAll(() => billpay.close());

const payment = (changes: object = {}) => {
  count += 1;
  return {
    VendorReference: `V-${count}`,
    BillerCode: plain,
    MemberNumber: '1002',
    Currency: 'USD',
    Amount: 12.5,
    ...changes,
  };
};
const pay = (body: object) => billpay.send('POST', '/api/payment/pay', body);
const auth = (body: object) => billpay.send('POST', '/api/payment/auth', body);
const status = (query: string) => billpay.send('GET', `/api/payment/status?${query}`);
const rowsOf = async (reference: string) =>
  (await billpay.pool.query('select payment_id from payments where vendor_reference = $1', [reference])).rows.length;

describe('a payment of an offline biller', () => {
  test('is answered as Paid, with everything a vendor needs', async () => {
    const body = payment({ MemberName: 'Tendai', MetaData: [{ Key: 'Meter', Value: '0142' }], PaymentType: 'Cash' });
    const answer = await pay(body);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['idempotent-replay']).toBeUndefined();
    expect(answer.json()).toEqual({
      ...body,
      BillPayReference: expect.stringMatching(/^P[0-9A-HJKMNP-TV-Z]{20}$/),
      Fee: 0,
      TotalAmount: 12.5,
      Products: [],
      Status: 'Paid',
      Narration: null,
      CreatedAt: billpay.now.toISOString(),
      PaidAt: expect.any(String),
      ReversedAt: null,
      VendorInvoiceReference: null,
      VendorFiscalSignature: null,
      VendorFiscalMetadata: null,
    });
  });

  test('shows fee and total apart from the amount, and the products with the prices of the biller', async () => {
    const answer = await pay(
      payment({ BillerCode: priced, MemberNumber: '10023456', Amount: 10, Products: [{ Code: 'KL5', Quantity: 2 }] }),
    );
    expect(answer.json()).toMatchObject({
      Amount: 10,
      Fee: 0.35,
      TotalAmount: 10.35,
      Products: [{ Code: 'KL5', Name: 'Water, 5 kilolitres', Quantity: 2, Price: 5 }],
    });
  });

  test('keeps every digit of a large amount', async () => {
    const text = JSON.stringify(payment()).replace('12.5', '9999999999999999.99');
    const large = await billpay.send('POST', '/api/payment/pay', text);
    expect(large.body).toContain('"Amount":9999999999999999.99,');
    expect(large.body).toContain('"TotalAmount":9999999999999999.99,');
  });

  test('again with the same data is the same payment, and says so', async () => {
    const body = payment();
    const first = await pay(body);
    const again = await pay({ ...body, Products: null, MemberName: null });
    expect(again.statusCode).toBe(200);
    expect(again.headers['idempotent-replay']).toBe('true');
    expect(again.body).toBe(first.body);
    expect(await rowsOf(body.VendorReference)).toBe(1);
  });

  test('with the same reference and other data is a conflict that names the fields', async () => {
    const body = payment();
    await pay(body);
    const other = await pay({ ...body, Amount: 12.51, MemberNumber: '1003' });
    expect(other.statusCode).toBe(409);
    expect(other.json()).toMatchObject({
      Code: 'ReferenceConflict',
      errors: [
        { Field: 'MemberNumber', Code: 'ReferenceConflict', Message: 'recorded with 1002, now 1003' },
        { Field: 'Amount', Code: 'ReferenceConflict', Message: 'recorded with 12.5, now 12.51' },
      ],
    });
  });

  test('is paid once however many twins come at the same moment', async () => {
    const body = payment();
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(body)));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body: text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replay'] === undefined)).toHaveLength(1);
    expect(await rowsOf(body.VendorReference)).toBe(1);
  });

  test('in ZIG is a payment in ZWG', async () => {
    const body = payment({ Currency: 'ZIG' });
    expect((await pay(body)).json()).toMatchObject({ Currency: 'ZWG' });
    expect((await pay({ ...body, Currency: 'ZWG' })).headers['idempotent-replay']).toBe('true');
  });

  test('of a biller that the vendor does not see is answered as one that does not exist', async () => {
    const hidden = await billpay.addBiller({}, []);
    const ofHidden = await pay(payment({ BillerCode: hidden }));
    const ofUnknown = await pay(payment({ BillerCode: 'NOBODY' }));
    expect(ofHidden.statusCode).toBe(404);
    const anonymous = (text: string) => text.replace(/"requestId":"[^"]+"/, '');
    expect(anonymous(ofHidden.body)).toBe(anonymous(ofUnknown.body));
  });

  test('is not taken a moment after its biller was disabled', async () => {
    const code = await billpay.addBiller({ Code: 'SOON-GONE' });
    expect((await pay(payment({ BillerCode: code }))).statusCode).toBe(200);
    const authorised = payment({ BillerCode: code });
    expect((await auth(authorised)).statusCode).toBe(200);
    await billpay.changeBiller({ ...BILLER, Code: code, Enabled: false });
    for (const body of [payment({ BillerCode: code }), authorised]) {
      const refused = await pay(body);
      expect(refused.statusCode).toBe(400);
      expect(refused.json()).toMatchObject({ errors: [{ Field: 'BillerCode', Code: 'BillerDisabled' }] });
    }
  });

  test('leaves an event with the next number', async () => {
    const body = payment();
    const { BillPayReference, PaidAt } = (await pay(body)).json<{ BillPayReference: string; PaidAt: string }>();
    const { rows } = await billpay.pool.query<{ type: string; data: string }>(
      'select type, data from events where tenant_id = $1 order by number desc limit 1',
      [billpay.vendor.vendorId],
    );
    expect(rows[0]?.type).toBe('payment.paid');
    expect(JSON.parse(rows[0]?.data ?? '')).toEqual({
      VendorReference: body.VendorReference,
      BillPayReference,
      BillerCode: plain,
      PaidAt,
    });
  });
});

describe('an authorisation', () => {
  test('pays nothing, and is paid under the same reference', async () => {
    const body = payment();
    const authorised = await auth(body);
    expect(authorised.json()).toMatchObject({ Status: 'Authorised', PaidAt: null });
    expect((await auth(body)).headers['idempotent-replay']).toBe('true');
    const paid = await pay(body);
    expect(paid.headers['idempotent-replay']).toBeUndefined();
    expect(paid.json()).toMatchObject({
      Status: 'Paid',
      BillPayReference: authorised.json<{ BillPayReference: string }>().BillPayReference,
    });
    expect((await auth(body)).json()).toMatchObject({ Status: 'Paid' });
    const { Transitions } = (await status(`vendorReference=${body.VendorReference}`)).json<{
      Transitions: { From: string | null; To: string }[];
    }>();
    expect(Transitions.map(({ From, To }) => [From, To])).toEqual([
      [null, 'Authorised'],
      ['Authorised', 'Paid'],
    ]);
  });

  test('and its payment at the same moment end in one paid payment', async () => {
    const body = payment();
    const answers = await Promise.all([auth(body), pay(body), auth(body), pay(body)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect((await status(`vendorReference=${body.VendorReference}`)).json()).toMatchObject({ Status: 'Paid' });
    expect(await rowsOf(body.VendorReference)).toBe(1);
  });

  test('keeps its prices, whatever the biller changes until it is paid', async () => {
    const code = await billpay.addBiller({ Code: 'REPRICED', Products: [KL5] });
    const body = payment({ BillerCode: code, Amount: 5, Products: [{ Code: 'KL5', Quantity: 1 }] });
    await auth(body);
    await billpay.changeBiller({
      ...BILLER,
      Code: code,
      Products: [{ ...KL5, Prices: [{ Currency: 'USD', Price: decimal('6') }] }],
    });
    expect((await pay(body)).json()).toMatchObject({ Status: 'Paid', Amount: 5 });
  });
});

describe('a request with errors', () => {
  test('is told everything at once, and records nothing', async () => {
    const answer = await pay(
      payment({
        VendorReference: 'WRONG',
        BillerCode: priced,
        MemberNumber: 'abc',
        Currency: 'ZAR',
        Amount: -1.234,
        PaymentType: 'Gold',
        Products: [
          { Code: 'KL5', Quantity: 0 },
          { Code: 'NONE', Quantity: 1 },
        ],
      }),
    );
    expect(answer.statusCode).toBe(400);
    const codes = answer.json<{ errors: { Field: string; Code: string }[] }>().errors;
    expect(codes.map(({ Field, Code }) => `${Field} ${Code}`)).toEqual([
      'PaymentType NotOneOf',
      'MemberNumber MemberNumberInvalid',
      'Currency CurrencyNotTaken',
      'Amount AmountNotPositive',
      'Amount TooManyDecimals',
      'Products[0].Quantity QuantityInvalid',
      'Products[1].Code ProductUnknown',
    ]);
    expect(await rowsOf('WRONG')).toBe(0);
  });

  test('of the shape is told before any rule', async () => {
    const answer = await pay({ ...payment(), Amount: true, Amout: 1 });
    expect(answer.json()).toMatchObject({
      errors: [
        { Field: 'Amout', Code: 'UnknownField' },
        { Field: 'Amount', Code: 'WrongType' },
      ],
    });
  });
});

describe('the status', () => {
  test('is found by either reference, and by nobody else', async () => {
    const body = payment();
    const { BillPayReference } = (await pay(body)).json<{ BillPayReference: string }>();
    const byOurs = await status(`billPayReference=${BillPayReference}`);
    expect(byOurs.json()).toMatchObject({ ...body, Transitions: [{ From: null, To: 'Paid' }] });
    expect((await status(`vendorReference=${body.VendorReference}`)).body).toBe(byOurs.body);
    const stranger = await billpay.addVendor();
    for (const query of [`billPayReference=${BillPayReference}`, `vendorReference=${body.VendorReference}`]) {
      const foreign = await billpay.send('GET', `/api/payment/status?${query}`, undefined, `Bearer ${stranger.token}`);
      expect(foreign.statusCode).toBe(404);
    }
  });

  test.each(['', 'vendorReference=A&billPayReference=B', 'reference=A'])(
    'asked with "%s" is an error',
    async (query) => {
      expect((await status(query)).statusCode).toBe(400);
    },
  );
});

test('a token that may only read pays nothing', async () => {
  const { vendorId } = billpay.vendor;
  const { token } = await issueToken(billpay.pool, { vendorId, name: 'report', scopes: ['read'] });
  const body = payment();
  const answer = await billpay.send('POST', '/api/payment/pay', body, `Bearer ${token}`);
  expect(answer.statusCode).toBe(403);
  expect(await rowsOf(body.VendorReference)).toBe(0);
});

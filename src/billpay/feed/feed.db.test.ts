import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BILLER, createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { FEED_STATEMENTS } from './store.ts';

interface Item {
  readonly Date: string;
  readonly MemberNumber: string;
  readonly Amount: number;
  readonly MetaData: { Key: string; Value: string }[];
}

let billpay: TestBillpay;
let code: string;
beforeAll(async () => {
  billpay = await createTestBillpay();
  code = await billpay.addBiller({ AllowFeed: true });
});
afterAll(() => billpay.close());

const feed = (query: string, authorization?: string) =>
  billpay.send('GET', `/api/payment/feed?${query}`, undefined, authorization);
let count = 0;
const pay = (changes: object = {}, authorization?: string) => {
  count += 1;
  const body = {
    VendorReference: `V-${count}`,
    BillerCode: code,
    MemberNumber: `M-${count}`,
    Currency: 'USD',
    Amount: 1,
  };
  return billpay.send('POST', '/api/payment/pay', { ...body, ...changes }, authorization);
};

describe('the feed', () => {
  test('shows the documented fields, newest first, of all vendors', async () => {
    const other = await billpay.addVendor();
    await billpay.setVisible(other, code, true);
    await pay({ Amount: 10.5, MetaData: [{ Key: 'Meter', Value: '0142' }] });
    const second = await pay({ MemberNumber: 'X', Currency: 'ZIG' }, `Bearer ${other.token}`);
    const answer = await feed(`billercode=${code}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual([
      { Date: second.json<{ PaidAt: string }>().PaidAt, MemberNumber: 'X', Amount: 1, MetaData: [] },
      {
        Date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        MemberNumber: `M-${count - 1}`,
        Amount: 10.5,
        MetaData: [{ Key: 'Meter', Value: '0142' }],
      },
    ]);
    for (const currency of ['ZWG', 'ZIG']) {
      const inGold = await feed(`billercode=${code}&currency=${currency}`);
      expect(inGold.json<Item[]>().map(({ MemberNumber }) => MemberNumber)).toEqual(['X']);
    }
    expect((await feed(`billercode=${code}&currency=ZAR`)).body).toBe('[]');
  });

  test("shows the products' metadata as it was when it was recorded, and the vendor's word where both have the key", async () => {
    const product = (Code: string, MetaData: object[]) => ({ Code, Name: Code, Enabled: true, Prices: [], MetaData });
    const configured = (...Products: object[]) => ({ AllowFeed: true, Products: Products as never });
    const volume = { Key: 'Volume', Value: '10 m³' };
    const own = await billpay.addBiller(
      configured(
        product('A', [volume, { Key: 'Meter', Value: 'any' }]),
        product('B', [{ Key: 'Volume', Value: '20 m³' }]),
      ),
    );
    const products = ['A', 'B'].map((Code) => ({ Code, Quantity: 1, Price: 0.5 }));
    const meter = { Key: 'Meter', Value: '0142' };
    const paid = await pay({ BillerCode: own, Products: products, MetaData: [meter] });
    expect(paid.json()).toMatchObject({ Status: 'Paid', MetaData: [meter] });
    await billpay.changeBiller({ ...BILLER, Code: own, ...configured(product('A', [])) });
    const [item] = (await feed(`billercode=${own}`)).json<Item[]>();
    expect(item?.MetaData.toSorted((one, other) => (one.Key < other.Key ? -1 : 1))).toEqual([meter, volume]);
  });

  test('has 20 to a page, and the next 20 before the oldest of them', async () => {
    for (let paid = 0; paid < 45; paid += 1) await pay({ Currency: 'ZWG' });
    const seen: string[] = [];
    let before = '';
    for (let page = await feed(`billercode=${code}&currency=ZWG`); page.body !== '[]'; ) {
      const items = page.json<Item[]>();
      expect(items.length).toBeLessThanOrEqual(20);
      seen.push(...items.map((item) => item.MemberNumber));
      before = `&before=${Date.parse(items.at(-1)?.Date ?? '')}`;
      page = await feed(`billercode=${code}&currency=ZWG${before}`);
    }
    expect(seen).toHaveLength(46);
    expect(new Set(seen).size).toBe(46);
  });

  test('leaves out what was reversed, and what was only authorised', async () => {
    const { VendorReference, MemberNumber } = (await pay()).json<{ VendorReference: string; MemberNumber: string }>();
    const first = async () => (await feed(`billercode=${code}`)).json<Item[]>()[0]?.MemberNumber;
    expect(await first()).toBe(MemberNumber);
    await billpay.send('POST', '/api/payment/reverse', { VendorReference });
    expect(await first()).not.toBe(MemberNumber);
  });

  test('answers 400 without a biller code and with a before that is no integer', async () => {
    for (const query of ['', 'currency=USD', `billercode=${code}&before=1e3`, `billercode=${code}&before=x`]) {
      expect((await feed(query)).statusCode, query).toBe(400);
    }
    expect((await feed(`billercode=${code}&before=999999999999999`)).statusCode).toBe(200);
    for (const before of [0, -5, 1_794_816_000]) {
      const seconds = await feed(`billercode=${code}&before=${before}`);
      expect([seconds.statusCode, seconds.json().errors[0].Message]).toEqual([
        400,
        expect.stringContaining('millisecond'),
      ]);
    }
  });

  test('answers 403 where it is not enabled, and 404 for a biller that is unknown or not seen, in the same words', async () => {
    const closed = await billpay.addBiller({ AllowFeed: false });
    const hidden = await billpay.addBiller({ AllowFeed: true }, []);
    expect((await feed(`billercode=${closed}`)).statusCode).toBe(403);
    const anonymous = (text: string) => text.replace(/"requestId":"[^"]+"/, '');
    const [unknown, unseen] = [await feed('billercode=NOBODY'), await feed(`billercode=${hidden}`)];
    expect([unknown.statusCode, unseen.statusCode]).toEqual([404, 404]);
    expect(anonymous(unseen.body)).toBe(anonymous(unknown.body));
  });
});

test('a page costs a walk down one index, however deep it lies', async () => {
  const moments = `now() - number * interval '1 second'`;
  await billpay.pool.query(
    `insert into payments (vendor_id, vendor_reference, bill_pay_reference, biller_code, member_number, currency, amount, fee,
            units, products, meta_data, payment_type, status, created_at, paid_at, reversed_at)
     select $1, 'BULK-' || number, 'PBULK' || number, $2, 'M', case when number % 2 = 0 then 'USD' else 'ZWG' end, 1, 0, 0,
            '[]', '[]', 'Cash', case when number % 3 = 0 then 'Reversed' else 'Paid' end, now(), ${moments},
            case when number % 3 = 0 then now() end
       from generate_series(1, 20000) as number`,
    [billpay.vendor.vendorId, await billpay.addBiller({ Code: 'BULK' })],
  );
  await billpay.pool.query('analyze payments');
  for (const [name, index] of [
    ['all', 'payments_feed'],
    ['byCurrency', 'payments_feed_by_currency'],
  ] as const) {
    const client = await billpay.pool.connect();
    try {
      const types = name === 'all' ? '' : ', text';
      const last = name === 'all' ? '' : `, 'USD'`;
      await client.query('set plan_cache_mode = force_generic_plan');
      await client.query(`prepare feed (text, timestamptz, integer${types}) as ${FEED_STATEMENTS[name]}`);
      const explained = await client.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, costs off, timing off, summary off) execute feed ('BULK', now() - interval '15000 seconds', 20${last})`,
      );
      const plan = explained.rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain(`Index Scan Backward using ${index} on payments (actual rows=20.00`);
      expect(plan).not.toMatch(/Sort|Seq Scan|Bitmap|Rows Removed/);
      await client.query('deallocate feed');
    } finally {
      client.release(true);
    }
  }
});

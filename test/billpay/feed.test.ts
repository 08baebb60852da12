import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../support/billpay/billpay.ts';

const LONG_AGO = 2500;
const BURST = 500;
const PAYMENTS = LONG_AGO + 3 * BURST;

let billpay: TestBillpay;
let url: string;
let code: string;
let paid = 0;
beforeAll(async () => {
  billpay = await createTestBillpay();
  url = await billpay.listen();
  code = await billpay.addBiller({ AllowFeed: true });
});
afterAll(() => billpay.close());

const headers = () => ({ authorization: `Bearer ${billpay.vendor.token}`, 'content-type': 'application/json' });

/** So many payments at once. The clock stands still meanwhile: all of them fall in one millisecond. */
async function payMany(count: number): Promise<void> {
  const statuses = await Promise.all(
    Array.from({ length: count }, async () => {
      paid += 1;
      const answer = await billpay.send('POST', '/api/payment/pay', {
        VendorReference: `V-${paid}`,
        BillerCode: code,
        MemberNumber: `M-${paid}`,
        Currency: paid % 4 === 0 ? 'ZWG' : 'USD',
        Amount: 1,
      });
      return answer.statusCode;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
}

/** The history of a biller that has had the feed for long, older than anything paid now. */
async function loadHistory(): Promise<void> {
  await billpay.pool.query(
    `insert into payments (vendor_id, vendor_reference, bill_pay_reference, biller_code, member_number, currency, amount, fee,
            units, products, meta_data, payment_type, status, created_at, paid_at)
     select $1, 'V-' || number, 'P' || number, $2, 'M-' || number, case when number % 4 = 0 then 'ZWG' else 'USD' end, 1, 0, 0,
            '[]', '[]', 'Cash', 'Paid', $3, $3::timestamptz - ($4 - number) * interval '7 milliseconds'
       from generate_series(1, $4) as number`,
    [billpay.vendor.vendorId, code, new Date(billpay.now.getTime() - 1000), LONG_AGO],
  );
  paid = LONG_AGO;
}

interface Item {
  readonly Date: string;
  readonly MemberNumber: string;
}

/** Walks the whole feed as a vendor would, over HTTP. */
async function walk(query: string, onPage: (page: number) => Promise<void> = async () => {}): Promise<Item[]> {
  const seen: Item[] = [];
  for (let page = 0, before = ''; ; page += 1) {
    const answer = await fetch(`${url}/api/payment/feed?billercode=${code}${query}${before}`, { headers: headers() });
    expect(answer.status).toBe(200);
    const items = (await answer.json()) as Item[];
    seen.push(...items);
    const last = items.at(-1);
    if (last === undefined) return seen;
    before = `&before=${Date.parse(last.Date)}`;
    await onPage(page);
  }
}

test('paging meets each of 4,000 payments exactly once, 500 of them in one millisecond, while new ones arrive', async () => {
  await loadHistory();
  await payMany(BURST);
  // The next two follow in the millisecond after the first one began: its moments have run half a second ahead.
  billpay.now = new Date(billpay.now.getTime() + 1);
  await payMany(BURST);
  await payMany(BURST);
  expect(paid).toBe(PAYMENTS);
  const seen = await walk('', async (page) => {
    if (page % 50 === 0) await payMany(10);
  });
  const members = seen.map(({ MemberNumber }) => MemberNumber);
  // What arrived during the walk is newer than where it began.
  expect(new Set(members)).toEqual(new Set(Array.from({ length: PAYMENTS }, (_, index) => `M-${index + 1}`)));
  expect(members).toHaveLength(PAYMENTS);
  const dates = seen.map(({ Date: date }) => date);
  expect(dates).toEqual(dates.toSorted().toReversed());
  expect(new Set(dates).size).toBe(PAYMENTS);

  const inGold = await walk('&currency=ZIG');
  expect(inGold).toHaveLength(Math.floor(paid / 4));
  expect(new Set(inGold.map(({ MemberNumber }) => MemberNumber)).size).toBe(inGold.length);
});

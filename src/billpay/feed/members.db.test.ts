import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { newBillPayReference } from '../invoices/references.ts';
import { listMembers, membersGoOn } from './store.ts';

let billpay: TestBillpay;
let code: string;
const COUNT = 12_000;
const at = (second: number) => new Date(billpay.now.getTime() + second * 1000);

/** A payment a second: of 300 members in turn, but that one alone paid in the 6,000 in the middle. Every tenth is reversed. */
beforeAll(async () => {
  billpay = await createTestBillpay();
  code = await billpay.addBiller();
  const other = await billpay.addBiller();
  const payments = Array.from({ length: COUNT }, (_, number) => ({
    bill_pay_reference: newBillPayReference(at(number)),
    vendor_reference: `V-${number}`,
    biller_code: number % 1000 === 1 ? other : code,
    member_number: number > 3000 && number <= 9000 ? 'busy' : `M-${number % 300}${number < 3000 ? '' : '-late'}`,
    currency: number % 2 === 0 ? 'USD' : 'ZWG',
    status: number % 10 === 0 ? 'Reversed' : 'Paid',
    at: at(number).toISOString(),
  }));
  await billpay.pool.query(
    `insert into payments (vendor_id, vendor_reference, bill_pay_reference, biller_code, member_number, currency, amount, fee,
            units, products, meta_data, payment_type, status, created_at, paid_at, reversed_at)
     select $2, vendor_reference, bill_pay_reference, biller_code, member_number, currency, 1.10, 0.5, 0, '[]', '[]', 'Cash', status,
            at, at, case when status = 'Reversed' then at end
       from json_to_recordset($1) as p (vendor_reference text, bill_pay_reference text, biller_code text, member_number text,
            currency text, status text, at timestamptz)`,
    [JSON.stringify(payments), billpay.vendor.vendorId],
  );
  await billpay.pool.query('vacuum analyze payments');
});
afterAll(() => billpay.close());

test('every member who has paid is listed once, who paid last first, with what they paid', async () => {
  const members = [];
  for (let cursor = ''; ; ) {
    const page = (
      await billpay.admin('GET', `/billers/${code}/members?Limit=70&Cursor=${cursor}`.replace(/&Cursor=$/, ''))
    ).json();
    members.push(...page.Members);
    if (page.NextCursor === null) break;
    cursor = page.NextCursor;
  }
  const { rows } = await billpay.pool.query(
    `select member_number as "MemberNumber", count(*)::integer as "Payments", sum(amount) filter (where currency = 'USD')::float8 as usd
       from payments where biller_code = $1 and status = 'Paid' group by 1 order by max(paid_at) desc`,
    [code],
  );
  expect(members.map(({ MemberNumber, Payments }) => ({ MemberNumber, Payments }))).toEqual(
    rows.map(({ MemberNumber, Payments }) => ({ MemberNumber, Payments })),
  );
  const usd = members.map(
    ({ Totals }) => Totals.find(({ Currency }: { Currency: string }) => Currency === 'USD')?.Amount ?? null,
  );
  expect(usd).toEqual(rows.map((row) => row.usd));
});

test('one who pays all the time makes no page longer: it ends, and says where others follow', async () => {
  const before = at(8950).getTime();
  expect(await listMembers(billpay.pool, code, before, 50)).toEqual([]);
  const next = await membersGoOn(billpay.pool, code, before);
  expect(next && next > at(3001) && next < at(4000)).toBe(true);
  expect(await listMembers(billpay.pool, code, next?.getTime(), 50)).toHaveLength(50);
  expect(await membersGoOn(billpay.pool, code, next?.getTime())).toBeUndefined();
});

test('a biller that does not exist has no members, and neither has one that nobody paid', async () => {
  expect((await billpay.admin('GET', '/billers/NOBODY/members')).statusCode).toBe(404);
  const idle = await billpay.addBiller();
  expect((await billpay.admin('GET', `/billers/${idle}/members`)).json()).toEqual({
    Members: [],
    NextCursor: null,
  });
});

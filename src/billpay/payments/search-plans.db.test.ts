import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay, type TestVendor } from '../../../test/support/billpay/billpay.ts';
import { planOf } from '../../../test/support/query-plan.ts';
import { newBillPayReference } from '../invoices/references.ts';
import { type PaymentFilter, searchPayments, searchStatement } from './store.ts';

let billpay: TestBillpay;
let small: TestVendor;
const COUNT = 6000;
const at = (seconds: number) => new Date(billpay.now.getTime() + seconds * 1000);

/** A payment a second; one in twenty is not paid, and one in a hundred is of a vendor with few of them. */
beforeAll(async () => {
  billpay = await createTestBillpay();
  small = await billpay.addVendor();
  const biller = await billpay.addBiller();
  const payments = Array.from({ length: COUNT }, (_, number) => {
    const status = number % 20 > 0 ? 'Paid' : number % 40 === 0 ? 'Failed' : 'Reversed';
    const isPaid = status !== 'Failed';
    const moment = at(number).toISOString();
    return {
      vendor_id: (number % 100 === 7 ? small : billpay.vendor).vendorId,
      vendor_reference: `V-${number}`,
      bill_pay_reference: newBillPayReference(at(number)),
      member_number: `M-${number % 200}`,
      status,
      created_at: moment,
      paid_at: isPaid ? moment : null,
      reversed_at: status === 'Reversed' ? moment : null,
    };
  });
  await billpay.pool.query(
    `insert into payments (vendor_id, vendor_reference, bill_pay_reference, biller_code, member_number, currency, amount, fee,
            units, products, meta_data, payment_type, status, created_at, paid_at, reversed_at)
     select vendor_id, vendor_reference, bill_pay_reference, $2, member_number, 'USD', 1, 0, 0, '[]', '[]', 'Cash', status,
            created_at, paid_at, reversed_at
       from json_to_recordset($1) as p (vendor_id uuid, vendor_reference text, bill_pay_reference text, member_number text,
            status text, created_at timestamptz, paid_at timestamptz, reversed_at timestamptz)`,
    [JSON.stringify(payments), biller],
  );
  await billpay.pool.query('vacuum analyze payments');
});
afterAll(() => billpay.close());

interface Asked {
  readonly filter: Partial<PaymentFilter>;
  readonly vendorId?: string;
}
const time = () => ({ from: at(1000), to: at(1600) });
const inTime = () => `created_at >= '${at(1000).toISOString()}' and created_at < '${at(1600).toISOString()}'`;

/** Each form in which the console asks, the index it stands on, and the same question asked plainly. */
const FORMS: readonly [string, () => Asked, string, () => string][] = [
  ['everything', () => ({ filter: {} }), 'payments_bill_pay_reference_once', () => 'true'],
  [
    'a reference',
    () => ({ filter: { vendorReference: 'V-77' } }),
    'payments_reference_once',
    () => `vendor_reference = 'V-77'`,
  ],
  [
    'a beginning of few references',
    () => ({ filter: { vendorReferenceStarts: 'V-77' } }),
    'payments_reference_once',
    () => `vendor_reference like 'V-77%'`,
  ],
  [
    'a beginning of old references of a vendor',
    () => ({ filter: { vendorReferenceStarts: 'V-10' }, vendorId: small.vendorId }),
    'payments_reference_once',
    () => `vendor_reference like 'V-10%' and vendor_id = '${small.vendorId}'`,
  ],
  [
    'a beginning of new references',
    () => ({ filter: { vendorReferenceStarts: 'V-5' } }),
    'payments_bill_pay_reference_once',
    () => `vendor_reference like 'V-5%'`,
  ],
  ['a member', () => ({ filter: { memberNumber: 'M-77' } }), 'payments_by_member', () => `member_number = 'M-77'`],
  [
    'a member in a time',
    () => ({ filter: { memberNumber: 'M-77', ...time() } }),
    'payments_by_member',
    () => `member_number = 'M-77' and ${inTime()}`,
  ],
  ['the paid', () => ({ filter: { status: 'Paid' } }), 'payments_bill_pay_reference_once', () => `status = 'Paid'`],
  ['the failed', () => ({ filter: { status: 'Failed' } }), 'payments_unpaid', () => `status = 'Failed'`],
  [
    'the failed of a time',
    () => ({ filter: { status: 'Failed', ...time() } }),
    'payments_unpaid',
    () => `status = 'Failed' and ${inTime()}`,
  ],
  ['a time', () => ({ filter: time() }), 'payments_bill_pay_reference_once', inTime],
  [
    'a vendor with few',
    () => ({ filter: {}, vendorId: small.vendorId }),
    'payments_pkey',
    () => `vendor_id = '${small.vendorId}'`,
  ],
  [
    'a vendor with many, in a time',
    () => ({ filter: time(), vendorId: billpay.vendor.vendorId }),
    'payments_',
    () => `vendor_id = '${billpay.vendor.vendorId}' and ${inTime()}`,
  ],
];

test.each(FORMS)('%s is found by an index', async (_name, asked, index) => {
  const { vendorId, filter } = asked();
  const plan = await planOf(billpay.pool, await searchStatement(billpay.pool, vendorId, filter, undefined, 50));
  expect(plan.readWhole).not.toContain('payments');
  expect(plan.indexes.join(' ')).toContain(index);
});

test.each(FORMS)('the pages of %s join without a gap and without a repeat', async (_name, asked, _index, plainly) => {
  const { rows } = await billpay.pool.query<{ reference: string }>(
    `select vendor_reference as reference from payments where ${plainly()} order by created_at desc limit 600`,
  );
  expect(rows.length).toBeGreaterThan(0);
  const { vendorId, filter } = asked();
  const found: string[] = [];
  for (let before: string | undefined, isMore = true; isMore && found.length < rows.length; ) {
    const page = await searchPayments(billpay.pool, vendorId, filter, before, 61);
    found.push(...page.map(({ payment }) => payment.vendorReference));
    isMore = page.length > 0;
    before = page.at(-1)?.payment.billPayReference;
  }
  expect(found.slice(0, 600)).toEqual(rows.map((row) => row.reference));
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../support/billpay/billpay.ts';
import { addInstance, type Instance } from '../support/service.ts';

/** Two instances on one database, over real HTTP. */
let billpay: TestBillpay;
let second: Instance;
let urls: string[];
let code: string;
beforeAll(async () => {
  billpay = await createTestBillpay({ clock: () => new Date() });
  second = await addInstance(billpay);
  urls = [await billpay.listen(), await second.app.listen({ host: '127.0.0.1', port: 0 })];
  code = await billpay.addBiller({ AllowFeed: true });
});
afterAll(async () => {
  await second.close();
  await billpay.close();
});

interface Paid {
  readonly status: number;
  readonly isReplay: boolean;
  readonly body: { readonly BillPayReference: string; readonly PaidAt: string; readonly Status: string };
}

async function pay(url: string, reference: string, changes: object = {}): Promise<Paid> {
  const answer = await fetch(`${url}/api/payment/pay`, {
    method: 'POST',
    headers: { authorization: `Bearer ${billpay.vendor.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      VendorReference: reference,
      BillerCode: code,
      MemberNumber: reference,
      Currency: 'USD',
      Amount: 3,
      ...changes,
    }),
  });
  const isReplay = answer.headers.get('idempotent-replay') === 'true';
  return { status: answer.status, isReplay, body: (await answer.json()) as Paid['body'] };
}

/** All of them at once, in turn over the instances. */
const payAll = (references: readonly string[], changes?: object) =>
  Promise.all(references.map((reference, index) => pay(urls[index % urls.length] ?? '', reference, changes)));

test('twins on two instances at the same moment pay once each', async () => {
  const references = Array.from({ length: 60 }, (_, index) => `TWIN-${index % 15}`);
  // Shuffled, so that the twins of a reference meet on both instances in every order.
  const answers = await payAll(references.toSorted(() => Math.random() - 0.5));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(answers.filter(({ isReplay }) => !isReplay)).toHaveLength(15);
  expect(new Set(answers.map(({ body }) => body.BillPayReference)).size).toBe(15);
  const { rows } = await billpay.pool.query(
    `select (select count(*)::integer from payments where vendor_reference like 'TWIN-%') as payments,
            (select count(*)::integer from events where data ->> 'VendorReference' like 'TWIN-%') as events,
            (select count(*)::integer from payment_transitions join payments using (vendor_id, payment_id)
              where vendor_reference like 'TWIN-%') as transitions`,
  );
  expect(rows).toEqual([{ payments: 15, events: 15, transitions: 15 }]);
});

test('of two different payments under one reference at the same moment one is paid, the other a conflict', async () => {
  const other = await billpay.addBiller();
  for (let round = 0; round < 10; round += 1) {
    const reference = `RIVAL-${round}`;
    const answers = await Promise.all([
      pay(urls[0] ?? '', reference),
      pay(urls[1] ?? '', reference, { BillerCode: other }),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  }
});

test('payments of one biller on two instances have moments that increase in the order of their commits', async () => {
  const answers = await payAll(Array.from({ length: 300 }, (_, index) => `ORDER-${index}`));
  const moments = answers.map(({ body }) => body.PaidAt);
  expect(new Set(moments).size).toBe(300);
  const { rows } = await billpay.pool.query<{ number: bigint; paid_at: string }>(
    `select number, data ->> 'PaidAt' as paid_at from events where data ->> 'VendorReference' like 'ORDER-%' order by number`,
  );
  // Events are numbered in the order of the commits.
  expect(rows.map((row) => row.paid_at)).toEqual(moments.toSorted());
});

test('numbers of events have no gap', async () => {
  const { rows } = await billpay.pool.query<{ count: bigint; last: bigint }>(
    'select count(*) as count, max(number) as last from events where tenant_id = $1',
    [billpay.vendor.vendorId],
  );
  expect(rows[0]?.count).toBe(rows[0]?.last);
});

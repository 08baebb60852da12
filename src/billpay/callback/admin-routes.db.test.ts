import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { startVendorEndpoint, type VendorEndpoint } from '../../../test/support/billpay/vendor-endpoint.ts';
import { until } from '../../../test/support/process.ts';
import { systemClock } from '../../platform/clock.ts';

interface DeliveryAnswer {
  readonly DeliveryId: string;
  readonly State: string;
  readonly AttemptCount: number;
  readonly MostAttempts: number;
  readonly Attempts: readonly { readonly StatusCode: number; readonly Answer: string; readonly Error: string | null }[];
}

let bench: TestBillpay;
let endpoint: VendorEndpoint;
beforeAll(async () => {
  bench = await createTestBillpay({ clock: systemClock, webhookIntervalMs: 10 });
  endpoint = await startVendorEndpoint();
  bench.service.startWorkers();
});
afterAll(async () => {
  await bench.close();
  await endpoint.close();
});

async function listed(query = ''): Promise<{ Deliveries: DeliveryAnswer[]; NextCursor: string | null }> {
  const answer = await bench.admin('GET', `/webhook-deliveries${query}`);
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

async function shown(deliveryId: string): Promise<DeliveryAnswer | undefined> {
  return (await listed()).Deliveries.find(({ DeliveryId }) => DeliveryId === deliveryId);
}

test('an exhausted delivery is shown with its attempts and resent by hand, under its id, audited', async () => {
  endpoint.answer = (response) => response.writeHead(500).end('out of paper');
  const secret = 'the-vendors-own-token';
  const vendor = await bench.addVendor({ callbackUrl: endpoint.url, callbackToken: secret });
  const code = await bench.addBiller({}, [vendor]);
  const query = `?VendorId=${vendor.vendorId}&State=Exhausted`;
  await until(async () => (await listed(query)).Deliveries.length === 1, 'exhausted');
  const [delivery] = (await listed(query)).Deliveries;
  const id = delivery?.DeliveryId ?? '';
  expect(delivery).toMatchObject({
    VendorCode: vendor.vendorCode,
    BillerCodes: [code],
    AttemptCount: 3,
    MostAttempts: 3,
    NextAttemptAt: null,
    LastStatusCode: 500,
    LastError: 'answered 500 instead of 200',
  });
  const attempt = { StatusCode: 500, Answer: 'out of paper', Error: 'answered 500 instead of 200' };
  expect((await shown(id))?.Attempts).toMatchObject([attempt, attempt, attempt]);
  const openAlerts = () => bench.pool.query('select from alerts where what = $1 and cleared_at is null', [id]);
  expect((await openAlerts()).rowCount).toBe(1);

  endpoint.answer = 200;
  const resent = await bench.admin('POST', `/webhook-deliveries/${id}/resend`);
  expect(resent.json()).toMatchObject({ DeliveryId: id, State: 'Pending', AttemptCount: 3, MostAttempts: 6 });
  await until(async () => (await shown(id))?.State === 'Delivered', 'delivered');
  expect(await shown(id)).toMatchObject({ AttemptCount: 4, Attempts: [{}, {}, {}, { StatusCode: 200, Error: null }] });
  expect(endpoint.received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id, id]);
  expect((await openAlerts()).rowCount).toBe(0);

  const audit = await bench.admin('GET', '/audit?Action=webhook.resent');
  expect(audit.json()).toMatchObject({
    Entries: [
      {
        Subject: `webhook delivery ${id} of vendor ${vendor.vendorCode}`,
        Before: { State: 'Exhausted', MostAttempts: 3 },
        After: { State: 'Pending', MostAttempts: 6 },
      },
    ],
  });
  const everything = [resent.body, audit.body, JSON.stringify(await shown(id)), JSON.stringify(await listed())].join();
  expect(everything).not.toContain(secret);
  expect(everything).not.toContain(vendor.webhookSecret);
});

test('a resend of a delivery that fails again has three attempts more, and no fourth', async () => {
  endpoint.answer = 503;
  const vendor = await bench.addVendor({ callbackUrl: endpoint.url });
  await bench.addBiller({}, [vendor]);
  const query = `?VendorId=${vendor.vendorId}&State=Exhausted`;
  await until(async () => (await listed(query)).Deliveries.length === 1, 'exhausted');
  const id = (await listed(query)).Deliveries[0]?.DeliveryId ?? '';
  await bench.admin('POST', `/webhook-deliveries/${id}/resend`);
  await until(async () => (await shown(id))?.State === 'Exhausted', 'exhausted again');
  expect(await shown(id)).toMatchObject({ AttemptCount: 6, MostAttempts: 6 });
  expect((await shown(id))?.Attempts).toHaveLength(6);
});

test('the list pages through every delivery once, newest first', async () => {
  const vendor = await bench.addVendor({ callbackUrl: endpoint.url });
  await bench.pool.query(
    `insert into webhook_deliveries (vendor_id, delivery_id, biller_codes, state, is_gathering, next_attempt_at, created_at)
     select $1, gen_random_uuid(), '{A}', 'Delivered', false, now(), '2026-01-01T00:00:00Z'::timestamptz + (n / 3) * interval '1 ms'
       from generate_series(1, 25) n`,
    [vendor.vendorId],
  );
  const seen: { DeliveryId: string; CreatedAt: string }[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const answer = await listed(`?VendorId=${vendor.vendorId}&Limit=4${cursor && `&Cursor=${cursor}`}`);
    seen.push(...(answer.Deliveries as unknown as typeof seen));
    cursor = answer.NextCursor;
  }
  expect(new Set(seen.map(({ DeliveryId }) => DeliveryId)).size).toBe(25);
  expect(seen.map(({ CreatedAt }) => CreatedAt)).toEqual(
    seen
      .map(({ CreatedAt }) => CreatedAt)
      .toSorted()
      .toReversed(),
  );
});

test('what is not there is 404, what is wrong in the query is named', async () => {
  const nobody = '00000000-0000-7000-8000-000000000000';
  expect((await bench.admin('POST', `/webhook-deliveries/${nobody}/resend`)).statusCode).toBe(404);
  expect((await bench.admin('GET', '/webhook-deliveries?State=Lost')).statusCode).toBe(400);
  expect((await bench.admin('GET', '/webhook-deliveries?Cursor=9')).statusCode).toBe(400);
  expect((await bench.admin('GET', `/webhook-deliveries?Cursor=999999999999999_${'-'.repeat(36)}`)).statusCode).toBe(
    400,
  );
});

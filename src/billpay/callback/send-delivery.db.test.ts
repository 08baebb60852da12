import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BILLER, createTestBillpay, type TestBillpay, type TestVendor } from '../../../test/support/billpay/billpay.ts';
import {
  HANG,
  startVendorEndpoint,
  type VendorAnswer,
  type VendorEndpoint,
} from '../../../test/support/billpay/vendor-endpoint.ts';
import { until } from '../../../test/support/process.ts';
import { systemClock } from '../../platform/clock.ts';

const INTERVAL_MS = 150;

/** Waits for an answer as long as a busy machine may need to give it. */
let bench: TestBillpay;
/** Waits for two seconds only: for endpoints that never answer. */
let hasty: TestBillpay;
const endpoints: VendorEndpoint[] = [];
beforeAll(async () => {
  const options = { clock: systemClock, webhookIntervalMs: INTERVAL_MS };
  bench = await createTestBillpay({ ...options, webhookTimeoutMs: 30_000 });
  hasty = await createTestBillpay({ ...options, webhookTimeoutMs: 2000 });
  bench.service.startWorkers();
  hasty.service.startWorkers();
});
afterAll(async () => {
  await bench.close();
  await hasty.close();
  for (const endpoint of endpoints) await endpoint.close();
});

async function newEndpoint(answer: VendorAnswer = 200): Promise<VendorEndpoint> {
  const endpoint = await startVendorEndpoint(answer);
  endpoints.push(endpoint);
  return endpoint;
}

/** A vendor with an endpoint of its own that is told of one biller. */
async function toldVendor(answer: VendorAnswer = 200, callbackToken?: string, at = bench) {
  const endpoint = await newEndpoint(answer);
  const token = callbackToken === undefined ? {} : { callbackToken };
  const vendor = await at.addVendor({ callbackUrl: endpoint.url, ...token });
  const billerCode = await at.addBiller({}, [vendor]);
  return { endpoint, vendor, billerCode };
}

async function deliveries({ vendorId }: TestVendor, { pool } = bench) {
  const { rows } = await pool.query<{ delivery_id: string; state: string; attempts: number }>(
    'select delivery_id, state, attempts from webhook_deliveries where vendor_id = $1 order by created_at',
    [vendorId],
  );
  return rows;
}

async function attempts({ vendorId }: TestVendor, { pool } = bench) {
  const { rows } = await pool.query<{
    number: number;
    started_at: Date;
    ended_at: Date | null;
    status_code: number | null;
    answer: string | null;
    error: string | null;
  }>('select * from webhook_attempts where vendor_id = $1 order by number', [vendorId]);
  return rows;
}

const settled =
  (vendor: TestVendor, state: string, at = bench) =>
  () =>
    deliveries(vendor, at).then((rows) => rows.length > 0 && rows.every((row) => row.state === state));

describe.concurrent('a delivery', () => {
  test('is a bare array with the exact content type, the vendor’s token and a signature by the specification', async () => {
    const startedAt = Date.now();
    const { endpoint, vendor, billerCode } = await toldVendor(200, 'the-vendors-own-token');
    await until(() => endpoint.received.length === 1, 'the webhook');
    const [webhook] = endpoint.received;
    if (webhook === undefined) throw new Error('it was there a moment ago');
    expect(webhook).toMatchObject({ method: 'POST', path: '/hook', body: JSON.stringify([billerCode]) });
    const { headers, rawHeaders } = webhook;
    expect(rawHeaders[rawHeaders.indexOf('Content-type') + 1]).toBe('application/json');
    expect(headers.authorization).toBe('Bearer the-vendors-own-token');
    const id = String(headers['webhook-id']);
    const timestamp = String(headers['webhook-timestamp']);
    expect(Number(timestamp)).toBeGreaterThanOrEqual(Math.floor(startedAt / 1000));
    expect(Number(timestamp)).toBeLessThanOrEqual(webhook.at / 1000);
    const key = Buffer.from(vendor.webhookSecret.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${webhook.body}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
    await until(settled(vendor, 'Delivered'), 'delivered');
    expect(await deliveries(vendor)).toMatchObject([{ delivery_id: id, attempts: 1 }]);
  });

  test('has no Authorization header where the vendor gave no token', async () => {
    const { endpoint } = await toldVendor();
    await until(() => endpoint.received.length === 1, 'the webhook');
    expect(endpoint.received[0]?.headers.authorization).toBeUndefined();
  });

  test.each([
    ['500', 500, { status_code: 500, error: 'answered 500 instead of 200' }],
    ['204', 204, { status_code: 204, error: 'answered 204 instead of 200' }],
    ['a redirect', redirect, { status_code: 302, error: 'answered 302 instead of 200' }],
    ['nothing in time', HANG, { status_code: null, error: 'no whole answer within 2 s' }],
    ['a cut connection', cut, { status_code: null, error: 'the connection was cut (UND_ERR_SOCKET)' }],
    ['half an answer', half, { error: 'no whole answer within 2 s' }],
  ] as const)(
    'answered with %s has three attempts, the interval between them, and raises an alert',
    async (_name, answer, end) => {
      const at = answer === HANG || answer === half ? hasty : bench;
      const { endpoint, vendor } = await toldVendor(answer, undefined, at);
      await until(settled(vendor, 'Exhausted', at), 'exhausted');
      const log = await attempts(vendor, at);
      expect(log).toMatchObject([end, end, end]);
      for (const [index, { started_at: startedAt }] of log.slice(1).entries()) {
        const pause = startedAt.getTime() - (log[index]?.ended_at?.getTime() ?? 0);
        expect(pause).toBeGreaterThanOrEqual(INTERVAL_MS);
        expect(pause).toBeLessThan(INTERVAL_MS + 25_000);
      }
      const [delivery] = await deliveries(vendor, at);
      const ids = endpoint.received.map(({ headers }) => headers['webhook-id']);
      expect(ids).toEqual(Array(3).fill(delivery?.delivery_id));
      const { rows } = await at.pool.query<{ message: string }>(
        `select message from alerts where kind = 'WebhookExhausted' and vendor_id = $1 and cleared_at is null`,
        [vendor.vendorId],
      );
      expect(rows).toHaveLength(1);
      expect(rows[0]?.message).toContain(end.error);
    },
  );

  test('reaches a vendor that has recovered at the next attempt', async () => {
    let requests = 0;
    const { vendor } = await toldVendor((response) => {
      requests += 1;
      response.writeHead(requests === 1 ? 503 : 200).end('at last');
    });
    await until(settled(vendor, 'Delivered'), 'delivered');
    expect(requests).toBe(2);
    expect((await attempts(vendor)).at(-1)).toMatchObject({ status_code: 200, answer: 'at last', error: null });
  });

  test('answered with megabytes of control characters keeps a harmless kilobyte of them', async () => {
    const { vendor } = await toldVendor((response) => response.end(`\u001b[2J\u0000${'é'.repeat(1_000_000)}`));
    await until(settled(vendor, 'Delivered'), 'delivered');
    const [attempt] = await attempts(vendor);
    expect(attempt?.answer).toMatch(/^�\[2J�é+�$/);
    expect(attempt?.answer?.length).toBeLessThan(1024);
  });

  test('of a withdrawn biller goes to the vendor that saw it, and to nobody else', async () => {
    const { endpoint, vendor, billerCode } = await toldVendor();
    const other = await bench.addVendor({ callbackUrl: endpoint.url });
    await until(() => endpoint.received.length === 1, 'it became visible');
    await bench.setVisible(vendor, billerCode, false);
    await until(() => endpoint.received.length === 2, 'it was withdrawn');
    expect(endpoint.received.map(({ body }) => body)).toEqual(Array(2).fill(JSON.stringify([billerCode])));
    await bench.changeBiller({ ...BILLER, Code: billerCode, Name: 'Renamed' });
    expect(await deliveries(vendor)).toHaveLength(2);
    expect(await deliveries(other)).toEqual([]);
  });

  test('is not sent to an address inside where that is not allowed', async () => {
    const endpoint = await newEndpoint();
    const guarded = await createTestBillpay({
      clock: systemClock,
      webhookIntervalMs: 1,
      webhookAllowsPrivate: false,
    });
    const vendor = await guarded.addVendor({ callbackUrl: endpoint.url });
    await guarded.addBiller({}, [vendor]);
    guarded.service.startWorkers();
    await until(settled(vendor, 'Exhausted', guarded), 'given up');
    expect(endpoint.received).toEqual([]);
    expect((await attempts(vendor, guarded)).map(({ error }) => error)).toEqual(
      Array(3).fill('leads to 127.0.0.1, which is not an address of the public internet'),
    );
    await guarded.close();
  });

  test('to one vendor is not delayed by two hundred that hang, and they delay a stop by seconds only', async () => {
    const dead = await newEndpoint(HANG);
    const healthy = await newEndpoint();
    const slow = await createTestBillpay({ clock: systemClock, webhookTimeoutMs: 600_000 });
    const hanging: TestVendor[] = [];
    // Not all at once: they would wait for the few connections of a test longer than one may.
    while (hanging.length < 200) {
      const some = Array.from({ length: 10 }, () => slow.addVendor({ callbackUrl: dead.url }));
      hanging.push(...(await Promise.all(some)));
    }
    const code = await slow.addBiller({}, hanging);
    const vendor = await slow.addVendor({ callbackUrl: healthy.url });
    slow.service.startWorkers();
    await until(() => dead.received.length === 200, 'two hundred hang');
    const changedAt = Date.now();
    await slow.setVisible(vendor, code, true);
    slow.service.pokeCallbacks();
    await until(() => healthy.received.length === 1, 'the healthy one');
    // One second of it is for gathering.
    const tookMs = (healthy.received[0]?.at ?? 0) - changedAt;
    process.stdout.write(`with 200 vendors hanging, another was told ${tookMs} ms after the change\n`);
    expect(tookMs).toBeLessThan(60_000);
    await until(settled(vendor, 'Delivered', slow), 'written down');
    const stoppedAt = Date.now();
    await slow.service.drain();
    expect(Date.now() - stoppedAt).toBeLessThan(60_000);
    const { rows } = await slow.pool.query<{ error: string; count: bigint }>(
      `select error, count(*) from webhook_attempts where error is not null group by error`,
    );
    expect(rows).toEqual([{ error: 'the service was stopped before the answer came', count: 200n }]);
    await slow.close();
  });
});

function redirect(response: ServerResponse): void {
  response.writeHead(302, { location: endpoints[0]?.url }).end();
}

function cut(response: ServerResponse): void {
  response.socket?.destroy();
}

function half(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '10' }).write('half');
}

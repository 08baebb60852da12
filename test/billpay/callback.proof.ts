import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BillpayProcess, type VendorAnswerOfService } from '../support/billpay/process.ts';
import {
  HANG,
  startVendorEndpoint,
  type VendorAnswer,
  type VendorEndpoint,
} from '../support/billpay/vendor-endpoint.ts';
import { until } from '../support/process.ts';

const INTERVAL_MS = 1500;
const TIMEOUT_MS = 1000;
/** How much longer than the time-out an attempt is waited for whose process has died. */
const LEASE_MARGIN_MS = 5000;
const CALLBACK_TOKEN = 'a-token-that-nobody-else-may-see';

let bench: BillpayProcess;
const endpoints: VendorEndpoint[] = [];

beforeAll(async () => {
  bench = await BillpayProcess.start({
    WEBHOOK_INTERVAL_MS: String(INTERVAL_MS),
    WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'trace',
  });
});
afterAll(async () => {
  await bench.end();
  for (const endpoint of endpoints) await endpoint.close();
});

const biller = (code: string) => ({
  Code: code,
  Name: `Biller ${code}`,
  Enabled: true,
  Currencies: ['USD'],
  Fees: [{ Currency: 'USD', Fixed: 0.5, Percent: 0 }],
  Products: [],
  VendorMustInvoicePayments: false,
  AllowFeed: false,
  Connector: 'Offline',
});

async function vendorWith(code: string, answer: VendorAnswer) {
  const endpoint = await startVendorEndpoint(answer);
  endpoints.push(endpoint);
  const vendor = await bench.admin<VendorAnswerOfService>('POST', '/vendors', {
    Code: code,
    Name: code,
    CallbackUrl: endpoint.url,
    CallbackToken: CALLBACK_TOKEN,
  });
  return { endpoint, vendor };
}

const show = (vendor: VendorAnswerOfService, billerCode: string) =>
  bench.admin('PUT', `/vendors/${vendor.VendorId}/billers/${billerCode}`);

interface DeliveryAnswer {
  readonly DeliveryId: string;
  readonly State: string;
  readonly AttemptCount: number;
  readonly Attempts: readonly { readonly StartedAt: string; readonly EndedAt: string | null }[];
}

async function deliveriesOf(vendor: VendorAnswerOfService): Promise<DeliveryAnswer[]> {
  const page = await bench.admin<{ Deliveries: DeliveryAnswer[] }>(
    'GET',
    `/webhook-deliveries?VendorId=${vendor.VendorId}`,
  );
  return page.Deliveries;
}

test('a changed biller is told to the vendor as one request, and changes close together share it', async () => {
  const { endpoint, vendor } = await vendorWith('GATHERING', 200);
  for (const code of ['POWER', 'WATER']) await bench.admin('POST', '/billers', biller(code));
  await show(vendor, 'POWER');
  await show(vendor, 'WATER');
  await until(() => endpoint.received.length === 1, 'both became visible');
  expect(endpoint.received[0]?.body).toBe('["POWER","WATER"]');

  await bench.admin('PUT', '/billers/WATER', { ...biller('WATER'), Enabled: false });
  await until(() => endpoint.received.length === 2, 'the water was cut off');
  const webhook = endpoint.received[1];
  if (webhook === undefined) throw new Error('it was there a moment ago');
  const { headers, rawHeaders, body } = webhook;
  expect(body).toBe('["WATER"]');
  expect(rawHeaders[rawHeaders.indexOf('Content-type') + 1]).toBe('application/json');
  expect(headers.authorization).toBe(`Bearer ${CALLBACK_TOKEN}`);
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const key = Buffer.from(vendor.WebhookSecret.replace('whsec_', ''), 'base64');
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
});

test('kill -9 between two attempts and in the middle of one: three attempts all the same, never sooner than they may', async () => {
  const refusing = await vendorWith('REFUSING', 500);
  const hanging = await vendorWith('HANGING', HANG);
  await bench.admin('POST', '/billers', biller('ROADS'));
  await show(refusing.vendor, 'ROADS');
  await show(hanging.vendor, 'ROADS');
  await until(async () => {
    const { rows } = await bench.database.pool.query('select from webhook_attempts where status_code = 500');
    return rows.length === 1 && hanging.endpoint.received.length === 1;
  }, 'one has been refused and one hangs');
  await bench.kill();
  await bench.startAgain();

  for (const { vendor, endpoint } of [refusing, hanging]) {
    await until(async () => (await deliveriesOf(vendor))[0]?.State === 'Exhausted', `${vendor.Code} is given up`);
    const [delivery] = await deliveriesOf(vendor);
    expect(await deliveriesOf(vendor)).toHaveLength(1);
    const ids = endpoint.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual(Array(3).fill(delivery?.DeliveryId));
    const Attempts = delivery?.Attempts ?? [];
    const starts = Attempts.map(({ StartedAt }) => Date.parse(StartedAt));
    const earliest = Attempts.map(({ StartedAt, EndedAt }) =>
      EndedAt === null ? Date.parse(StartedAt) + TIMEOUT_MS + LEASE_MARGIN_MS : Date.parse(EndedAt) + INTERVAL_MS,
    );
    expect(starts[1]).toBeGreaterThanOrEqual(earliest[0] ?? 0);
    expect(starts[2]).toBeGreaterThanOrEqual(earliest[1] ?? 0);
    const isCutOff = Attempts.map(({ EndedAt }) => EndedAt === null);
    expect(isCutOff).toEqual([vendor.Code === 'HANGING', false, false]);
  }
});

test('whatever overtakes what, a vendor that reads the billers it is told of ends with what is so', async () => {
  const codes = ['ORDER-A', 'ORDER-B', 'ORDER-C'];
  const copy = new Map<string, string>();
  const tried = new Set<string>();
  const delivered: string[] = [];
  let token = '';
  // The first attempt of every other delivery fails, so that newer news overtakes it.
  const { vendor } = await vendorWith('READING', (response, { headers, body }) => {
    const id = String(headers['webhook-id']);
    const isNew = !tried.has(id);
    tried.add(id);
    if (isNew && tried.size % 2 === 1) {
      response.writeHead(500).end();
      return;
    }
    const told = JSON.parse(body) as string[];
    bench
      .read<{ Billers: { Code: string; Name: string }[] }>(
        token,
        `/api/payment/ListBillers?billerCodes=${told.join(',')}`,
      )
      .then(({ Billers }) => {
        for (const { Code, Name } of Billers) copy.set(Code, Name);
        delivered.push(id);
        return response.writeHead(200).end();
      })
      .catch(() => response.writeHead(503).end());
  });
  ({ Token: token } = await bench.admin<{ Token: string }>('POST', '/tokens', {
    VendorId: vendor.VendorId,
    Name: 'app',
    Scopes: ['read'],
  }));
  for (const code of codes) {
    await bench.admin('POST', '/billers', biller(code));
    await show(vendor, code);
  }
  const names = new Map<string, string>();
  for (let change = 0; change < 9; change += 1) {
    const code = codes[change % codes.length] ?? '';
    names.set(code, `${code}, ${change}`);
    await bench.admin('PUT', `/billers/${code}`, { ...biller(code), Name: `${code}, ${change}` });
    const seen = tried.size;
    await until(() => tried.size > seen, `change ${change} is under way`);
    if (change === 4) {
      await bench.kill();
      await bench.startAgain();
    }
  }
  await until(
    async () => (await deliveriesOf(vendor)).every(({ State }) => State === 'Delivered'),
    'all of it is delivered',
  );
  expect(Object.fromEntries(copy)).toEqual(Object.fromEntries(names));
  // It was not in order: a delivery came after one that was first sent later.
  const order = [...tried];
  expect(delivered.map((id) => order.indexOf(id))).not.toEqual(order.map((_, index) => index));
  expect(new Set(delivered)).toEqual(tried);
});

test('no secret has been in any log or any later answer', async () => {
  await bench.admin('GET', '/audit');
  await bench.admin('GET', '/alerts');
  await bench.admin('GET', '/vendors');
  const logs = bench.logs();
  expect(logs.length).toBeGreaterThan(1000);
  const { rows } = await bench.database.pool.query<{ everything: string }>(
    `select coalesce(string_agg(webhook_attempts::text, ''), '') as everything from webhook_attempts`,
  );
  for (const text of [logs, rows[0]?.everything ?? '', bench.answers]) expect(text).not.toContain(CALLBACK_TOKEN);
  // Shown once, when the vendor was made; four vendors were.
  expect(bench.answers.match(/whsec_/g)).toHaveLength(4);
  expect(logs).not.toContain('whsec_');
});

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { answerOf, ask } from '../support/ask.ts';
import { CONSOLE_HEADERS } from '../support/people.ts';
import { isAlive, Machine, postmasterId, readDemoFile, SERVICE, type ServiceProcess } from '../support/process.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';

const run = promisify(execFile);
const machine = new Machine();
afterAll(() => machine.end());

const hasCurl = existsSync('/usr/bin/curl') || existsSync('/bin/curl');
let dataDir: string;
let service: ServiceProcess;

async function read(url: string, token: string | undefined, path: string): Promise<Record<string, unknown>> {
  const answer = await ask({ url, token: token ?? '' }, 'GET', path);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

async function get(path: string) {
  const { baseUrl, taxpayer } = await readDemoFile(dataDir);
  return read(baseUrl, taxpayer.token, path);
}

async function asVendor(path: string) {
  const { billpayUrl, vendor } = await readDemoFile(dataDir);
  return read(billpayUrl, vendor.token, path);
}

async function asOperator(path: string) {
  const { baseUrl, operator } = await readDemoFile(dataDir);
  return read(baseUrl, operator.token, `/api/admin${path}`);
}

async function stop(): Promise<void> {
  expect(await service.stop()).toBe(0);
}

test('a first start makes a demo that only its owner can read, and is live and ready', async () => {
  dataDir = join(await machine.folder(), 'data');
  service = machine.start({ DATA_DIR: dataDir, LOG_LEVEL: '' }, { program: SERVICE });
  const url = await service.ready;
  expect((await stat(join(dataDir, 'demo.json'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(dataDir, 'master.key'))).mode & 0o777).toBe(0o600);
  const demo = await readDemoFile(dataDir);
  expect(demo).toMatchObject({ baseUrl: url, deviceId: 1001, taxPercents: [15.5, 0, null] });
  expect(await get('/health/live')).toEqual({ Status: 'live' });
  expect(await get('/health/ready')).toEqual({ Status: 'ready', Database: 'ok' });
  expect(service.stderr()).toBe('');
});

test.skipIf(!hasCurl)('the printed curl works when pasted into a shell', async () => {
  const pasted = /^curl .*?\]\}'$/ms.exec(service.stdout())?.[0];
  expect(pasted).toBeDefined();
  const { stdout } = await run('bash', ['-c', (pasted ?? '').replace('curl', 'curl --silent --show-error')]);
  expect(JSON.parse(stdout)).toMatchObject({ AuthorityDeviceId: 1001, TotalAmount: 3.5, FiscalDayNumber: 1 });
});

test('all that is written at the start is an address, who can log in there, and a call', async () => {
  const { operator, people } = await readDemoFile(dataDir);
  const lines = service
    .stdout()
    .split('\n')
    .filter((line) => line !== '');
  expect(lines.length).toBeLessThanOrEqual(11);
  expect(lines[0]).toMatch(/^ {2}Tillseal \S+ is running at http:/);
  expect(lines[1]).toContain(operator.password);
  for (const [index, { email, password }] of people.entries()) {
    expect(lines[2 + index]).toContain(`${email} with ${password}`);
  }
  expect(lines[6]).toMatch(/^curl /);
});

test('an owner, an accountant and a clerk log in, each with a password of their own, for what is theirs', async () => {
  const { baseUrl, operator, people } = await readDemoFile(dataDir);
  expect(new Set([operator, ...people].map(({ password }) => password)).size).toBe(4);
  const logIn = async (Email: string, Password: string) => {
    const answer = await fetch(`${baseUrl}/api/admin/session`, {
      method: 'POST',
      headers: { ...CONSOLE_HEADERS, 'content-type': 'application/json' },
      body: JSON.stringify({ Email, Password }),
    });
    const { Person } = (await answer.json()) as { Person: { Role: string; Tenant: { Kind: string; Name: string } } };
    return `${Person.Role} of ${Person.Tenant.Kind} ${Person.Tenant.Name}`;
  };
  expect(await Promise.all(people.map(({ email, password }) => logIn(email, password)))).toEqual([
    'owner of taxpayer Baobab Trading (Pvt) Ltd',
    'owner of practice Msasa Accountants',
    'clerk of biller A roof for Chiedza Primary',
  ]);
});

test('a payment of the demo is taken, and its invoice is signed automatically', async () => {
  const { billpayUrl, vendor, billers } = await readDemoFile(dataDir);
  const VendorReference = 'PAY-FIRST';
  const paid = await answerOf({ url: billpayUrl, token: vendor.token }, 'POST', '/api/payment/pay', {
    VendorReference,
    BillerCode: billers.invoiced,
    MemberNumber: '14250000041',
    Currency: 'USD',
    Amount: 5,
    Products: [{ Code: 'TOKEN-10', Quantity: 2 }],
    PaymentType: 'Cash',
  });
  expect(paid).toMatchObject({ Status: 'Paid', Amount: 5, Fee: 0.55 });
  const status = () => asVendor(`/api/payment/status?vendorReference=${VendorReference}`);
  await expect.poll(async () => (await status())['VendorFiscalMetadata']).not.toBeNull();
  expect(await status()).toMatchObject({ VendorFiscalMetadata: { DeviceId: 1001, FiscalDayNumber: 1 } });
});

test('the demo has a vendor that was told of its four billers, and weeks of payments to look at', async () => {
  const { vendor, billers, billpayUrl, baseUrl, simulator } = await readDemoFile(dataDir);
  expect(billpayUrl).toBe(baseUrl);
  expect(vendor.code).toBe('BAOBAB');
  const { Billers } = await asVendor('/api/payment/ListBillers');
  const listed = Billers as {
    Code: string;
    VendorMustInvoicePayments: boolean;
    AllowFeed: boolean;
    Enabled: boolean;
  }[];
  expect(listed.map(({ Code }) => Code).toSorted()).toEqual(Object.values(billers).toSorted());
  const found = (code: string) => listed.find(({ Code }) => Code === code);
  expect(found(billers.invoiced)).toMatchObject({ VendorMustInvoicePayments: true, Enabled: true });
  expect(found(billers.feed)).toMatchObject({ VendorMustInvoicePayments: false, AllowFeed: true });
  expect(found(billers.plain)).toMatchObject({
    VendorMustInvoicePayments: false,
    AllowFeed: false,
    TargetAmount: null,
  });
  const stats = await asVendor(`/api/payment/TargetStats?billercode=${billers.target}`);
  expect(stats['TargetAchievedAmount']).toBeGreaterThan(1000);
  expect(stats['TargetAchievedAmount']).toBeLessThan(Number(stats['TargetAmount']));
  const feed = (await asVendor(`/api/payment/feed?billercode=${billers.feed}`)) as unknown as { Date: string }[];
  expect(feed).toHaveLength(20);
  expect(Date.parse(feed[0]?.Date ?? '')).toBeLessThan(Date.now());
  await expect
    .poll(async () => {
      const received = (await (await fetch(`${simulator.controlUrl}/webhooks`)).json()) as { body: string }[];
      return received.flatMap(({ body }) => JSON.parse(body) as string[]).toSorted();
    })
    .toEqual(Object.values(billers).toSorted());
});

test('the demo device has its day open and its maintenance window twelve hours away', async () => {
  const device = await get('/api/device/1001');
  expect(device).toMatchObject({ State: 'Active', FiscalDay: { State: 'Opened', Number: 1 } });
  const { Start } = device['NextMaintenanceWindow'] as { Start: string };
  expect(Math.abs(Date.parse(Start) - Date.now() - 12 * 3_600_000)).toBeLessThan(600_000);
});

test("the demo's second token puts in its cashier", async () => {
  const demo = await readDemoFile(dataDir);
  const answer = await post({ url: demo.baseUrl, token: demo.taxpayer.cashierToken }, nowInvoice(1001, 'FIRST-1'));
  expect(await answer.json()).toMatchObject({ Cashier: 'Rudo' });
});

test('a restart on the same folder keeps receipts, tokens, keys and counters', async () => {
  // Submitted in the background; from then on its answer does not change any more.
  await expect.poll(async () => (await get('/api/receipt/FIRST-1'))['SubmissionError']).toBeNull();
  const before = await get('/api/receipt/FIRST-1');
  const demo = await readDemoFile(dataDir);
  const server = postmasterId(dataDir) ?? 0;
  await stop();
  expect(isAlive(server)).toBe(false);

  service = machine.start({ DATA_DIR: dataDir });
  const url = await service.ready;
  // Addresses move with the port; tokens and ids stay.
  const { taxpayer, operator, people, deviceId, vendor, billers } = demo;
  const kept = { taxpayer, operator, people, deviceId, vendor, billers };
  expect(await readDemoFile(dataDir)).toMatchObject({ ...kept, baseUrl: url });
  // No second history, and nothing to tell the vendor again.
  const { Payments } = await asVendor('/api/payment/list?Limit=200&BillerCode=CITYPOWER');
  expect((Payments as object[]).length).toBeLessThanOrEqual(4);
  const { Deliveries } = await asOperator('/webhook-deliveries');
  expect(Deliveries).toMatchObject([{ State: 'Delivered' }]);
  expect(await get('/api/receipt/FIRST-1')).toEqual(before);
  const next = await post({ url, token: demo.taxpayer.token }, nowInvoice(1001, 'FIRST-2'));
  expect(await next.json()).toMatchObject({ GlobalCounter: Number(before['GlobalCounter']) + 1 });
  await stop();
});

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityBooks } from '../support/authority/books.ts';
import { tillseal } from '../support/command-line.ts';
import { nowInvoice, post } from '../support/load.ts';
import { Machine, openEmbedded, until } from '../support/process.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { creditNote } from '../support/receipts/receipts.ts';

/** What is in it and how it was made: its README. */
const FIXTURE = resolve(import.meta.dirname, '../fixtures/installation-0.1.0');
const TOKENS = readTokens();
const WHOLE = 1001;
const STOPPED = 1002;
const REFUSED_NUMBER = 4;

const machine = new Machine();
let dataDir: string;
let url: string;
let pool: Pool;
let books: AuthorityBooks;

beforeAll(async () => {
  dataDir = join(await machine.folder(), 'data');
  const words = ['restore', join(FIXTURE, 'backup.tar.gz'), '--data', dataDir, '--json', '--allow-unauthenticated'];
  const ran = await tillseal([...words, '--master-key-file', join(FIXTURE, 'master.key')]);
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('not authenticated')]);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    Version: '0.1.0',
    Devices: 2,
    Receipts: 15,
    HeldDevices: 2,
    Faults: [],
  });
  url = await machine.start({ DATA_DIR: dataDir, DEMO: 'false' }).ready;
  pool = await openEmbedded(dataDir);
  const address = JSON.parse(readFileSync(join(dataDir, 'simulator', 'address.json'), 'utf8')) as {
    controlUrl: string;
  };
  books = new AuthorityBooks(address.controlUrl);
});
afterAll(async () => {
  await pool?.end();
  await machine.end();
});

function readTokens() {
  const text = readFileSync(join(FIXTURE, 'tokens.json'), 'utf8');
  return JSON.parse(text) as { readonly taxpayer: string; readonly operator: string; readonly vendor: string };
}

async function call<Answer>(token: string, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text || 'null') as Answer;
}

async function isOpen(deviceId: number): Promise<boolean> {
  const day = await pool.query<{ day_state: string }>('select day_state from device_heads where device_id = $1', [
    deviceId,
  ]);
  const state = day.rows[0]?.day_state;
  if (state === 'Closed') await call(TOKENS.operator, 'POST', `/api/admin/devices/${deviceId}/day`, { Action: 'open' });
  return state === 'Opened' && (await post(till(), nowInvoice(deviceId, `NOW-${deviceId}`))).status === 200;
}

const till = () => ({ url, token: TOKENS.taxpayer });

test('an installation of version 0.1.0 is upgraded and goes on: devices, notes, payments, and the receipt that was refused', async () => {
  // Whatever time it is now, it is not the devices' maintenance window.
  const MaintenanceStart = `${String((new Date().getUTCHours() + 14) % 24).padStart(2, '0')}:00`;
  for (const deviceId of [WHOLE, STOPPED]) {
    await call(TOKENS.operator, 'PATCH', `/api/admin/devices/${deviceId}`, { MaintenanceStart });
  }
  await until(
    async () => (await openAlerts()).join() === 'ReceiptRefused',
    'only what was wrong before is wrong',
    100_000,
  );
  // Its day, open since the backup, is too long by now or will be: it can close once the refused receipt is with the authority.
  const decision = `/api/admin/devices/${STOPPED}/receipts/${REFUSED_NUMBER}/decision`;
  await call(TOKENS.operator, 'POST', decision, { Decision: 'retry' });
  for (const deviceId of [WHOLE, STOPPED]) {
    await until(() => isOpen(deviceId), `device ${deviceId} seals`);
  }

  const credited = creditNote(STOPPED, 'CN-NOW', `NOW-${WHOLE}`, { Date: new Date().toISOString() });
  expect((await post(till(), credited)).status).toBe(200);
  const over = creditNote(WHOLE, 'CN-OVER', 'INV-4', { Date: new Date().toISOString() });
  expect(await (await post(till(), over)).text()).toContain('RCPT035');

  const payment = { BillerCode: 'CITYWATER', MemberNumber: '10000003', Currency: 'USD', Amount: 12.5 };
  await call(TOKENS.vendor, 'POST', '/api/payment/pay', { ...payment, VendorReference: 'PAY-NOW' });
  await until(async () => (await statusOf('PAY-NOW')).VendorFiscalMetadata !== null, 'the new payment is invoiced');
  expect((await statusOf('PAY-1')).VendorFiscalMetadata).toMatchObject({ DeviceId: WHOLE, FiscalDayNumber: 1 });
  expect(await statusOf('PAY-2')).toMatchObject({ Status: 'Reversed' });
  const target = '/api/payment/TargetStats?billercode=CITYWATER&currency=USD';
  expect(await call(TOKENS.vendor, 'GET', target)).toMatchObject({ TargetAchievedAmount: 37.5, PayerCount: 2 });

  await until(async () => (await numbersAtAuthority()) === '1-12,1-7', 'the authority has every number once');
  for (const deviceId of [WHOLE, STOPPED]) expect(await proveChain(pool, deviceId)).toMatchObject({ holds: true });
  expect(await openAlerts()).toEqual([]);
});

function statusOf(reference: string) {
  const path = `/api/payment/status?vendorReference=${reference}`;
  return call<{ VendorFiscalMetadata: object | null }>(TOKENS.vendor, 'GET', path);
}

/** Whether the day that was open at the backup is near its maximum length depends on when this runs. */
async function openAlerts(): Promise<string[]> {
  const { rows } = await pool.query<{ kind: string }>(
    "select kind from alerts where cleared_at is null and kind <> 'DayNearMaximum' order by 1",
  );
  return rows.map(({ kind }) => kind);
}

/** `1-3` where the authority has 1, 2 and 3 of a device, none of them red. */
async function numbersAtAuthority(): Promise<string> {
  const ranges = [WHOLE, STOPPED].map(async (deviceId) => {
    const booked = await books.receipts(deviceId);
    expect(booked.filter(({ colour }) => colour === 'Red')).toEqual([]);
    expect(booked.map(({ receiptGlobalNo }) => receiptGlobalNo)).toEqual(booked.map((_, index) => index + 1));
    return `1-${booked.length}`;
  });
  return (await Promise.all(ranges)).join();
}

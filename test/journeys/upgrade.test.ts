import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Pool } from 'pg';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { AuthorityBooks } from '../support/authority/books.ts';
import { tillseal } from '../support/command-line.ts';
import { Machine, openEmbedded, until } from '../support/process.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';
import { creditNote } from '../support/receipts/receipts.ts';

/** What is in them and how they were made: their READMEs. */
const INSTALLATIONS = [
  {
    version: '0.1.0',
    isSealed: false,
    devices: 2,
    receipts: 15,
    empty: ['log_in_attempts', 'operator_sessions', 'print_settings'],
    stillBlocked: [],
  },
  // Every later table must be filled in a fixture of its own: this one has a row of every kind there was.
  { version: '0.2.0', isSealed: true, devices: 10, receipts: 34, empty: [], stillBlocked: [2002, 2003] },
];
const WHOLE = 1001;
const STOPPED = 1002;
const REFUSED_NUMBER = 4;
/** What is of no use any more is deleted. */
const PASSING = ['operator_sessions', 'log_in_attempts'];

let machine: Machine;
let tokens: { readonly taxpayer: string; readonly operator: string; readonly vendor: string };
let dataDir: string;
let url: string;
let pool: Pool;
let books: AuthorityBooks;

afterEach(async () => {
  await machine.end();
});

type Installation = (typeof INSTALLATIONS)[number];

/** Restored by this version, and started. */
async function upgrade({ version, isSealed, devices, receipts, empty }: Installation): Promise<void> {
  const fixture = resolve(import.meta.dirname, `../fixtures/installation-${version}`);
  const archive = join(fixture, 'backup.tar.gz');
  tokens = JSON.parse(readFileSync(join(fixture, 'tokens.json'), 'utf8')) as typeof tokens;
  machine = new Machine();
  dataDir = join(await machine.folder(), 'data');
  const words = ['restore', archive, '--data', dataDir, '--json', ...(isSealed ? [] : ['--allow-unauthenticated'])];
  const ran = await tillseal([...words, '--master-key-file', join(fixture, 'master.key')]);
  expect([ran.code, ran.stderr]).toEqual([
    0,
    isSealed ? expect.not.stringContaining('not authenticated') : expect.stringContaining('not authenticated'),
  ]);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    Version: version,
    Devices: devices,
    Receipts: receipts,
    HeldDevices: devices,
    Faults: [],
  });
  url = await machine.start({ DATA_DIR: dataDir, DEMO: 'false' }).ready;
  const opened = await openEmbedded(dataDir);
  onTestFinished(() => opened.end());
  pool = opened;
  const address = JSON.parse(readFileSync(join(dataDir, 'simulator', 'address.json'), 'utf8')) as {
    controlUrl: string;
  };
  books = new AuthorityBooks(address.controlUrl);

  const tables = tablesOf(archive);
  expect(tables.filter(({ rows }) => rows === 0).map(({ name }) => name)).toEqual(empty);
  for (const { name, rows } of tables.filter((table) => !PASSING.includes(table.name))) {
    const counted = await pool.query<{ rows: number }>(`select count(*)::integer as rows from ${name}`);
    expect(counted.rows[0]?.rows, name).toBeGreaterThanOrEqual(rows);
  }
}

function tablesOf(archive: string): { readonly name: string; readonly rows: number }[] {
  const text = execFileSync('tar', ['-xzOf', archive, 'manifest.json'], { encoding: 'utf8' });
  const { Tables } = JSON.parse(text) as { Tables: { Name: string; Rows: number }[] };
  return Tables.map(({ Name, Rows }) => ({ name: Name.replace('tables/', ''), rows: Rows }));
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
  if (state === 'Closed') await call(tokens.operator, 'POST', `/api/admin/devices/${deviceId}/day`, { Action: 'open' });
  return state === 'Opened' && (await post(till(), nowInvoice(deviceId, `NOW-${deviceId}`))).status === 200;
}

const till = () => ({ url, token: tokens.taxpayer });

test.each(INSTALLATIONS)(
  'an installation of version $version is upgraded with every row and goes on: devices, notes, payments, and the receipt that was refused',
  async (installation) => {
    await upgrade(installation);
    await completeDevices();
    // Whatever time it is now, it is not the devices' maintenance window.
    const MaintenanceStart = `${String((new Date().getUTCHours() + 14) % 24).padStart(2, '0')}:00`;
    for (const deviceId of [WHOLE, STOPPED]) {
      await call(tokens.operator, 'PATCH', `/api/admin/devices/${deviceId}`, { MaintenanceStart });
    }
    await until(
      async () => (await openAlerts()).join() === 'ReceiptRefused',
      'only what was wrong before is wrong',
      100_000,
    );
    // Its day, open since the backup, is too long by now or will be: it can close once the refused receipt is with the authority.
    const decision = `/api/admin/devices/${STOPPED}/receipts/${REFUSED_NUMBER}/decision`;
    await call(tokens.operator, 'POST', decision, { Decision: 'retry' });
    for (const deviceId of [WHOLE, STOPPED]) {
      await until(() => isOpen(deviceId), `device ${deviceId} seals`);
    }

    const credited = creditNote(STOPPED, 'CN-NOW', `NOW-${WHOLE}`, { Date: new Date().toISOString() });
    expect((await post(till(), credited)).status).toBe(200);
    const over = creditNote(WHOLE, 'CN-OVER', 'INV-4', { Date: new Date().toISOString() });
    expect(await (await post(till(), over)).text()).toContain('RCPT035');

    const payment = { BillerCode: 'CITYWATER', MemberNumber: '10000003', Currency: 'USD', Amount: 12.5 };
    await call(tokens.vendor, 'POST', '/api/payment/pay', { ...payment, VendorReference: 'PAY-NOW' });
    await until(async () => (await statusOf('PAY-NOW')).VendorFiscalMetadata !== null, 'the new payment is invoiced');
    expect((await statusOf('PAY-1')).VendorFiscalMetadata).toMatchObject({ DeviceId: WHOLE, FiscalDayNumber: 1 });
    expect(await statusOf('PAY-2')).toMatchObject({ Status: 'Reversed' });
    const target = '/api/payment/TargetStats?billercode=CITYWATER&currency=USD';
    expect(await call(tokens.vendor, 'GET', target)).toMatchObject({ TargetAchievedAmount: 37.5, PayerCount: 2 });

    await until(async () => (await numbersAtAuthority()) === '1-12,1-7', 'the authority has every number once');
    for (const deviceId of [WHOLE, STOPPED]) expect(await proveChain(pool, deviceId)).toMatchObject({ holds: true });
    expect(await openAlerts()).toEqual([]);
    // A hold that the authority's word ends is over; whoever else blocked a device has not changed their mind.
    await until(
      async () => (await blockedDevices()).join() === installation.stillBlocked.join(),
      'only these are blocked',
    );
  },
);

/** What was restored may lack devices: tills of an unknown one wait, until an operator says that all are here. */
async function completeDevices(): Promise<void> {
  const sellUnknown = async () => (await post(till(), nowInvoice(4711, 'MISSING'))).status;
  const overview = () => call<{ Restored: object | null }>(tokens.operator, 'GET', '/api/admin/overview');
  expect(await sellUnknown()).toBe(503);
  expect((await overview()).Restored).toMatchObject({ BackupTakenAt: expect.stringMatching(/^2026-/) });
  const environment = { TILLSEAL_URL: url, TILLSEAL_TOKEN: tokens.operator };
  expect(await tillseal(['restore', 'complete'], { environment })).toMatchObject({ code: 0, stderr: '' });
  expect((await overview()).Restored).toBeNull();
  expect(await sellUnknown()).toBe(400);
}

async function blockedDevices(): Promise<number[]> {
  const path = '/api/admin/devices?Limit=100';
  const { Devices } = await call<{ Devices: { AuthorityDeviceId: number; State: string }[] }>(
    tokens.operator,
    'GET',
    path,
  );
  return Devices.filter(({ State }) => State === 'Blocked')
    .map(({ AuthorityDeviceId }) => AuthorityDeviceId)
    .toSorted((one, other) => one - other);
}

function statusOf(reference: string) {
  const path = `/api/payment/status?vendorReference=${reference}`;
  return call<{ VendorFiscalMetadata: object | null }>(tokens.vendor, 'GET', path);
}

/** Whether the day that was open at the backup is near its maximum length depends on when this runs. */
async function openAlerts(): Promise<string[]> {
  const { rows } = await pool.query<{ kind: string }>(
    "select kind from alerts where cleared_at is null and kind not in ('DayNearMaximum', 'DeviceStopped', 'ReportDue') and device_id = any ($1) order by 1",
    [[WHOLE, STOPPED]],
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

/**
 * A service that is killed with SIGKILL while registrations are under way, one held at each step, and started again. The
 * activation key works once and cannot be asked back: whatever the kill leaves unspent must stay usable, and the key pair
 * that a certificate was issued for must never be lost.
 */
import { X509Certificate } from 'node:crypto';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuthorityProcesses } from '../support/authority/processes.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';

/** Longer than the test: what the authority holds back for so long never comes. */
const NEVER_MS = 600_000;

/** Where each device's registration stands when the service is killed. */
const BEFORE_KEY = 32_001;
const BEFORE_SENT = 32_002;
const ANSWER_UNDER_WAY = 32_003;
const ANSWER_NOT_STORED = 32_004;
const BEFORE_CONFIGURATION = 32_005;
const BEFORE_STATUS = 32_006;
const BEFORE_HEAD = 32_007;
const DEVICES = [
  BEFORE_KEY,
  BEFORE_SENT,
  ANSWER_UNDER_WAY,
  ANSWER_NOT_STORED,
  BEFORE_CONFIGURATION,
  BEFORE_STATUS,
  BEFORE_HEAD,
];

let world: AuthorityProcesses;
let url: string;
const registrations = new Map<number, { readonly ActivationKey: string; readonly SerialNumber: string }>();
const keysAtTheKill = new Map<number, KeyRow>();

interface KeyRow {
  readonly publicKey: string;
  readonly certificate: string | null;
}

async function keyOf(deviceId: number): Promise<KeyRow | undefined> {
  const { rows } = await world.pool.query<KeyRow>(
    'select public_key_pem as "publicKey", certificate_pem as certificate from device_keys where device_id = $1',
    [deviceId],
  );
  return rows[0];
}

async function statusOf(deviceId: number, operation: string): Promise<number | undefined> {
  return (await world.books.calls({ deviceId, operation }))[0]?.status;
}

async function isCalled(deviceId: number, operation: string): Promise<boolean> {
  return (await world.books.calls({ deviceId, operation })).length > 0;
}

/** How many statements wait for a lock, and so for us. */
async function waitingForLocks(): Promise<number> {
  const { rows } = await world.pool.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}

/** Starts a registration that will not be answered. */
function begin(deviceId: number): void {
  world.register(url, registrations.get(deviceId) ?? {}).catch(() => {});
}

/** Each registration goes as far as its step and waits there: for an answer of the authority, or for a row this test has locked. */
async function holdEachAtItsStep(locks: PoolClient): Promise<void> {
  const hold = (kind: 'delay' | 'delay-answer', operation: string, deviceId: number, delayMs = NEVER_MS) =>
    world.books.fault({ kind, operation, deviceId, delayMs, count: 1 });
  await hold('delay', 'RegisterDevice', BEFORE_SENT);
  await hold('delay-answer', 'RegisterDevice', ANSWER_UNDER_WAY);
  await hold('delay-answer', 'RegisterDevice', ANSWER_NOT_STORED, 1000);
  await hold('delay', 'GetConfig', BEFORE_CONFIGURATION);
  await hold('delay', 'GetStatus', BEFORE_STATUS);
  await locks.query('begin');
  await locks.query(
    `insert into devices (taxpayer_id, device_id, serial_number, zone, maintenance_start_minute, date_policy,
                          advance_limit_seconds, future_limit_seconds)
     values ($1, $2, 'held', 'Africa/Harare', 0, 'advance', 1, 1)`,
    [world.shop.taxpayerId, BEFORE_KEY],
  );
  await locks.query('lock table device_lanes in share mode');
  for (const deviceId of DEVICES) begin(deviceId);
  await world.until(async () => (await keyOf(ANSWER_NOT_STORED)) !== undefined, 'a key is stored');
  await locks.query('select from device_keys where device_id = $1 for update', [ANSWER_NOT_STORED]);
  await world.until(async () => isCalled(BEFORE_SENT, 'RegisterDevice'), 'the first is held');
  await world.until(async () => isCalled(ANSWER_UNDER_WAY, 'RegisterDevice'), 'the second is held');
  await world.until(async () => (await statusOf(ANSWER_NOT_STORED, 'RegisterDevice')) === 200, 'the third is answered');
  await world.until(async () => isCalled(BEFORE_CONFIGURATION, 'GetConfig'), 'the fourth is held');
  await world.until(async () => isCalled(BEFORE_STATUS, 'GetStatus'), 'the fifth is held');
  await world.until(async () => (await waitingForLocks()) >= 3, 'three wait for the database');
}

beforeAll(async () => {
  world = await AuthorityProcesses.start();
  const service = world.startService({ ROLES: 'fiscal,console' });
  url = await service.ready;
  for (const deviceId of DEVICES) registrations.set(deviceId, await world.announceDevice(deviceId));
  const locks = await world.pool.connect();
  try {
    await holdEachAtItsStep(locks);
    await service.kill();
    // The database notices that nobody is there any more, which it otherwise would when it next wrote to them.
    await locks.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    await world.until(async () => (await waitingForLocks()) === 0, 'nothing of the dead service waits');
  } finally {
    await locks.query('rollback');
    locks.release();
  }
  for (const deviceId of DEVICES) {
    const key = await keyOf(deviceId);
    if (key !== undefined) keysAtTheKill.set(deviceId, key);
  }
  url = await world.startService().ready;
}, 120_000);
afterAll(() => world.end());

/** Registered whole: one row, the key it had, a certificate for that key, and a receipt the authority verifies with it. */
async function expectRegistered(deviceId: number): Promise<void> {
  const { rows } = await world.pool.query(
    'select registered_at is not null as done from devices where device_id = $1',
    [deviceId],
  );
  expect(rows).toEqual([{ done: true }]);
  const key = await keyOf(deviceId);
  const before = keysAtTheKill.get(deviceId);
  if (before !== undefined) expect(key?.publicKey).toBe(before.publicKey);
  const certificate = new X509Certificate(key?.certificate ?? '');
  expect(certificate.publicKey.export({ type: 'spki', format: 'pem' })).toBe(key?.publicKey);
  await world.untilOpened(deviceId);
  const sold = await post({ url, token: world.shop.token }, nowInvoice(deviceId, `killed-${deviceId}`));
  expect(sold.status).toBe(200);
  await world.until(async () => (await world.books.receipts(deviceId)).length === 1, 'its receipt is submitted');
  expect((await world.books.receipts(deviceId))[0]?.colour).toBeNull();
}

describe('killed before the authority has used the activation key: the same request registers it', () => {
  test.each([
    ['before the key pair is stored', BEFORE_KEY],
    ['before RegisterDevice arrives', BEFORE_SENT],
  ])('%s', async (_step, deviceId) => {
    expect(keysAtTheKill.has(deviceId)).toBe(deviceId !== BEFORE_KEY);
    expect(keysAtTheKill.get(deviceId)?.certificate ?? null).toBeNull();
    expect((await world.register(url, registrations.get(deviceId) ?? {})).status).toBe(201);
    await expectRegistered(deviceId);
  });
});

describe('killed after the certificate is stored: the same request goes on, and the activation key is not needed again', () => {
  test.each([
    ['before GetConfig is answered', BEFORE_CONFIGURATION],
    ['before GetStatus is answered', BEFORE_STATUS],
    ['before the head is written', BEFORE_HEAD],
  ])('%s', async (_step, deviceId) => {
    expect(keysAtTheKill.get(deviceId)?.certificate).toContain('BEGIN CERTIFICATE');
    expect((await world.register(url, registrations.get(deviceId) ?? {})).status).toBe(201);
    expect(await world.books.calls({ deviceId, operation: 'RegisterDevice' })).toHaveLength(1);
    expect((await keyOf(deviceId))?.certificate).toBe(keysAtTheKill.get(deviceId)?.certificate);
    await expectRegistered(deviceId);
  });
});

// The protocol has no way to ask for the certificate again: the authority has spent the key, and only a fresh one helps.
describe('killed between the issue of the certificate and its storing: the key pair is kept, and a fresh activation key completes it', () => {
  test.each([
    ['while the answer is under way', ANSWER_UNDER_WAY],
    ['while the answer is being stored', ANSWER_NOT_STORED],
  ])('%s', async (_step, deviceId) => {
    expect(keysAtTheKill.get(deviceId)).toMatchObject({ certificate: null });
    const same = await world.register(url, registrations.get(deviceId) ?? {});
    expect(same.status).toBe(400);
    expect(await same.text()).toMatch(/DEV02.*ask the authority for a fresh one/);
    const path = `/devices/${deviceId}/activation-key`;
    const { activationKey } = await world.books.control<{ activationKey: string }>('POST', path, {});
    const again = { ...registrations.get(deviceId), ActivationKey: activationKey };
    expect((await world.register(url, again)).status).toBe(201);
    await expectRegistered(deviceId);
  });
});

import { beforeEach, expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';
import { invoice } from '../support/receipts/receipts.ts';

const DAY_SECONDS = 86_400;

const bench = await benchOfFile();
beforeEach(() => bench.moveToNoon());

interface KeyRow {
  readonly pem: string;
  readonly till: Date;
  readonly publicKey: string;
}

async function keysOf(deviceId: number): Promise<KeyRow[]> {
  const { rows } = await bench.pool.query<KeyRow>(
    `select certificate_pem as pem, certificate_valid_till as till, public_key_pem as "publicKey"
       from device_keys where device_id = $1 order by key_version`,
    [deviceId],
  );
  return rows;
}

function expiryAlert(deviceId: number) {
  return async () =>
    (await bench.alerts()).some(
      ({ Kind, Subject }) => Kind === 'CertificateExpires' && Subject === `device ${deviceId}`,
    );
}

test('a renewal that failed is tried again after an hour, and its alert goes when it succeeds', async () => {
  const deviceId = await bench.addDevice({
    atAuthority: { certificateSeconds: 30 * DAY_SECONDS + 3600 },
    registration: { MaintenanceStart: '22:00' },
  });
  const renewals = async () => (await bench.books.calls({ deviceId, operation: 'IssueCertificate' })).length;
  const [before] = await keysOf(deviceId);
  await bench.books.fault({ kind: 'error-500', operation: 'IssueCertificate', deviceId, count: 1 });
  await bench.advance(3600 + 60);
  await bench.until(expiryAlert(deviceId), 'the alert', { stepSeconds: 0 });
  const triedAt = bench.now.getTime();
  await bench.until(() => bench.now.getTime() >= triedAt + 55 * 60_000, 'time passes', { stepSeconds: 300 });
  expect(await renewals()).toBe(1);
  expect(await keysOf(deviceId)).toEqual([before]);
  await bench.until(async () => !(await expiryAlert(deviceId)()), 'the renewal', { stepSeconds: 60 });
  expect(await renewals()).toBe(2);
  expect((await keysOf(deviceId))[0]?.till.getTime()).toBeGreaterThan(before?.till.getTime() ?? 0);
  expect(bench.now.getTime() - triedAt).toBeLessThan(70 * 60_000);
});

test('a renewal that fails raises an alert, and no receipt is sealed with an expired certificate', async () => {
  const deviceId = await bench.addDevice({
    atAuthority: { certificateSeconds: 3 * 3600 },
    registration: { MaintenanceStart: '22:00' },
  });
  expect(await bench.books.calls({ deviceId, operation: 'IssueCertificate' })).toHaveLength(1);
  await bench.books.fault({ kind: 'error-500', operation: 'IssueCertificate', deviceId });
  const [{ till } = { till: bench.now }] = await keysOf(deviceId);
  await bench.moveTo(new Date(till.getTime() - 30 * 60_000));
  await bench.until(expiryAlert(deviceId), 'the alert', { stepSeconds: 0 });
  await bench.sell(deviceId, 'expiring-1');
  await bench.moveTo(new Date(till.getTime() + 1000));
  const refused = await bench.sign(invoice(deviceId, 'expired-1', { Date: bench.now.toISOString() }));
  expect(refused.json()).toMatchObject({
    status: 503,
    Code: 'DeviceOnHold',
    detail: expect.stringContaining('certificate expired'),
  });
});

test('a device whose certificate ran out is registered again with a fresh activation key, and its chain goes on', async () => {
  const { deviceId, registration } = await bench.announceDevice({ registration: { MaintenanceStart: '22:00' } });
  await bench.books.changeDevice(deviceId, { certificateSeconds: 3 * 3600 });
  expect((await bench.admin('POST', '/api/admin/devices', registration)).statusCode).toBe(201);
  await bench.untilDay(deviceId, 'Opened', 1);
  await bench.books.fault({ kind: 'error-500', operation: 'IssueCertificate', deviceId });
  await bench.books.fault({ kind: 'error-500', operation: 'SubmitReceipt', deviceId });
  await bench.sell(deviceId, 'run-out-1');
  const [{ till } = { till: bench.now }] = await keysOf(deviceId);
  await bench.moveTo(new Date(till.getTime() + 1000));
  await bench.books.clearFaults();
  await bench.until(
    async () =>
      (await bench.alerts()).some(({ Kind, Subject }) => Kind === 'DeviceRefused' && Subject.endsWith(`${deviceId}`)),
    'the authority refuses the device',
  );
  const again = { ...registration, ActivationKey: await bench.books.activationKey(deviceId) };
  expect((await bench.admin('POST', '/api/admin/devices', again)).statusCode).toBe(201);
  await bench.untilSubmitted(deviceId);
  expect(await bench.sell(deviceId, 'run-out-2')).toMatchObject({ GlobalCounter: 2, SubmissionFailed: null });
  expect((await bench.alerts()).filter(({ Subject }) => Subject.endsWith(`${deviceId}`))).toEqual([]);
  expect((await bench.admin('POST', '/api/admin/devices', again)).json()).toMatchObject({ status: 400 });
});

test('a device whose certificate is revoked is registered again with the same key: its open day and what waits stay good', async () => {
  const { deviceId, registration } = await bench.announceDevice();
  const register = (body: object) => bench.admin('POST', '/api/admin/devices', { ...registration, ...body });
  expect((await register({})).statusCode).toBe(201);
  await bench.untilDay(deviceId, 'Opened', 1);
  await bench.sell(deviceId, 'revoked-1');
  const [before] = await keysOf(deviceId);
  // Nothing is known against it: only whoever says so replaces its certificate.
  const ActivationKey = await bench.books.activationKey(deviceId);
  expect((await register({ ActivationKey })).json()).toMatchObject({
    status: 400,
    detail: expect.stringMatching(/registered here already.*Again: true/),
  });
  expect((await register({ ActivationKey, Again: true })).statusCode).toBe(201);
  expect(await bench.sell(deviceId, 'revoked-2')).toMatchObject({ SubmissionFailed: null });

  await bench.books.control('POST', `/devices/${deviceId}/revoke-certificates`);
  expect(await bench.sell(deviceId, 'revoked-3')).toMatchObject({ SubmissionError: expect.stringContaining('401') });
  expect((await register({ ActivationKey: await bench.books.activationKey(deviceId) })).statusCode).toBe(201);
  await bench.untilSubmitted(deviceId);
  expect(await bench.sell(deviceId, 'revoked-4')).toMatchObject({
    GlobalCounter: 4,
    FiscalDayNumber: 1,
    SubmissionFailed: null,
  });
  const keys = await keysOf(deviceId);
  expect(keys.map(({ publicKey }) => publicKey)).toEqual([before?.publicKey]);
  expect(keys[0]?.pem).not.toBe(before?.pem);
  expect((await bench.books.receipts(deviceId)).map(({ colour }) => colour)).toEqual([null, null, null, null]);
  expect((await bench.alerts()).filter(({ Subject }) => Subject === `device ${deviceId}`)).toEqual([]);
  const { Entries } = (await bench.admin('GET', '/api/admin/audit?Limit=20')).json<{ Entries: object[] }>();
  expect(Entries).toContainEqual(
    expect.objectContaining({ Action: 'device.registered-again', Subject: `device ${deviceId}` }),
  );
});

test("a clock hours off the authority's raises an alert, which goes when it is set right", async () => {
  const deviceId = await bench.addDevice();
  await untilAtRest(deviceId);
  const isAlerted = async () =>
    (await bench.alerts()).some(
      ({ Kind, Message }) => Kind === 'ClockWrong' && /1080[01] seconds behind/.test(Message),
    );
  const untilPinged = async (what: string, condition: () => Promise<boolean>) => {
    await bench.pool.query('update device_lanes set pinged_at = null where device_id = $1', [deviceId]);
    await bench.until(condition, what, { stepSeconds: 0, deviceId });
  };
  await bench.books.standAt(new Date(bench.now.getTime() + 3 * 3_600_000));
  await untilPinged('the alert', isAlerted);
  await bench.books.standAt(bench.now);
  await untilPinged('the alert goes', async () => !(await isAlerted()));
});

/** A new device ends its first turn with a ping; after that it asks nothing more until time passes. */
async function untilAtRest(deviceId: number): Promise<void> {
  const pinged = 'select from device_lanes where device_id = $1 and pinged_at is not null';
  const isAtRest = async () => (await bench.pool.query(pinged, [deviceId])).rowCount === 1;
  await bench.until(isAtRest, `the first turn of device ${deviceId} ends`, { stepSeconds: 0 });
}

test('a device the authority blocks (DEV01) refuses to seal with its words, condemns no receipt, and is freed when it is', async () => {
  const [blocked = 0, other = 0] = await bench.addDevices(2);
  await untilAtRest(blocked);
  await bench.books.changeDevice(blocked, { status: 'Blocked' });
  expect((await bench.sell(blocked, 'blocked-1')).SubmissionError).toContain('DEV01');
  expect(await bench.submissions(blocked)).toEqual(['Pending']);
  const refused = await bench.sign(invoice(blocked, 'blocked-2', { Date: bench.now.toISOString() }));
  expect(refused.json()).toMatchObject({
    status: 503,
    Code: 'DeviceOnHold',
    detail: expect.stringContaining('DEV01'),
  });
  expect(await bench.sell(other, 'blocked-other')).toMatchObject({ SubmissionFailed: null });
  const events = (await bench.get('/api/events?after=0&limit=500')).json<{
    Events: { Type: string; Data: object }[];
  }>();
  expect(events.Events).toContainEqual(
    expect.objectContaining({ Type: 'device.blocked', Data: expect.objectContaining({ AuthorityDeviceId: blocked }) }),
  );
  await bench.books.changeDevice(blocked, { status: 'Active' });
  await bench.until(async () => (await bench.stateOf('blocked-1')) === 'Submitted', 'it is freed', { stepSeconds: 5 });
  expect((await bench.alerts()).filter(({ Subject }) => Subject === `device ${blocked}`)).toEqual([]);
  expect(await bench.sell(blocked, 'blocked-2')).toMatchObject({ SubmissionFailed: null });
});

test('too many requests (429) pause the lane and condemn no receipt', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'error-500', status: 429, operation: 'SubmitReceipt', deviceId, count: 1 });
  await bench.sell(deviceId, 'busy-1');
  await bench.until(async () => (await bench.stateOf('busy-1')) === 'Submitted', 'it goes on', { stepSeconds: 5 });
});

test.each([
  ['100', 100],
  ['86400', 300],
])(
  'the authority is left alone for as long as its Retry-After (%s) says, at most five minutes',
  async (retryAfter, asked) => {
    const deviceId = await bench.addDevice();
    const call = { operation: 'SubmitReceipt', deviceId, count: 1 };
    await bench.books.fault({ kind: 'error-500', status: 429, ...call });
    await bench.books.fault({ kind: 'amend-answer', headers: { 'retry-after': retryAfter }, ...call });
    const calls = async () => (await bench.books.calls({ deviceId })).length;
    await bench.sell(deviceId, `later-${asked}-1`);
    const [before, until] = [await calls(), bench.now.getTime() + asked * 1000];
    // Neither another receipt nor an operator brings it forward.
    await bench.sell(deviceId, `later-${asked}-2`);
    expect((await bench.admin('POST', `/api/admin/devices/${deviceId}/resume`, {})).statusCode).toBe(202);
    await bench.until(() => bench.now.getTime() >= until - 5000, 'time passes', { stepSeconds: 5 });
    expect(await calls()).toBe(before);
    await bench.until(async () => (await bench.stateOf(`later-${asked}-2`)) === 'Submitted', 'it goes on', {
      stepSeconds: 5,
    });
    expect(bench.now.getTime() - until).toBeLessThan(60_000);
  },
);

test("a device that becomes another taxpayer's at the authority raises an alert and goes on; it ends when that is undone", async () => {
  const deviceId = await bench.addDevice();
  const refresh = async (condition: () => Promise<boolean>, what: string) => {
    await bench.pool.query('update device_lanes set configuration_checked_at = null where device_id = $1', [deviceId]);
    await bench.until(condition, what, { stepSeconds: 0, deviceId });
  };
  const words = async () =>
    (await bench.alerts()).find(({ Kind, Subject }) => Kind === 'DeviceDiffers' && Subject === `device ${deviceId}`)
      ?.Message;
  const fields = { taxPayerTIN: '2000000002', vatNumber: '220000002' };
  await bench.books.fault({ kind: 'amend-answer', operation: 'GetConfig', deviceId, fields });
  await refresh(async () => (await words()) !== undefined, 'the alert');
  expect(await words()).toContain('TIN 2000000002, and this taxpayer has TIN 2000000001');
  expect(await bench.sell(deviceId, 'differs-1')).toMatchObject({ SubmissionFailed: null });
  const { rows } = await bench.pool.query('select vat_number from taxpayers where taxpayer_id = $1', [
    bench.shop.taxpayerId,
  ]);
  expect(rows).not.toEqual([{ vat_number: '220000002' }]);
  await bench.books.clearFaults();
  await refresh(async () => (await words()) === undefined, 'the alert ends');
});

test('a device the authority puts into Offline mode is blocked with that reason and freed when it is Online again', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'mode-1');
  await bench.books.changeDevice(deviceId, { operatingMode: 'Offline' });
  await bench.until(
    async () => (await bench.get(`/api/device/${deviceId}`)).json<{ State: string }>().State === 'Blocked',
    'it is blocked',
    { stepSeconds: 120 },
  );
  await bench.books.changeDevice(deviceId, { operatingMode: 'Online' });
  await bench.until(
    async () => (await bench.get(`/api/device/${deviceId}`)).json<{ State: string }>().State === 'Active',
    'it is free',
    { stepSeconds: 10 },
  );
});

test.each([
  ['Ping', 5 * 60],
  ['GetStatus', 15 * 60],
  ['GetConfig', 6 * 3600],
])('a %s that fails delays no receipt, and is tried again a minute later', async (operation, dueSeconds) => {
  const deviceId = await bench.addDevice();
  await untilAtRest(deviceId);
  const failed = async () =>
    (await bench.books.calls({ deviceId, operation })).filter((call) => call.status === 500).length;
  await bench.books.fault({ kind: 'error-500', operation, deviceId });
  await bench.advance(dueSeconds + 5);
  await bench.until(async () => (await failed()) === 1, 'it fails', { stepSeconds: 0 });
  for (const count of [1, 2]) {
    expect(await bench.sell(deviceId, `care-${operation}-${count}`)).toMatchObject({ SubmissionFailed: null });
  }
  expect(await failed()).toBe(1);
  await bench.advance(61);
  await bench.until(async () => (await failed()) === 2, 'it is tried again', { stepSeconds: 0 });
});

import { expect, test } from 'vitest';
import { registerWithAuthority } from '../../src/fiscal/index.ts';
import { primaryOf } from '../../src/platform/database/database.ts';
import { AuthorityBench, benchOfFile } from '../support/authority/authority.ts';
import { DEVICE } from '../support/local-shop.ts';

const bench = await benchOfFile();

async function register(registration: object): Promise<{ status: number; detail: string }> {
  const answer = await bench.admin('POST', '/api/admin/devices', registration);
  return { status: answer.statusCode, detail: answer.json<{ detail?: string }>().detail ?? '' };
}

async function publicKey(deviceId: number): Promise<string | undefined> {
  const { rows } = await bench.pool.query<{ key: string }>(
    'select public_key_pem as key from device_keys where device_id = $1',
    [deviceId],
  );
  return rows[0]?.key;
}

async function expectToSell(deviceId: number): Promise<void> {
  await bench.untilDay(deviceId, 'Opened');
  expect(await bench.sell(deviceId, `registered-${deviceId}`)).toMatchObject({ SubmissionFailed: null });
}

test.each(['RegisterDevice', 'GetConfig', 'GetStatus'])(
  'a registration cut before %s goes on where it stood: same key pair, same activation key',
  async (operation) => {
    const { deviceId, registration } = await bench.announceDevice();
    await bench.books.fault({ kind: 'outage', operation, deviceId, count: 1 });
    expect(await register(registration)).toMatchObject({
      status: 503,
      detail: expect.stringContaining('send the same'),
    });
    const key = await publicKey(deviceId);
    expect(key).toBeDefined();
    expect((await register(registration)).status).toBe(201);
    expect(await publicKey(deviceId)).toBe(key);
    expect((await register(registration)).detail).toContain('registered here already');
    await expectToSell(deviceId);
  },
);

test.each(['GetConfig', 'GetStatus'])(
  'a lost answer to %s does not spend the activation key twice',
  async (operation) => {
    const { deviceId, registration } = await bench.announceDevice();
    await bench.books.fault({ kind: 'lose-answer', operation, deviceId, count: 1 });
    expect((await register(registration)).status).toBe(503);
    expect((await register(registration)).status).toBe(201);
    expect(await bench.books.calls({ deviceId, operation: 'RegisterDevice' })).toHaveLength(1);
    await expectToSell(deviceId);
  },
);

test('a registration that is sent again with other settings takes those', async () => {
  const { deviceId, registration } = await bench.announceDevice({ registration: { MaintenanceStart: '05:00' } });
  await bench.books.fault({ kind: 'outage', operation: 'RegisterDevice', deviceId, count: 1 });
  expect((await register(registration)).status).toBe(503);
  expect((await register({ ...registration, MaintenanceStart: '21:30' })).status).toBe(201);
  const { rows } = await bench.pool.query(
    'select maintenance_start_minute as minute from devices where device_id = $1',
    [deviceId],
  );
  expect(rows).toEqual([{ minute: 21 * 60 + 30 }]);
});

test('a registration that is sent several times at once registers the device once', async () => {
  const { deviceId, registration } = await bench.announceDevice();
  await bench.books.fault({ kind: 'delay', operation: 'VerifyTaxpayerInformation', deviceId, delayMs: 300 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => register(registration)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toContain(201);
  // The others found the activation key spent.
  expect(statuses.filter((status) => status !== 201 && status !== 400)).toEqual([]);
  expect((await register(registration)).detail).toContain('registered here already');
  await expectToSell(deviceId);
});

test('a registration that is sent again before its last step has ended completes once', async () => {
  const { deviceId, registration } = await bench.announceDevice();
  await bench.books.fault({ kind: 'outage', operation: 'GetConfig', deviceId, count: 1 });
  expect((await register(registration)).status).toBe(503);
  await bench.books.fault({ kind: 'delay-answer', operation: 'GetStatus', deviceId, count: 2, delayMs: 300 });
  const answers = await Promise.all([register(registration), register(registration)]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  await expectToSell(deviceId);
});

test('a key that was read from a server that is left before it confirms that is not registered', async () => {
  const { deviceId, registration } = await bench.announceDevice();
  await bench.books.fault({ kind: 'outage', operation: 'RegisterDevice', deviceId, count: 1 });
  expect((await register(registration)).status).toBe(503);
  const sent = await bench.books.calls({ deviceId, operation: 'RegisterDevice' });
  const { pool, gateway } = bench.instance();
  const { TaxpayerId: taxpayerId, SerialNumber: serialNumber, ActivationKey } = registration;
  const request = { ...DEVICE, taxpayerId, deviceId, serialNumber, lastGlobalCounter: undefined, isAgain: false };
  const masterKeys = {
    isOwnFile: false,
    current: () => bench.masterKeys.current(),
    // The last that is asked for while the key is being read.
    find: (wanted: Buffer) => {
      primaryOf(pool).leave();
      return bench.masterKeys.find(wanted);
    },
    add: () => bench.masterKeys.add(Buffer.alloc(0)),
    retireOthers: () => bench.masterKeys.retireOthers(),
  };
  const context = { pool, gateway, masterKeys, clock: () => bench.now };
  const registered = registerWithAuthority(context, { ...request, activationKey: ActivationKey });
  await expect(registered).rejects.toThrow('moved to another server');
  expect(await bench.books.calls({ deviceId, operation: 'RegisterDevice' })).toEqual(sent);
  expect((await register(registration)).status).toBe(201);
});

test('a wrong activation key is refused with the reason and costs nothing', async () => {
  const { deviceId, registration } = await bench.announceDevice();
  expect(await register({ ...registration, ActivationKey: 'WRONGKEY' })).toMatchObject({
    status: 400,
    detail: expect.stringContaining('DEV02'),
  });
  expect((await register(registration)).status).toBe(201);
  await expectToSell(deviceId);
});

test("another taxpayer's device is refused before its key is spent, and its VAT registration stays its own", async () => {
  const stranger = await bench.addShop('2000000002');
  const { deviceId, registration } = await bench.announceDevice({ shop: stranger });
  const vatNumber = async () => {
    const { rows } = await bench.pool.query('select vat_number from taxpayers where taxpayer_id = $1', [
      bench.shop.taxpayerId,
    ]);
    return rows;
  };
  const before = await vatNumber();
  expect(await register({ ...registration, TaxpayerId: bench.shop.taxpayerId })).toEqual({
    status: 400,
    detail: expect.stringMatching(/TIN 2000000002, and this taxpayer has TIN 2000000001: register it for the taxpayer/),
  });
  expect(await publicKey(deviceId)).toBeUndefined();
  expect(await vatNumber()).toEqual(before);
  expect((await register(registration)).status).toBe(201);
});

test('whoever tried a device that is not theirs, with a wrong key, does not keep its number', async () => {
  const stranger = await bench.addShop('2000000004');
  const { deviceId, registration } = await bench.announceDevice();
  const wrong = { ...registration, TaxpayerId: stranger.taxpayerId, ActivationKey: 'WRONGKEY' };
  expect((await register(wrong)).detail).toContain('DEV02');
  expect(await publicKey(deviceId)).toBeDefined();
  expect((await register(registration)).status).toBe(201);
  expect((await register(wrong)).status).toBe(400);
  await expectToSell(deviceId);
});

test.each([
  ['TIN', { taxPayerTIN: '2000000002' }, /TIN 2000000002, and this taxpayer has TIN 2000000001/],
  ['serial number', { deviceSerialNo: 'SN-OTHER' }, /serial number is SN-OTHER, and here it is /],
])(
  'a configuration with another %s is refused before anything is kept, also where the taxpayer cannot be verified',
  async (_name, fields, words) => {
    const { deviceId, registration } = await bench.announceDevice();
    const refusal = { kind: 'error-500', status: 404, operation: 'VerifyTaxpayerInformation', deviceId } as const;
    await bench.books.fault(refusal);
    await bench.books.fault({ kind: 'amend-answer', operation: 'GetConfig', deviceId, fields });
    expect(await register(registration)).toEqual({ status: 400, detail: expect.stringMatching(words) });
    const { rows } = await bench.pool.query('select from devices where device_id = $1', [deviceId]);
    expect(rows).toHaveLength(0);
    await bench.books.clearFaults();
    await bench.books.fault(refusal);
    expect((await register({ ...registration, ActivationKey: await bench.books.activationKey(deviceId) })).status).toBe(
      201,
    );
    await expectToSell(deviceId);
  },
);

test('a device in Offline mode is refused', async () => {
  const { registration } = await bench.announceDevice({ atAuthority: { operatingMode: 'Offline' } });
  expect(await register(registration)).toMatchObject({ status: 400, detail: expect.stringContaining('Offline') });
});

test('a device with history goes on with its numbers; with its day open elsewhere it is refused until that is closed', async () => {
  const elsewhere = await AuthorityBench.start({ beside: bench });
  try {
    const { deviceId, registration } = await bench.announceDevice();
    const past = { ...registration, TaxpayerId: elsewhere.shop.taxpayerId };
    expect((await elsewhere.admin('POST', '/api/admin/devices', past)).statusCode).toBe(201);
    await elsewhere.untilDay(deviceId, 'Opened', 1);
    for (const count of [1, 2]) await elsewhere.sell(deviceId, `history-${count}`);
    const again = { ...registration, ActivationKey: await bench.books.activationKey(deviceId) };
    expect(await register(again)).toMatchObject({ status: 400, detail: expect.stringContaining('open elsewhere') });
    await bench.books.closeByHand(deviceId);
    // The authority does not say when the last receipt was dated; it must be later than that.
    await bench.advance(10);
    expect((await register(again)).status).toBe(201);
    await bench.untilDay(deviceId, 'Opened', 2);
    expect(await bench.sell(deviceId, 'history-3')).toMatchObject({
      GlobalCounter: 3,
      FiscalDayNumber: 2,
      FiscalDayCounter: 1,
      SubmissionFailed: null,
    });
    expect((await bench.books.receipts(deviceId)).map((receipt) => receipt.colour)).toEqual([null, null, null]);
  } finally {
    await elsewhere.end();
  }
});

test('an operator may raise the last number that the authority reports', async () => {
  const { deviceId, registration } = await bench.announceDevice({ registration: { LastGlobalCounter: 41 } });
  expect((await register(registration)).status).toBe(201);
  await bench.untilDay(deviceId, 'Opened', 1);
  expect(await bench.sell(deviceId, 'raised-1')).toMatchObject({ GlobalCounter: 42 });
});

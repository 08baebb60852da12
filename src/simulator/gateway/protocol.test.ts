/** Every endpoint over real TLS with real client certificates. */
import { createPublicKey, createVerify, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MODEL_HEADERS, TestConnection } from '../../../test/support/simulator/connection.ts';
import { control } from '../../../test/support/simulator/control.ts';
import {
  certificateRequest,
  deviceSubject,
  newKeys,
  registeredDevice,
  TestDevice,
  VAT_PAYER,
} from '../../../test/support/simulator/device.ts';
import { TestSimulator } from '../../../test/support/simulator/simulator.ts';

let world: TestSimulator;
let anonymous: TestConnection;
beforeAll(async () => {
  world = await TestSimulator.start();
  anonymous = new TestConnection(world.simulator);
});
afterAll(() => world.end());

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
};

describe('a device is registered', () => {
  const path = (operation: string) => `/Public/v1/2100/${operation}`;
  beforeAll(() =>
    control(world.simulator, 'POST', '/devices', {
      deviceId: 2100,
      activationKey: 'abcd2345',
      serialNo: 'SN: 001',
      taxpayer: VAT_PAYER,
    }),
  );
  const requestFor = async (subject: string, algorithm?: object) => {
    const { keys } = await newKeys(algorithm);
    return certificateRequest(subject, keys, algorithm);
  };

  test('its taxpayer can be verified without using up the key, in any case of letters', async () => {
    const body = { activationKey: 'AbCd2345', deviceSerialNo: 'SN: 001' };
    for (const _ of [1, 2]) {
      const answer = await anonymous.post(path('VerifyTaxpayerInformation'), body);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        taxPayerName: 'Acacia Stores',
        taxPayerTIN: '1000000001',
        vatNumber: '110000001',
        deviceBranchName: 'Main branch',
      });
      expect(answer.headers['operationid']).toBe(answer.body.operationID);
    }
    const wrongKey = await anonymous.post(path('VerifyTaxpayerInformation'), { ...body, activationKey: 'ZZZZZZZZ' });
    expect(wrongKey).toMatchObject({ status: 422, body: { errorCode: 'DEV02' } });
  });

  test.each([
    ['another device', deviceSubject(2101, 'SN: 001')],
    ['another serial number', deviceSubject(2100, 'SN001')],
    ['a foreign organisation', 'CN=ZIMRA-SN: 001-0000002100, O=Somebody'],
    ['a field that is not allowed', 'CN=ZIMRA-SN: 001-0000002100, OU=Shop'],
  ])('a request for %s is DEV03', async (_what, subject) => {
    const answer = await anonymous.post(path('RegisterDevice'), {
      certificateRequest: await requestFor(subject),
      activationKey: 'ABCD2345',
    });
    expect(answer).toMatchObject({ status: 422, body: { errorCode: 'DEV03' } });
  });

  test('a request with a weak key, or none at all, is DEV03', async () => {
    const weak = await requestFor(deviceSubject(2100, 'SN: 001'), { ...RSA, modulusLength: 1024 });
    for (const text of [
      weak,
      'nonsense',
      '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----',
    ]) {
      const body = { certificateRequest: text, activationKey: 'ABCD2345' };
      expect(await anonymous.post(path('RegisterDevice'), body)).toMatchObject({ body: { errorCode: 'DEV03' } });
    }
  });

  test('the activation key works once, and the certificate is what the protocol says', async () => {
    const { keys, key } = await newKeys();
    const pem = await certificateRequest('CN=ZIMRA-SN: 001-0000002100', keys);
    const body = { certificateRequest: pem, activationKey: 'abcd2345' };
    const answer = await anonymous.post(path('RegisterDevice'), body);
    const certificate = new X509Certificate(answer.body.certificate);
    expect(certificate.subject).toBe('C=ZW\nO=Zimbabwe Revenue Authority\nCN=ZIMRA-SN: 001-0000002100');
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.validToDate.toISOString()).toBe('2027-03-01T10:00:00.000Z');
    expect(await anonymous.post(path('RegisterDevice'), body)).toMatchObject({ body: { errorCode: 'DEV02' } });
    const device = new TestDevice(world.simulator, 2100, answer.body.certificate, key);
    expect((await device.get('GetStatus')).body).toEqual({
      fiscalDayStatus: 'FiscalDayClosed',
      operationID: expect.any(String),
    });
  });

  test('two registrations at once share no key', async () => {
    await control(world.simulator, 'POST', '/devices', {
      deviceId: 2110,
      activationKey: 'RACE2345',
      taxpayer: VAT_PAYER,
    });
    const answers = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const { keys } = await newKeys();
        const pem = await certificateRequest(deviceSubject(2110), keys);
        const body = { certificateRequest: pem, activationKey: 'RACE2345' };
        return (await new TestConnection(world.simulator).post('/Public/v1/2110/RegisterDevice', body)).status;
      }),
    );
    expect(answers.toSorted((a, b) => a - b)).toEqual([200, 422, 422, 422]);
  });

  test('registering again with a new key ends the certificate before', async () => {
    const device = await registeredDevice(world.simulator, { deviceId: 2111 });
    const { activationKey } = await control(world.simulator, 'POST', '/devices/2111/activation-key', {});
    const { keys } = await newKeys();
    const body = { certificateRequest: await certificateRequest(deviceSubject(2111), keys), activationKey };
    expect((await anonymous.post('/Public/v1/2111/RegisterDevice', body)).status).toBe(200);
    expect((await device.get('GetStatus')).status).toBe(401);
  });

  test('an RSA key is as good', async () => {
    const device = await registeredDevice(world.simulator, { deviceId: 2112 }, RSA);
    await device.openDay('2026-03-01T08:00:00');
    expect((await device.submit()).body.validationErrors).toBeUndefined();
  });
});

describe('only the device itself may call', () => {
  let device: TestDevice;
  beforeAll(async () => {
    device = await registeredDevice(world.simulator, { deviceId: 2200 });
  });

  test('no certificate, a foreign one, or that of another device is 401', async () => {
    expect(await anonymous.get('/Device/v1/2200/GetStatus')).toMatchObject({ status: 401, body: { status: 401 } });
    const other = await registeredDevice(world.simulator, { deviceId: 2201 });
    expect((await other.connection.get('/Device/v1/2200/GetStatus')).status).toBe(401);
    const foreign = await TestSimulator.start();
    const stranger = await registeredDevice(foreign.simulator, { deviceId: 2200 });
    const client = new TestConnection(world.simulator, stranger.credentials);
    expect((await client.get('/Device/v1/2200/GetStatus')).status).toBe(401);
    await foreign.end();
  });

  test('an expired certificate is 401, by the clock of the authority', async () => {
    const brief = await registeredDevice(world.simulator, { deviceId: 2202, certificateSeconds: 60 });
    expect((await brief.get('GetStatus')).status).toBe(200);
    await control(world.simulator, 'POST', '/clock', { offsetSeconds: 61 });
    expect((await brief.get('GetStatus')).status).toBe(401);
    await control(world.simulator, 'POST', '/clock', { offsetSeconds: 0 });
  });

  test('a renewed certificate takes over with its first use; until then the old one still works', async () => {
    const { keys, key } = await newKeys();
    const pem = await certificateRequest(deviceSubject(2200), keys);
    const answer = await device.post('IssueCertificate', { certificateRequest: pem });
    expect((await device.get('GetStatus')).status).toBe(200);
    const renewed = new TestDevice(world.simulator, 2200, answer.body.certificate, key);
    expect((await renewed.get('GetStatus')).status).toBe(200);
    expect((await device.get('GetStatus')).status).toBe(401);
    device = renewed;
    expect(await device.post('IssueCertificate', { certificateRequest: 'x' })).toMatchObject({
      body: { errorCode: 'DEV03' },
    });
  });

  test.each<[string, Record<string, string>]>([
    ['none', {}],
    ['no version', { DeviceModelName: 'Server' }],
    ['one that is not registered', { DeviceModelName: 'Server', DeviceModelVersion: 'v2' }],
    ['the header of the prose', { DeviceModelName: 'Server', DeviceModelVersionNo: 'v1' }],
  ])('model headers: %s is DEV06', async (_what, headers) => {
    const answer = await device.connection.get('/Device/v1/2200/GetConfig', headers);
    expect(answer).toMatchObject({ status: 422, body: { errorCode: 'DEV06' } });
    const registration = await anonymous.post('/Public/v1/2200/RegisterDevice', {}, headers);
    expect(registration.body.errorCode).toBe('DEV06');
  });

  test('blacklisted model DEV04, inactive taxpayer DEV05, blocked or deactivated device DEV01', async () => {
    const model = { name: 'Server', version: 'v1' };
    await control(world.simulator, 'PATCH', '/settings', { blacklistedModels: [model] });
    expect((await device.get('GetConfig')).body.errorCode).toBe('DEV04');
    await control(world.simulator, 'PATCH', '/settings', { blacklistedModels: [] });
    await control(world.simulator, 'PATCH', `/taxpayers/${VAT_PAYER.tin}`, { status: 'Inactive' });
    expect((await device.get('GetConfig')).body.errorCode).toBe('DEV05');
    await control(world.simulator, 'PATCH', `/taxpayers/${VAT_PAYER.tin}`, { status: 'Active' });
    for (const status of ['Blocked', 'Deactivated']) {
      await control(world.simulator, 'PATCH', '/devices/2200', { status });
      expect((await device.get('GetConfig')).body.errorCode).toBe('DEV01');
    }
    await control(world.simulator, 'PATCH', '/devices/2200', { status: 'Active' });
    expect((await anonymous.post('/Public/v1/9999/VerifyTaxpayerInformation', {})).body.errorCode).toBe('DEV01');
  });

  test('an offline device may ask for its configuration, ping and renew, nothing else', async () => {
    await control(world.simulator, 'PATCH', '/devices/2200', { operatingMode: 'Offline' });
    expect((await device.get('GetConfig')).body.deviceOperatingMode).toBe('Offline');
    expect((await device.post('Ping')).status).toBe(200);
    expect((await device.get('GetStatus')).body.errorCode).toBe('DEV01');
    expect((await device.post('OpenDay', { fiscalDayOpened: '2026-03-01T08:00:00' })).body.errorCode).toBe('DEV01');
    await control(world.simulator, 'PATCH', '/devices/2200', { operatingMode: 'Online' });
  });

  test('a resumed TLS session still knows its certificate', async () => {
    const fresh = new TestConnection(world.simulator, device.credentials);
    for (const _ of [1, 2, 3]) {
      expect((await fresh.get('/Device/v1/2200/GetStatus', { ...MODEL_HEADERS, connection: 'close' })).status).toBe(
        200,
      );
    }
  });
});

describe('what the endpoints answer', () => {
  let device: TestDevice;
  beforeAll(async () => {
    device = await registeredDevice(world.simulator, { deviceId: 2300, dayMaxHours: 20, serialNo: 'SERIAL-7' });
  });

  test('GetConfig lists the taxes valid now or later, with percentages as numbers', async () => {
    const { body, text } = await device.get('GetConfig');
    expect(body).toMatchObject({
      deviceSerialNo: 'SERIAL-7',
      deviceOperatingMode: 'Online',
      taxPayerDayMaxHrs: 20,
      taxpayerDayEndNotificationHrs: 2,
      certificateValidTill: '2027-03-01T12:00:00',
      qrUrl: world.simulator.qrUrl,
    });
    expect(world.simulator.qrUrl.length).toBeLessThanOrEqual(50);
    expect(body.applicableTaxes.map((tax: { taxID: number }) => tax.taxID)).toEqual([1, 2, 517]);
    expect(text).toContain('"taxID":517,"taxPercent":15.5,');
    expect(body.applicableTaxes[0]).not.toHaveProperty('taxPercent');
    await control(world.simulator, 'POST', '/clock', { time: '2025-12-31T23:59:59' });
    await control(world.simulator, 'PATCH', '/devices/2300', { certificateDays: 1 });
    const before = (await registeredDevice(world.simulator, { deviceId: 2301 })).get('GetConfig');
    expect((await before).body.applicableTaxes).toHaveLength(4);
    await control(world.simulator, 'POST', '/clock', { offsetSeconds: 0 });
  });

  test('a clock that is told to stand stays where it is until it is set again', async () => {
    const standing = { isStanding: true, time: '2026-03-05T10:00:00.000Z', localTime: '2026-03-05T12:00:00' };
    expect(await control(world.simulator, 'PUT', '/clock', { time: '2026-03-05T10:00:00Z' })).toMatchObject(standing);
    await expect(control(world.simulator, 'PUT', '/clock', { time: 'noon' })).rejects.toThrow(/400.*time/);
    expect(await control(world.simulator, 'GET', '/clock')).toMatchObject(standing);
    const running = await control(world.simulator, 'POST', '/clock', { offsetSeconds: 0 });
    expect(running).toMatchObject({ isStanding: false, localTime: '2026-03-01T12:00:00' });
  });

  test('Ping tells the rhythm', async () => {
    expect((await device.post('Ping')).body).toMatchObject({ reportingFrequency: 5 });
  });

  test('OpenDay numbers days from 1 and refuses a second one, or another number', async () => {
    const wrong = await device.post('OpenDay', { fiscalDayOpened: '2026-03-01T08:00:00', fiscalDayNo: 2 });
    expect(wrong.body.errorCode).toBe('FISC01');
    expect((await device.openDay('2026-03-01T08:00:00')).body.fiscalDayNo).toBe(1);
    expect((await device.openDay('2026-03-01T08:00:00')).body.errorCode).toBe('FISC01');
    expect((await device.get('GetStatus')).body).toMatchObject({
      fiscalDayStatus: 'FiscalDayOpened',
      lastFiscalDayNo: 1,
    });
  });

  test('SubmitReceipt is signed with the certificate GetServerCertificate gives for its thumbprint', async () => {
    const receipt = device.next();
    const { body } = await device.send(receipt);
    device.advance(receipt);
    const { hash, signature, certificateThumbprint } = body.receiptServerSignature;
    const path = `/Public/v1/GetServerCertificate?thumbprint=${certificateThumbprint}`;
    const { body: found } = await anonymous.get(path);
    const [signer, ca] = found.certificate;
    expect(new X509Certificate(signer).verify(createPublicKey(ca))).toBe(true);
    expect(new X509Certificate(signer).publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
    const text = `${receipt.receiptDeviceSignature.signature}${body.receiptID}${body.serverDate}`;
    expect(createVerify('sha256').update(text).verify(signer, signature, 'base64')).toBe(true);
    expect(hash).toHaveLength(44);
    expect(body.serverDate).toBe('2026-03-01T12:00:00');
    expect((await anonymous.get('/Public/v1/GetServerCertificate')).body.certificate).toEqual(found.certificate);
    const unknown = await anonymous.get(`/Public/v1/GetServerCertificate?thumbprint=${'0'.repeat(40)}`);
    expect(unknown).toMatchObject({ status: 404, headers: { 'content-type': 'application/problem+json' } });
  });

  test('an unknown path is 404, a wrong method 405', async () => {
    expect((await device.get('Nothing')).status).toBe(404);
    expect((await device.get('SubmitReceipt')).status).toBe(405);
    expect((await anonymous.get('/Public/v1/99999999999/RegisterDevice')).status).toBe(404);
  });
});

describe('what is malformed is refused and stored nowhere', () => {
  let device: TestDevice;
  beforeAll(async () => {
    device = await registeredDevice(world.simulator, { deviceId: 2400 });
    await device.openDay('2026-03-01T08:00:00');
  });

  const line = (changes: object) => ({ receiptLines: [{ ...device.next().receiptLines[0], ...changes }] });

  test.each<[string, string, () => object]>([
    ['an unknown property', 'receipt.receiptColour', () => ({ receiptColour: 'red' })],
    ['an unknown property of a line', 'receipt.receiptLines[0].price', () => line({ price: 1 })],
    ['a missing list', 'receipt.receiptTaxes', () => ({ receiptTaxes: undefined })],
    ['a number as text', 'receipt.receiptTotal', () => ({ receiptTotal: '10' })],
    ['three decimals', 'receipt.receiptTotal', () => ({ receiptTotal: 10.001 })],
    [
      'seven decimals of a price',
      'receipt.receiptLines[0].receiptLinePrice',
      () => line({ receiptLinePrice: 0.0000001 }),
    ],
    ['a date with a zone', 'receipt.receiptDate', () => ({ receiptDate: '2026-03-01T08:00:01Z' })],
    ['a date with a fraction', 'receipt.receiptDate', () => ({ receiptDate: '2026-03-01T08:00:01.5' })],
    ['a day that does not exist', 'receipt.receiptDate', () => ({ receiptDate: '2026-02-30T08:00:01' })],
    ['an invoice number of 51', 'receipt.invoiceNo', () => ({ invoiceNo: 'x'.repeat(51) })],
    ['an unknown type', 'receipt.receiptType', () => ({ receiptType: 'Invoice' })],
    ['an HS code of nine', 'receipt.receiptLines[0].receiptLineHSCode', () => line({ receiptLineHSCode: '123456789' })],
    ['a TIN of nine', 'receipt.buyerData.buyerTIN', () => ({ buyerData: { buyerTIN: '123456789' } })],
    [
      'a city of 101',
      'receipt.buyerData.buyerAddress.city',
      () => ({ buyerData: { buyerAddress: { city: 'x'.repeat(101) } } }),
    ],
    ['notes of 501', 'receipt.receiptNotes', () => ({ receiptNotes: 'x'.repeat(501) })],
    [
      'a hash of 31 bytes',
      'receipt.receiptDeviceSignature.hash',
      () => ({ receiptDeviceSignature: { hash: Buffer.alloc(31).toString('base64'), signature: 'AAAA' } }),
    ],
    [
      'a signature that is not base64',
      'receipt.receiptDeviceSignature.signature',
      () => ({ receiptDeviceSignature: { hash: Buffer.alloc(32).toString('base64'), signature: 'AA*A' } }),
    ],
  ])('%s: 400 naming %s', async (_what, field, changes) => {
    const answer = await device.post('SubmitReceipt', { receipt: { ...device.next(), ...changes() } });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.errors)).toContain(field);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(await control(world.simulator, 'GET', '/devices/2400/receipts')).toEqual([]);
  });

  test('of a buyer address each part may be missing', async () => {
    const buyerData = { buyerRegisterName: 'Tariro', buyerTIN: '2000000009', buyerAddress: { street: 'Main Street' } };
    const answer = await device.post('SubmitReceipt', { receipt: { ...device.next(), buyerData } });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  });

  test('decimals beyond the scale are named as the real authority names them', async () => {
    const answer = await device.post('CloseDay', {
      fiscalDayNo: 1,
      receiptCounter: 0,
      fiscalDayDeviceSignature: device.next().receiptDeviceSignature,
      fiscalDayCounters: [
        {
          fiscalCounterType: 'BalanceByMoneyType',
          fiscalCounterCurrency: 'USD',
          fiscalCounterMoneyType: 'Cash',
          fiscalCounterValue: 1.001,
        },
      ],
    });
    expect(answer.body.errors['fiscalDayCounters[0].fiscalCounterValue']).toEqual([
      'provided value FiscalCounterValue do not satisfy decimal(21,2).',
    ]);
  });

  test('no JSON, no object, no receipt', async () => {
    for (const text of ['', '{', '[]', '{}', '{"receipt":null}', '{"receipt":{},"receipt":{}}']) {
      expect((await device.post('SubmitReceipt', text)).status).toBe(400);
    }
  });

  test('null stands for an absent optional field', async () => {
    const answer = await device.submit({ buyerData: null, receiptNotes: null } as never);
    expect(answer.status).toBe(200);
    expect(answer.body.validationErrors).toBeUndefined();
  });
});

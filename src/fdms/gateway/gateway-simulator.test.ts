import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDeviceKey } from '../../../test/support/authority/server.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import {
  checkIssuedCertificate,
  createCertificateRequest,
  type DeviceIdentity,
  dayServerTexts,
  type FdmsReceipt,
  type Gateway,
  type GatewayAnswer,
  receiptServerTexts,
  ServerCertificates,
  type SignedByServer,
} from '../index.ts';
import { createGateway } from './gateway.ts';

/** The gateway and the simulator know nothing of each other but the protocol: where they agree, both read it alike. */
const SERIAL = 'SN-1001';
const log = { debug() {}, info() {}, warn() {}, error() {} };
const startedAt = Date.now() - 3_600_000;
/** Harare local time, so many seconds after the opening of the day. */
const at = (seconds: number) => new Date(startedAt + 7_200_000 + seconds * 1_000).toISOString().slice(0, 19);

async function checkWith(asked: Gateway, signed: SignedByServer) {
  const certificates = new ServerCertificates(asked);
  await certificates.fetch((signed.signature.certificateThumbprint ?? '').toUpperCase());
  const [check] = await certificates.prove([signed]);
  certificates.close();
  return check;
}

let folder: string;
let simulator: Simulator;
let caPem: string;
let gateway: Gateway;
let device: DeviceIdentity;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-simulator-'));
  simulator = await startSimulator({
    dataDir: folder,
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    closeDelayMs: 20,
    log,
  });
  caPem = await readFile(simulator.caFile, 'utf8');
  gateway = newGateway();
  device = await register(1001, SERIAL);
});

afterAll(async () => {
  await gateway.close();
  await simulator.stop();
  await rm(folder, { recursive: true });
});

function newGateway(modelName = 'Server'): Gateway {
  return createGateway({ url: simulator.url, caPem, modelName, modelVersion: 'v1', timeoutMs: 50_000, log });
}

async function register(deviceId: number, serial: string, kind: 'ec' | 'rsa' = 'ec'): Promise<DeviceIdentity> {
  const privateKey = newDeviceKey(kind);
  const certificateRequest = await createCertificateRequest(privateKey, serial, deviceId);
  const request = { activationKey: `DEMO${deviceId}`, certificateRequest };
  const { certificate } = answered(await gateway.registerDevice(deviceId, request));
  const expected = { publicKey: createPublicKey(privateKey), serialNumber: serial, deviceId };
  expect(checkIssuedCertificate(certificate, expected, new Date())).toMatchObject({ kind: 'good' });
  return { deviceId, certificatePem: certificate, privateKey };
}

function answered<T>(answer: GatewayAnswer<T>): T {
  if (answer.kind !== 'answered') throw new Error(`not answered: ${JSON.stringify(answer)}`);
  return answer.value;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

function signatureOver(text: string, key: KeyObject, encoding: 'der' | 'ieee-p1363' = 'der') {
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: encoding });
  return { hash: sha256(text), signature: signature.toString('base64') };
}

interface Sale {
  readonly number: number;
  readonly taxes: FdmsReceipt['receiptTaxes'];
  /** What the taxes are in the signed string. */
  readonly taxText: string;
  readonly total: string;
  readonly previousHash?: string;
}

function sale({ number, taxes, taxText, total, previousHash = '' }: Sale): FdmsReceipt {
  const receiptDate = at(number);
  const cents = Number(total.replace('.', ''));
  const text = `${device.deviceId}FISCALINVOICEUSD${number}${receiptDate}${cents}${taxText}${previousHash}`;
  return {
    receiptType: 'FiscalInvoice',
    receiptCurrency: 'USD',
    receiptCounter: number,
    receiptGlobalNo: number,
    invoiceNo: `INV-${number}`,
    receiptDate,
    receiptLinesTaxInclusive: true,
    receiptLines: taxes.map(({ taxID, taxPercent, salesAmountWithTax }, index) => ({
      receiptLineType: 'Sale',
      receiptLineNo: index + 1,
      receiptLineHSCode: '12345678',
      receiptLineName: 'Bread',
      receiptLineQuantity: '1',
      receiptLineTotal: salesAmountWithTax,
      taxID,
      ...(taxPercent === undefined ? {} : { taxPercent }),
    })),
    receiptTaxes: taxes,
    receiptPayments: [{ moneyTypeCode: 'Cash', paymentAmount: total }],
    receiptTotal: total,
    receiptDeviceSignature: signatureOver(text, device.privateKey),
  };
}

const standard = { taxID: 517, taxPercent: '15.50', taxAmount: '15.50', salesAmountWithTax: '115.50' };
const exempt = { taxID: 1, taxAmount: '0.00', salesAmountWithTax: '0.30' };

describe('a day at the authority', () => {
  let first: FdmsReceipt;

  test('begins with the configuration, exempt without a percentage', async () => {
    const config = answered(await gateway.config(device));
    expect(config).toMatchObject({ deviceOperatingMode: 'Online', deviceSerialNo: SERIAL });
    const percentages = config.applicableTaxes.map(({ taxID, taxPercent }) => [taxID, taxPercent]);
    expect(percentages).toEqual(
      expect.arrayContaining([
        [1, undefined],
        [2, '0'],
        [517, '15.5'],
      ]),
    );
    expect(answered(await gateway.status(device))).toMatchObject({ fiscalDayStatus: 'FiscalDayClosed' });
    const opened = await gateway.openDay(device, { fiscalDayNo: 1, fiscalDayOpened: at(0) });
    expect(opened.kind).toBe('answered');
  });

  test('takes a receipt with its exact amounts and signs for it', async () => {
    const taxes = [exempt, standard];
    first = sale({ number: 1, taxes, taxText: '03015.50155011550', total: '115.80' });
    const accepted = answered(await gateway.submitReceipt(device, first));
    expect(accepted.validationErrors ?? []).toEqual([]);
    const { receiptID: receiptId, serverDate = '', receiptServerSignature: signature = {} } = accepted;
    const deviceSignature = first.receiptDeviceSignature.signature;
    const texts = receiptServerTexts({ deviceSignature, receiptId, serverDate });
    expect(await checkWith(gateway, { texts, signature })).toMatchObject({ kind: 'valid' });
    const otherTexts = receiptServerTexts({ deviceSignature, receiptId: Number(receiptId) + 1, serverDate });
    expect(await checkWith(gateway, { texts: otherTexts, signature })).toMatchObject({ kind: 'invalid' });
  });

  test('settles a lost answer by the same bytes again: one receipt, one number', async () => {
    await control('POST', '/faults', { kind: 'lose-answer', operation: 'SubmitReceipt', count: 1 });
    const { hash: previousHash } = first.receiptDeviceSignature;
    const second = sale({ number: 2, taxes: [exempt], taxText: '030', total: '0.30', previousHash });
    expect(await gateway.submitReceipt(device, second)).toMatchObject({ kind: 'unavailable', mayHaveArrived: true });
    const again = answered(await gateway.submitReceipt(device, second));
    const andAgain = answered(await gateway.submitReceipt(device, second));
    expect(again.validationErrors ?? []).toEqual([]);
    expect(andAgain).toEqual({ ...again, operationID: expect.any(String) });
    expect(andAgain.operationID).not.toBe(again.operationID);
    expect(answered(await gateway.status(device))).toMatchObject({ lastReceiptGlobalNo: 2 });
  });

  test('is closed by counters, and the authority signs for that too', async () => {
    const counters = 'SALEBYTAXUSD60SALEBYTAXUSD15.5011550SALETAXBYTAXUSD15.501550BALANCEBYMONEYTYPEUSDCASH11610';
    const date = at(0).slice(0, 10);
    const fiscalDayDeviceSignature = signatureOver(`10011${date}${counters}`, device.privateKey);
    const usd = { fiscalCounterCurrency: 'USD' } as const;
    const vat = { ...usd, fiscalCounterTaxID: 517, fiscalCounterTaxPercent: '15.50' } as const;
    const closing = await gateway.closeDay(device, {
      fiscalDayNo: 1,
      fiscalDayCounters: [
        { ...usd, fiscalCounterType: 'SaleByTax', fiscalCounterTaxID: 1, fiscalCounterValue: '0.60' },
        { ...vat, fiscalCounterType: 'SaleByTax', fiscalCounterValue: '115.50' },
        { ...vat, fiscalCounterType: 'SaleTaxByTax', fiscalCounterValue: '15.50' },
        {
          ...usd,
          fiscalCounterType: 'BalanceByMoneyType',
          fiscalCounterMoneyType: 'Cash',
          fiscalCounterValue: '116.10',
        },
      ],
      fiscalDayDeviceSignature,
      receiptCounter: 2,
    });
    expect(closing.kind).toBe('answered');
    let status = answered(await gateway.status(device));
    while (status.fiscalDayStatus === 'FiscalDayCloseInitiated') {
      await delay(10);
      status = answered(await gateway.status(device));
    }
    expect(status).toMatchObject({ fiscalDayStatus: 'FiscalDayClosed', fiscalDayReconciliationMode: 'Auto' });
    const { fiscalDayClosed = '', fiscalDayServerSignature: signature } = status;
    if (signature === undefined) throw new Error('no signature on the day');
    const texts = dayServerTexts({
      deviceId: 1001,
      fiscalDayNo: 1,
      fiscalDayDate: date,
      fiscalDayClosed,
      reconciliationMode: 'Auto',
      counters,
      deviceSignature: fiscalDayDeviceSignature.signature,
    });
    expect(await checkWith(gateway, { texts, signature })).toMatchObject({ kind: 'valid' });
  });
});

describe('what the authority refuses or remarks', () => {
  test('a wrong activation key, and a spent one', async () => {
    const certificateRequest = await createCertificateRequest(newDeviceKey(), SERIAL, 1001);
    const spent = await gateway.registerDevice(1001, { activationKey: 'DEMO1001', certificateRequest });
    expect(spent).toMatchObject({ kind: 'refused', code: 'DEV02', operationId: expect.any(String) });
    const verified = await gateway.verifyTaxpayer(1002, { activationKey: 'WRONGKEY', deviceSerialNo: 'SN-1002' });
    expect(verified).toMatchObject({ kind: 'refused', status: 422, code: 'DEV02' });
    const right = await gateway.verifyTaxpayer(1002, { activationKey: 'demo1002', deviceSerialNo: 'SN-1002' });
    expect(right).toMatchObject({ kind: 'answered', value: { taxPayerTIN: '2000000001' } });
  });

  test('a request whose subject names another device', async () => {
    const certificateRequest = await createCertificateRequest(newDeviceKey(), 'SN-1002', 1001);
    const answer = await gateway.registerDevice(1002, { activationKey: 'DEMO1002', certificateRequest });
    expect(answer).toMatchObject({ kind: 'refused', code: 'DEV03' });
  });

  test('a model that is not registered', async () => {
    const stranger = newGateway('Toaster');
    expect(await stranger.status(device)).toMatchObject({ kind: 'refused', code: 'DEV06' });
    await stranger.close();
  });

  test("another device's certificate", async () => {
    expect(await gateway.status({ ...device, deviceId: 1002 })).toMatchObject({ kind: 'refused', status: 401 });
  });

  test('a receipt when no day is open, and a thumbprint it does not know', async () => {
    const receipt = sale({ number: 3, taxes: [exempt], taxText: '030', total: '0.30' });
    expect(await gateway.submitReceipt(device, receipt)).toMatchObject({ kind: 'refused', code: 'RCPT01' });
    expect(await gateway.serverCertificate('0'.repeat(40))).toMatchObject({ kind: 'refused', status: 404 });
  });

  test('raw signatures and exempt sent as 0 turn a receipt red, yet are answered', async () => {
    const opened = await gateway.openDay(device, { fiscalDayNo: 2, fiscalDayOpened: at(2) });
    expect(opened.kind).toBe('answered');
    const asZero = { ...exempt, taxPercent: '0.00' };
    const receipt = sale({ number: 3, taxes: [asZero], taxText: '0.00030', total: '0.30' });
    const text = `1001FISCALINVOICEUSD3${at(3)}300.00030`;
    const raw = signatureOver(text, device.privateKey, 'ieee-p1363');
    const wrong = { ...receipt, receiptCounter: 1, receiptDeviceSignature: raw };
    const { validationErrors = [] } = answered(await gateway.submitReceipt(device, wrong));
    expect(
      validationErrors.map((error) => `${error.validationErrorCode} ${error.validationErrorColor}`).toSorted(),
    ).toEqual(['RCPT020 Red', 'RCPT025 Red']);
  });
});

describe('a certificate', () => {
  test('is renewed for the same key and works at once', async () => {
    const request = await createCertificateRequest(device.privateKey, SERIAL, 1001);
    const { certificate } = answered(await gateway.issueCertificate(device, request));
    expect(certificate).not.toBe(device.certificatePem);
    device = { ...device, certificatePem: certificate };
    expect(await gateway.ping(device)).toMatchObject({ kind: 'answered', value: { reportingFrequency: 5 } });
  });

  test('can be for an RSA key', async () => {
    expect(await gateway.ping(await register(1003, 'SN-1003', 'rsa'))).toMatchObject({ kind: 'answered' });
  });
});

describe('trouble at the authority', () => {
  test('a failing server and one that is gone are unavailable, and over when it is back', async () => {
    await control('POST', '/faults', { kind: 'error-500', count: 1 });
    expect(await gateway.ping(device)).toMatchObject({ kind: 'unavailable', mayHaveArrived: true });
    await control('POST', '/faults', { kind: 'outage' });
    expect(await gateway.ping(device)).toMatchObject({ kind: 'unavailable' });
    await control('DELETE', '/faults');
    expect(await gateway.ping(device)).toMatchObject({ kind: 'answered' });
  });
});

async function control(method: 'POST' | 'DELETE', path: string, body?: object): Promise<void> {
  const response = await fetch(`${simulator.controlUrl}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  expect(response.ok).toBe(true);
}

import { describe, expect, test } from 'vitest';
import { gatewayBench, newIdentity, receiptAnswer, sampleReceipt } from '../../../test/support/authority/gateway.ts';
import { answering } from '../../../test/support/authority/server.ts';
import type { FdmsReceipt } from '../index.ts';
import { createGateway } from './gateway.ts';

const exemptAndNull = { receiptLines: [{ ...sampleReceipt.receiptLines[1], taxPercent: null }] };

describe('every request', () => {
  test('carries both model headers in the spelling the server knows, public calls too', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith(answering({ operationID: 'x', certificate: ['c'], certificateValidTill: '2030-01-01' }));
    await bench.gateway.serverCertificate();
    await bench.gateway.verifyTaxpayer(187, { activationKey: '12345678', deviceSerialNo: 'SN: 001' });
    await bench.gateway.status(bench.device);
    await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(bench.server.requests).toHaveLength(4);
    for (const { headers, headerNames } of bench.server.requests) {
      expect(headerNames).toEqual(expect.arrayContaining(['DeviceModelName', 'DeviceModelVersion']));
      expect(headers).toMatchObject({ devicemodelname: 'Server', devicemodelversion: 'v1' });
      expect(headerNames).not.toContain('DeviceModelVersionNo');
    }
  });

  test("goes where the authority's OpenAPI document says, with the body it says", async () => {
    await using bench = await gatewayBench();
    const { gateway, device, server } = bench;
    server.respondWith(answering({ operationID: 'x' }));
    const signature = { hash: 'h', signature: 's' };
    await gateway.verifyTaxpayer(187, { activationKey: '12345678', deviceSerialNo: 'SN: 001' });
    await gateway.registerDevice(187, { activationKey: '12345678', certificateRequest: 'PEM' });
    await gateway.serverCertificate();
    await gateway.serverCertificate('AB'.repeat(20));
    await gateway.config(device);
    await gateway.status(device);
    await gateway.openDay(device, { fiscalDayNo: 3, fiscalDayOpened: '2026-02-03T04:05:06' });
    await gateway.closeDay(device, {
      fiscalDayNo: 3,
      fiscalDayCounters: [],
      fiscalDayDeviceSignature: signature,
      receiptCounter: 0,
    });
    await gateway.issueCertificate(device, 'PEM');
    await gateway.ping(device);
    expect(server.requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      'POST /Public/v1/187/VerifyTaxpayerInformation {"activationKey":"12345678","deviceSerialNo":"SN: 001"}',
      'POST /Public/v1/187/RegisterDevice {"certificateRequest":"PEM","activationKey":"12345678"}',
      'GET /Public/v1/GetServerCertificate ',
      `GET /Public/v1/GetServerCertificate?thumbprint=${'AB'.repeat(20)} `,
      'GET /Device/v1/187/GetConfig ',
      'GET /Device/v1/187/GetStatus ',
      'POST /Device/v1/187/OpenDay {"fiscalDayNo":3,"fiscalDayOpened":"2026-02-03T04:05:06"}',
      'POST /Device/v1/187/CloseDay {"fiscalDayNo":3,"fiscalDayCounters":[],"fiscalDayDeviceSignature":{"hash":"h","signature":"s"},"receiptCounter":0}',
      'POST /Device/v1/187/IssueCertificate {"certificateRequest":"PEM"}',
      'POST /Device/v1/187/Ping ',
    ]);
    const isJson = server.requests.map(({ headers }) => headers['content-type']);
    expect(isJson).toEqual(server.requests.map(({ body }) => (body === '' ? undefined : 'application/json')));
  });

  test('keeps a path in the configured address', async () => {
    await using bench = await gatewayBench();
    const { url } = bench.server;
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const caPem = bench.ca.caPem;
    const gateway = createGateway({ url: `${url}/fdms/`, caPem, modelName: 'Server', modelVersion: 'v1', log });
    await gateway.serverCertificate();
    await gateway.close();
    expect(bench.server.requests[0]?.url).toBe('/fdms/Public/v1/GetServerCertificate');
  });
});

describe('the device certificate', () => {
  test('is presented on device calls and only there', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith(answering({ operationID: 'x', reportingFrequency: 5 }));
    await bench.gateway.ping(bench.device);
    await bench.gateway.serverCertificate();
    const [onDevice, inPublic] = bench.server.requests;
    expect(onDevice).toMatchObject({ clientCommonName: 'ZIMRA-SN: 001-0000000187', isClientTrusted: true });
    expect(inPublic).toMatchObject({ clientCommonName: undefined, isClientTrusted: false });
  });

  test('of an RSA key works as well', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith(answering({ operationID: 'x', reportingFrequency: 5 }));
    const device = await newIdentity(bench.ca, 42, 'rsa');
    expect(await bench.gateway.ping(device)).toMatchObject({ kind: 'answered' });
    expect(bench.server.requests[0]?.clientCommonName).toBe('ZIMRA-SN: 001-0000000042');
  });

  test('is never mixed up: two devices at once, and a renewed certificate from its next call on', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith(answering({ operationID: 'x', reportingFrequency: 5 }));
    const other = await newIdentity(bench.ca, 188);
    await Promise.all([1, 2, 3].flatMap(() => [bench.gateway.ping(bench.device), bench.gateway.ping(other)]));
    for (const { url, clientCommonName } of bench.server.requests) {
      const deviceId = /\/(\d+)\//.exec(url)?.[1] ?? '';
      expect(clientCommonName).toBe(`ZIMRA-SN: 001-${deviceId.padStart(10, '0')}`);
    }
    const before = bench.server.connections();
    await bench.gateway.ping(await newIdentity(bench.ca, 187));
    expect(bench.server.connections()).toBe(before + 1);
  });

  test('keeps its connections between calls: two, the second while the first still tidies up', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith(answering({ operationID: 'x', reportingFrequency: 5 }));
    for (let count = 0; count < 10; count += 1) await bench.gateway.ping(bench.device);
    expect(bench.server.connections()).toBeLessThanOrEqual(2);
  });

  test('that does not belong to the key is said so, and nothing is sent', async () => {
    await using bench = await gatewayBench();
    const { privateKey } = await newIdentity(bench.ca, 187);
    const answer = await bench.gateway.ping({ ...bench.device, privateKey });
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: false });
    expect(bench.server.connections()).toBe(0);
  });
});

describe('a receipt on the wire', () => {
  async function sentReceipt(receipt: FdmsReceipt): Promise<string> {
    await using bench = await gatewayBench();
    bench.server.respondWith(answering(receiptAnswer));
    expect(await bench.gateway.submitReceipt(bench.device, receipt)).toMatchObject({ kind: 'answered' });
    return bench.server.requests[0]?.body ?? '';
  }

  test('has its decimals as JSON numbers with every digit it was sealed with', async () => {
    const body = await sentReceipt(sampleReceipt);
    expect(body).toContain('"receiptLinePrice":0.1,"receiptLineQuantity":3,"receiptLineTotal":0.30,');
    expect(body).toContain('"receiptTotal":1234567890123459.08,');
    expect(body).toContain('"paymentAmount":1234567890123459.08}');
    expect(body).not.toContain('0.30000000000000004');
  });

  test('is exempt by having no taxPercent, and zero-rated by having 0', async () => {
    const body = await sentReceipt(sampleReceipt);
    const { receipt } = JSON.parse(body) as { receipt: FdmsReceipt };
    const [, exemptLine, zeroLine] = receipt.receiptLines;
    expect(exemptLine).not.toHaveProperty('taxPercent');
    expect(zeroLine).toHaveProperty('taxPercent', 0);
    expect(receipt.receiptTaxes[0]).not.toHaveProperty('taxPercent');
    expect(receipt.receiptTaxes[1]).toHaveProperty('taxPercent', 0);
  });

  test('has no null anywhere, even where one was given', async () => {
    const body = await sentReceipt({ ...sampleReceipt, ...(exemptAndNull as unknown as Partial<FdmsReceipt>) });
    expect(body).not.toContain('null');
  });

  test("is exactly one object under `receipt`, in the OpenAPI document's camel case", async () => {
    const body: unknown = JSON.parse(await sentReceipt(sampleReceipt));
    expect(Object.keys(body as object)).toEqual(['receipt']);
    expect([...keysOf(body)].filter((key) => !OPENAPI_NAMES.has(key))).toEqual([]);
  });

  test('is the same bytes when sent again', async () => {
    expect(await sentReceipt(sampleReceipt)).toBe(await sentReceipt(structuredClone(sampleReceipt)));
  });

  test.each(['1e3', '.5', '01', '1.', '+1', 'NaN', '1,5', ' 1', '', '"1"'])(
    'is not sent at all with the amount %j',
    async (amount) => {
      await using bench = await gatewayBench();
      const sent = bench.gateway.submitReceipt(bench.device, { ...sampleReceipt, receiptTotal: amount });
      await expect(sent).rejects.toThrow(TypeError);
      expect(bench.server.requests).toHaveLength(0);
    },
  );
});

test('a negative counter of many digits leaves as it is', async () => {
  await using bench = await gatewayBench();
  bench.server.respondWith(answering({ operationID: 'x' }));
  await bench.gateway.closeDay(bench.device, {
    fiscalDayNo: 1,
    fiscalDayCounters: [
      {
        fiscalCounterType: 'CreditNoteByTax',
        fiscalCounterCurrency: 'ZWG',
        fiscalCounterTaxID: 517,
        fiscalCounterTaxPercent: '15.50',
        fiscalCounterValue: '-12345678901234567.89',
      },
    ],
    fiscalDayDeviceSignature: { hash: 'h', signature: 's' },
    receiptCounter: 5,
  });
  expect(bench.server.requests[0]?.body).toContain(
    '"fiscalCounterTaxID":517,"fiscalCounterTaxPercent":15.50,"fiscalCounterValue":-12345678901234567.89}',
  );
});

test.each([
  ['plain http', { url: 'http://authority.example' }],
  ['an address that is none', { url: 'authority' }],
  ['a model name that fits no header', { modelName: 'Ser\nver' }],
  ['an empty model version', { modelVersion: '' }],
])('a gateway is not made with %s', (_what, options) => {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const good = { url: 'https://authority.example', caPem: undefined, modelName: 'Server', modelVersion: 'v1', log };
  expect(() => createGateway({ ...good, ...options })).toThrow(TypeError);
});

function* keysOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (!Array.isArray(value)) yield key;
    yield* keysOf(item);
  }
}

/** The receipt of specification §4.7, typed off by hand: the code under test must not be its own oracle. */
const OPENAPI_NAMES = new Set(
  `receipt receiptType receiptCurrency receiptCounter receiptGlobalNo invoiceNo buyerData receiptNotes receiptDate
  creditDebitNote receiptLinesTaxInclusive receiptLines receiptTaxes receiptPayments receiptTotal receiptPrintForm
  receiptDeviceSignature buyerRegisterName buyerTradeName buyerTIN vatNumber buyerContacts buyerAddress province city street
  houseNo phoneNo email receiptID deviceID fiscalDayNo receiptLineType receiptLineNo receiptLineHSCode receiptLineName
  receiptLinePrice receiptLineQuantity receiptLineTotal taxCode taxPercent taxID taxAmount salesAmountWithTax moneyTypeCode
  paymentAmount hash signature`.split(/\s+/),
);

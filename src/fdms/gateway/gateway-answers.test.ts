import { describe, expect, test } from 'vitest';
import { gatewayBench, receiptAnswer, sampleReceipt } from '../../../test/support/authority/gateway.ts';
import { answering } from '../../../test/support/authority/server.ts';

const config = {
  operationID: 'x',
  taxPayerName: 'Ruvimbo Trading',
  taxPayerTIN: '2000000001',
  vatNumber: null,
  deviceSerialNo: 'SN: 001',
  deviceBranchName: 'Branch',
  deviceBranchAddress: { province: 'Harare', city: null, street: 'First Street', houseNo: '1', district: 'CBD' },
  deviceBranchContacts: null,
  deviceOperatingMode: 'online',
  taxPayerDayMaxHrs: 24,
  taxpayerDayEndNotificationHrs: 2,
  applicableTaxes: [
    { taxID: 1, taxName: 'Exempt', taxPercent: null, validFrom: '2023-01-01T00:00:00', validTill: null },
    { taxID: 2, taxName: 'Zero', taxPercent: 0, validFrom: '2023-01-01' },
    { taxID: 517, taxName: 'Standard', taxPercent: 15.5, validFrom: '2026-01-01T00:00:00', isNew: true },
  ],
  certificateValidTill: '2027-01-01T00:00:00',
  qrUrl: 'https://fdmstest.zimra.co.zw',
  somethingNew: { a: [1] },
};

async function answerTo(call: 'config' | 'status' | 'submitReceipt', body: object | string, status = 200) {
  await using bench = await gatewayBench();
  bench.server.respondWith(answering(body, status));
  if (call === 'submitReceipt') return await bench.gateway.submitReceipt(bench.device, sampleReceipt);
  return await bench.gateway[call](bench.device);
}

describe('a configuration', () => {
  test('is read with null as absent, exempt without a percentage, and what is new passed over', async () => {
    expect(await answerTo('config', config)).toEqual({
      kind: 'answered',
      value: {
        operationID: 'x',
        taxPayerName: 'Ruvimbo Trading',
        taxPayerTIN: '2000000001',
        deviceSerialNo: 'SN: 001',
        deviceBranchName: 'Branch',
        deviceBranchAddress: { province: 'Harare', city: '', street: 'First Street', houseNo: '1' },
        deviceOperatingMode: 'Online',
        taxPayerDayMaxHrs: 24,
        taxpayerDayEndNotificationHrs: 2,
        applicableTaxes: [
          { taxID: 1, taxName: 'Exempt', validFrom: '2023-01-01T00:00:00' },
          { taxID: 2, taxName: 'Zero', taxPercent: '0', validFrom: '2023-01-01' },
          { taxID: 517, taxName: 'Standard', taxPercent: '15.5', validFrom: '2026-01-01T00:00:00' },
        ],
        qrUrl: 'https://fdmstest.zimra.co.zw',
      },
    });
  });

  test("may call a tax's validity by the names of the specification's prose", async () => {
    const validity = { taxValidFrom: '2024-01-01', taxValidTill: '2026-12-31' };
    const applicableTaxes = [{ taxID: 1, taxName: 'Standard', taxPercent: 15, ...validity }];
    expect(await answerTo('config', { ...config, applicableTaxes })).toMatchObject({
      value: { applicableTaxes: [{ validFrom: '2024-01-01', validTill: '2026-12-31' }] },
    });
  });

  test('need not say what is used nowhere, and may name a mode that is not known', async () => {
    const answer = await answerTo('config', { ...config, certificateValidTill: null, deviceOperatingMode: 'Asleep' });
    expect(answer).toMatchObject({ kind: 'answered', value: { deviceOperatingMode: 'Asleep' } });
  });

  test.each(['taxPayerTIN', 'deviceSerialNo', 'applicableTaxes', 'qrUrl'])('without %s is no answer', async (field) => {
    const answer = await answerTo('config', { ...config, [field]: null });
    const reason = `the authority's answer (HTTP 200) was not understood: ${field} is missing`;
    const unread = expect.stringContaining('operationID');
    expect(answer).toMatchObject({ kind: 'unavailable', reason, mayHaveArrived: true, unread });
  });

  const NOWHERE = { province: '', city: '', street: '', houseNo: '' };
  const standard = { taxID: 1, taxPercent: '15.5', taxName: 'Tax 1', validFrom: '0001-01-01' };
  test.each([
    [{ deviceOperatingMode: null }, { deviceOperatingMode: 'Online' }],
    [
      { taxPayerName: '', deviceBranchName: null },
      { taxPayerName: '', deviceBranchName: '' },
    ],
    [{ deviceBranchAddress: null }, { deviceBranchAddress: NOWHERE }],
    [{ deviceBranchAddress: 'Harare' }, { deviceBranchAddress: NOWHERE }],
    [
      { taxPayerDayMaxHrs: '24', taxpayerDayEndNotificationHrs: null },
      { taxPayerDayMaxHrs: 24, taxpayerDayEndNotificationHrs: 2 },
    ],
    [{ applicableTaxes: [{ taxID: '1', taxPercent: '15.50' }] }, { applicableTaxes: [standard] }],
    [
      { applicableTaxes: [{ TaxId: 1, TAXPERCENT: 15.5, taxName: '', validFrom: '' }] },
      { applicableTaxes: [standard] },
    ],
    [
      { taxPayerDayMaxHrs: 0, taxpayerDayEndNotificationHrs: 'two' },
      {
        taxPayerDayMaxHrs: 24,
        taxpayerDayEndNotificationHrs: 2,
        doubts: [
          'taxPayerDayMaxHrs is 0, for which 24 is taken',
          'taxpayerDayEndNotificationHrs is two, for which 2 is taken',
        ],
      },
    ],
  ])('with %j is taken', async (fields, value) => {
    expect(await answerTo('config', { ...config, ...fields })).toMatchObject({ kind: 'answered', value });
  });

  test.each([
    ['applicableTaxes', [{ taxID: 1.5 }], 'applicableTaxes[0].taxID is not a whole number'],
    ['applicableTaxes', [7], 'applicableTaxes[0] is not an object'],
    ['applicableTaxes', [{ taxID: 1, taxName: 'x', validFrom: 'tomorrow' }], 'validFrom of a tax is not a date'],
  ])('with a wrong %s is no answer, and says which field', async (field, value, fault) => {
    const answer = await answerTo('config', { ...config, [field]: value });
    expect(answer).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining(fault) });
  });
});

describe('a status', () => {
  test('keeps every digit of a counter', async () => {
    const body = `{"operationID":"x","fiscalDayStatus":"FiscalDayClosed","fiscalDayReconciliationMode":"Manual",
      "fiscalDayCounter":[{"fiscalCounterType":"SaleByTax","fiscalCounterCurrency":"ZWG","fiscalCounterTaxID":517,
      "fiscalCounterTaxPercent":15.50,"fiscalCounterMoneyType":null,"fiscalCounterValue":-12345678901234567.89}],
      "fiscalDayDocumentQuantities":[{"receiptType":"FiscalInvoice","receiptCurrency":"ZWG","receiptQuantity":2,
      "receiptTotalAmount":0.30}],"lastReceiptGlobalNo":12,"lastFiscalDayNo":null}`;
    expect(await answerTo('status', body)).toMatchObject({
      value: {
        fiscalDayCounter: [
          {
            fiscalCounterType: 'SaleByTax',
            fiscalCounterTaxPercent: '15.5',
            fiscalCounterValue: '-12345678901234567.89',
          },
        ],
        lastReceiptGlobalNo: 12,
      },
    });
  });

  test('of a device that never opened a day is Closed and nothing else', async () => {
    const body = { operationID: 'x', fiscalDayStatus: 'FiscalDayClosed', lastFiscalDayNo: null, fiscalDayClosed: null };
    const value = { operationID: 'x', fiscalDayStatus: 'FiscalDayClosed' };
    expect(await answerTo('status', body)).toEqual({ kind: 'answered', value });
  });

  test.each([
    { fiscalDayStatus: 'FiscalDayCloseFailed', fiscalDayClosingErrorCode: 'InternalError' },
    { fiscalDayStatus: 'FiscalDayCloseFailed', fiscalDayClosingErrorCode: 'SomethingNew' },
    { fiscalDayStatus: 'FiscalDayPaused', fiscalDayReconciliationMode: 'Half' },
    {
      fiscalDayStatus: 'FiscalDayClosed',
      fiscalDayCounter: [
        { fiscalCounterType: 'PayoutByTax', fiscalCounterCurrency: 'USD', fiscalCounterValue: '1' },
        { fiscalCounterType: 'BalanceByMoneyType', fiscalCounterMoneyType: 'Voucher', fiscalCounterCurrency: 'USD' },
      ],
    },
  ])('keeps names that are not known here: %j', async (value) => {
    const sent = JSON.stringify(value)
      .replaceAll('"USD"', '"USD","fiscalCounterValue":1')
      .replace(',"fiscalCounterValue":"1"', '');
    expect(await answerTo('status', `{"operationID":"x",${sent.slice(1)}`)).toMatchObject({ kind: 'answered', value });
  });

  test('knows its names whatever their case, and keeps one that is a number as its text', async () => {
    const body = { operationID: 'x', fiscalDayStatus: 'FISCALDAYOPENED', fiscalDayClosingErrorCode: 3 };
    const value = { fiscalDayStatus: 'FiscalDayOpened', fiscalDayClosingErrorCode: '3' };
    expect(await answerTo('status', body)).toMatchObject({ kind: 'answered', value });
  });
});

const counters = [{ fiscalCounterType: 'SaleByTax', fiscalCounterCurrency: 'USD', fiscalCounterValue: 'much' }];

test.each([
  [{ fiscalDayServerSignature: {}, fiscalDayClosed: '2026-13-01T25:61' }, { fiscalDayClosed: '2026-13-01T25:61' }],
  [{ fiscalDayServerSignature: 'none', fiscalDayCounter: counters }, { fiscalDayServerSignature: {} }],
  [
    { lastFiscalDayNo: '7', LASTRECEIPTGLOBALNO: 12.0 },
    { lastFiscalDayNo: 7, lastReceiptGlobalNo: 12 },
  ],
  [{ fiscalDayClosingErrorCode: 'bad\0\ud800' }, { fiscalDayClosingErrorCode: 'bad\ufffd' }],
  [{ fiscalDayReconciliationMode: null, operationID: null }, { operationID: '' }],
])('a status with %j says how the day stands all the same', async (fields, expected) => {
  const body = { operationID: 'x', fiscalDayStatus: 'FiscalDayClosed', ...fields };
  const value = { fiscalDayStatus: 'FiscalDayClosed', ...expected };
  expect(await answerTo('status', body)).toMatchObject({ kind: 'answered', value });
});

test('a status without a readable number of the day is no answer', async () => {
  const answer = await answerTo('status', {
    operationID: 'x',
    fiscalDayStatus: 'FiscalDayOpened',
    lastFiscalDayNo: 'x',
  });
  expect(answer).toMatchObject({ kind: 'unavailable', unread: expect.any(String) });
});

describe("a receipt's answer", () => {
  test('with validation errors is still an answer: the receipt is stored and its number used', async () => {
    const colours = ['Gray', 'Grey', 'GREY', 'red', 'Yellow', 'YELLOW', 'Mauve'];
    const validationErrors = colours.map((validationErrorColor) => ({
      validationErrorCode: 'RCPT020',
      validationErrorColor,
    }));
    const answer = await answerTo('submitReceipt', { ...receiptAnswer, validationErrors });
    const read = ['Grey', 'Grey', 'Grey', 'Red', 'Yellow', 'Yellow', 'Mauve'];
    expect(answer).toMatchObject({
      kind: 'answered',
      value: { validationErrors: read.map((validationErrorColor) => ({ validationErrorColor })) },
    });
  });

  test.each([
    ['9007199254740993', 9007199254740993n],
    ['"48377"', 48377n],
    ['" 48377 "', 48377n],
    ['48377.0', 48377n],
    ['-1', -1n],
  ])('with receiptID %s is an acceptance under exactly that number', async (id, receiptID) => {
    const body = JSON.stringify(receiptAnswer).replace('48377', id);
    expect(await answerTo('submitReceipt', body)).toMatchObject({ kind: 'answered', value: { receiptID } });
  });

  test.each(['"x"', '1.5', '99999999999999999999', '[]', 'null', '""'])('with receiptID %s is none', async (id) => {
    const body = JSON.stringify(receiptAnswer).replace('48377', id);
    expect(await answerTo('submitReceipt', body)).toMatchObject({ kind: 'unavailable', unread: expect.any(String) });
  });

  test.each([
    [{ serverDate: '2026-02-30T25:61:61' }, { serverDate: '2026-02-30T25:61:61' }],
    [{ serverDate: '2026-02-03 10:11' }, { serverDate: '2026-02-03 10:11' }],
    [{ receiptServerSignature: { hash: 5, signature: '' } }, { receiptServerSignature: { hash: '5' } }],
    [
      { validationErrors: [{ validationErrorCode: 'RCPT020' }] },
      { validationErrors: [{ validationErrorColor: 'Unknown' }] },
    ],
    [{ validationErrors: 'RCPT020' }, { validationErrors: [{ validationErrorColor: 'Unknown' }] }],
    [{ operationID: null }, { operationID: '' }],
  ])('with %j is an acceptance, and keeps what it says', async (fields, value) => {
    const answer = await answerTo('submitReceipt', { ...receiptAnswer, ...fields });
    expect(answer).toMatchObject({ kind: 'answered', value: { receiptID: 48377n, ...value } });
  });

  test('with names in another case, and with nothing but its receiptID, is an acceptance', async () => {
    const shouted = Object.fromEntries(
      Object.entries(receiptAnswer).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const value = { ...receiptAnswer, receiptID: 48377n };
    expect(await answerTo('submitReceipt', shouted)).toMatchObject({ kind: 'answered', value });
    expect(await answerTo('submitReceipt', { receiptID: 1 })).toMatchObject({ value: { receiptID: 1n } });
  });

  test('without operationID in the body takes it from the header', async () => {
    await using bench = await gatewayBench();
    const { operationID, ...rest } = receiptAnswer;
    bench.server.respondWith(answering(rest, 200, { operationId: operationID }));
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(answer).toMatchObject({ kind: 'answered', value: { operationID } });
  });

  test.each([
    ['an HTML page', '<html>Please log in</html>'],
    ['nothing', ''],
    ['half an answer', JSON.stringify(receiptAnswer).slice(0, 80)],
    ['a text', '"OK"'],
    ['null', 'null'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['an answer to something else', '{"operationID":"x","reportingFrequency":5}'],
    ['two receiptIDs', JSON.stringify(receiptAnswer).replace('{', '{"receiptID":1,')],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]).toString('latin1')],
    ['a deep hole', '['.repeat(10_000)],
  ])('that is %s leaves open whether it arrived', async (_what, body) => {
    expect(await answerTo('submitReceipt', body)).toMatchObject({ kind: 'unavailable', mayHaveArrived: true });
  });

  test('may begin with a byte order mark', async () => {
    const answer = await answerTo('submitReceipt', `\uFEFF${JSON.stringify(receiptAnswer)}`);
    expect(answer).toMatchObject({ kind: 'answered' });
  });
});

describe('a refusal', () => {
  test.each([
    [
      'a business refusal',
      422,
      {
        errorCode: 'DEV01',
        type: 'https://httpstatuses.io/422',
        title: 'Unprocessable Entity',
        status: 422,
        detail: 'Device not found or not active',
        operationID: 'op1',
      },
      { code: 'DEV01', detail: 'Device not found or not active', operationId: 'op1' },
    ],
    [
      'a malformed field',
      400,
      {
        title: 'One or more validation errors occurred.',
        status: 400,
        errors: { FiscalCounterValue: ['provided value FiscalCounterValue do not satisfy decimal(21,2).'] },
        operationID: 'op2',
      },
      {
        code: undefined,
        detail:
          'One or more validation errors occurred.; FiscalCounterValue: provided value FiscalCounterValue do not satisfy decimal(21,2).',
        operationId: 'op2',
      },
    ],
    ['a bad certificate', 401, { title: 'Unauthorized', status: 401 }, { code: undefined, detail: 'Unauthorized' }],
    ['wrong model headers', 403, { title: 'Forbidden', status: 403 }, { code: undefined, detail: 'Forbidden' }],
    ['an unknown thumbprint', 404, { title: 'Not Found', status: 404 }, { code: undefined, detail: 'Not Found' }],
    ['a wrong method', 405, { title: 'Method Not Allowed', status: 405 }, { detail: 'Method Not Allowed' }],
  ])("is the authority's word: %s", async (_what, status, body, expected) => {
    expect(await answerTo('submitReceipt', body, status)).toMatchObject({ kind: 'refused', status, ...expected });
  });

  test('without a body is still its word when it carries the header of all its answers', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith(answering('', 401, { operationId: 'op9' }));
    const answer = await bench.gateway.status(bench.device);
    expect(answer).toEqual({ kind: 'refused', status: 401, code: undefined, detail: 'HTTP 401', operationId: 'op9' });
  });

  test.each([400, 401, 403, 404, 413])('by somebody in between (%d with a page) is none', async (status) => {
    const answer = await answerTo('submitReceipt', '<html>nginx</html>', status);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: true });
  });
});

describe('a server that cannot', () => {
  test.each([500, 502, 503, 504, 408])('(%d) is unavailable, and the request may have arrived', async (status) => {
    const answer = await answerTo('submitReceipt', { title: 'Server error', status, operationID: 'op' }, status);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: true });
  });

  test('(429) is unavailable, and the request was not looked at', async () => {
    const answer = await answerTo('submitReceipt', { title: 'Too Many Requests', status: 429 }, 429);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: false });
  });

  test.each([
    ['7', 7],
    ['Wed, 04 Feb 2026 00:00:30 GMT', 30],
    ['Tue, 03 Feb 2026 00:00:00 GMT', 0],
    ['999999999', 300],
    ['soon', undefined],
  ])('says when to come back: %s', async (header, seconds) => {
    await using bench = await gatewayBench();
    const date = 'Wed, 04 Feb 2026 00:00:00 GMT';
    bench.server.respondWith(answering('', 503, { 'retry-after': header, date }));
    const answer = await bench.gateway.status(bench.device);
    expect(answer.kind === 'unavailable' ? answer.retryAfterSeconds : 'none').toBe(seconds);
  });

  test('redirects in vain', async () => {
    await using bench = await gatewayBench();
    bench.server.respondWith(answering('', 307, { location: `${bench.server.url}/elsewhere` }));
    const answer = await bench.gateway.submitReceipt(bench.device, sampleReceipt);
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveArrived: true });
    expect(bench.server.requests).toHaveLength(1);
  });
});

test("the authority's clock is known from its answers", async () => {
  const now = new Date('2026-02-03T22:00:00Z');
  await using bench = await gatewayBench({ clock: () => now });
  expect(bench.gateway.clockOffsetSeconds()).toBeUndefined();
  bench.server.respondWith(answering('', 500, { date: 'Tue, 03 Feb 2026 22:01:30 GMT' }));
  await bench.gateway.status(bench.device);
  expect(bench.gateway.clockOffsetSeconds()).toBeOneOf([90, 91]);
});

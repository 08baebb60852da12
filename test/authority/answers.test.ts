import { describe, expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';
import type { FaultRequest } from '../support/authority/books.ts';

/** The authority as it may answer: each line is an answer, made by the simulator's `amend-answer`. */
const bench = await benchOfFile({ submissionWaitMs: 5000 });

type Amendment = Pick<FaultRequest, 'fields' | 'headers' | 'replace' | 'status'>;

function amend(deviceId: number, operation: string, amendment: Amendment, count?: number): Promise<unknown> {
  const times = count === undefined ? {} : { count };
  return bench.books.fault({ kind: 'amend-answer', operation, deviceId, ...times, ...amendment });
}

/** Open alerts of a device, as `kind subject`, without those that say that it is out of use, which come and go half a minute later. */
async function alertsOf(deviceId: number): Promise<string[]> {
  const found = (await bench.alerts()).filter(({ AuthorityDeviceId }) => AuthorityDeviceId === deviceId);
  return found.map(({ Kind, Subject }) => `${Kind} ${Subject}`).toSorted();
}

async function detailOf(deviceId: number, globalCounter = 1) {
  const path = `/api/admin/devices/${deviceId}/receipts/${globalCounter}`;
  return (await bench.admin('GET', path)).json<{
    readonly IsToBeDecided: boolean;
    readonly Submission: Record<string, unknown> | null;
  }>();
}

const sent = async (deviceId: number, operation = 'SubmitReceipt') =>
  (await bench.books.calls({ deviceId, operation })).length;

const page = { replace: [{ find: '^.*$', with: '<html>Please log in</html>' }] };
const name = (from: string, to: string) => ({ replace: [{ find: `"${from}":`, with: `"${to}":` }] });

describe('a receipt that the authority accepted is Submitted, however it says so', () => {
  const ID = 'AuthorityReceiptId';
  const unsigned = (deviceId: number) => [`SignatureInvalid device ${deviceId}`];
  test.each<[string, Amendment, Record<string, unknown>, ((deviceId: number) => string[])?]>([
    ['its number as text', { replace: [{ find: '"receiptID":(\\d+)', with: '"receiptID":"$1"' }] }, {}],
    [
      'a number beyond 2^53',
      { replace: [{ find: '"receiptID":\\d+', with: '"receiptID":9007199254740993' }] },
      { [ID]: '9007199254740993' },
    ],
    [
      'a date without seconds',
      { fields: { serverDate: '2026-01-02T03:04' } },
      { AuthorityDate: '2026-01-02T03:04:00' },
    ],
    [
      'a date with a blank and a fraction',
      { fields: { serverDate: '2026-01-02 03:04:05.6' } },
      { AuthorityDate: '2026-01-02T03:04:05' },
    ],
    ['30 February', { fields: { serverDate: '2026-02-30T25:61:61' } }, { AuthorityDate: '2026-02-30T25:61:61' }],
    ['no date', { fields: { serverDate: null } }, { AuthorityDate: null }],
    ['no operationID', { fields: { operationID: null }, headers: { operationId: null } }, {}],
    ['no signature', { fields: { receiptServerSignature: null } }, { IsAuthoritySignatureValid: null }, unsigned],
    ['an empty signature', { fields: { receiptServerSignature: {} } }, { IsAuthoritySignatureValid: null }, unsigned],
    [
      'names in another case',
      {
        replace: [
          { find: '"(r)eceipt', with: '"Receipt' },
          { find: '"serverD', with: '"ServerD' },
        ],
      },
      {},
    ],
    ['its number alone', { replace: [{ find: '^.*("receiptID":\\d+).*$', with: '{$1}' }] }, {}, unsigned],
    [
      'U+0000 and half a character',
      { replace: [{ find: '"operationID":"', with: '"operationID":"\\u0000\\ud800' }] },
      {},
    ],
    ['201', { status: 201 }, {}],
  ])('%s', async (_, amendment, submission, alerts = () => []) => {
    const deviceId = await bench.addDevice();
    await amend(deviceId, 'SubmitReceipt', amendment);
    expect(await bench.sell(deviceId, `taken-${deviceId}`)).toMatchObject({ SubmissionState: 'Submitted' });
    const expected = { [ID]: expect.stringMatching(/^\d+$/), ...submission };
    expect((await detailOf(deviceId)).Submission).toMatchObject(expected);
    const open = (await alertsOf(deviceId)).filter((alert) => !alert.includes('receipts of day'));
    expect(open).toEqual(alerts(deviceId));
    expect(await sent(deviceId)).toBe(1);
  });

  test.each([
    ['a colour that is not known', [{ validationErrorCode: 'RCPT099', validationErrorColor: 'Orange' }], 'Orange'],
    ['no colour', [{ validationErrorCode: 'RCPT099' }], 'Unknown'],
    ['no list', 'RCPT020', 'Unknown'],
  ])('remarks with %s: shown, alerted, and the day is closed as usual', async (_, validationErrors, Colour) => {
    const deviceId = await bench.addDevice();
    await amend(deviceId, 'SubmitReceipt', { fields: { validationErrors } });
    const told = { SubmissionState: 'Submitted', Remarks: [expect.objectContaining({ Colour })] };
    expect(await bench.sell(deviceId, `orange-${deviceId}`)).toMatchObject(told);
    const subject = `receipts of day 1 of device ${deviceId}`;
    const alert = (await bench.alerts()).find(({ Kind, Subject }) => Kind === 'ReceiptRed' && Subject === subject);
    expect(alert?.Message).toMatch(new RegExp(`marked ${Colour}: .*its closing is tried`));
    await bench.closeDay(deviceId);
  });
});

describe('an answer to a receipt that cannot be read', () => {
  const lines: [string, Amendment][] = [
    ['a page', page],
    ['nothing', { replace: [{ find: '^.*$', with: '' }] }],
    ['a problem with status 200', { replace: [{ find: '^.*$', with: '{"errorCode":"RCPT01","status":422}' }] }],
    ['a receiptID that is none', { fields: { receiptID: 'x-1' } }],
    ['no receiptID', name('receiptID', 'id')],
  ];
  test.each(lines)(
    '%s: one alert, ever rarer attempts, and it goes on when the answer can be read',
    async (_, amendment) => {
      const deviceId = await bench.addDevice();
      await amend(deviceId, 'SubmitReceipt', amendment);
      expect(await bench.sell(deviceId, `unread-${deviceId}`)).toMatchObject({ SubmissionState: 'Pending' });
      const raised = [`AnswerUnclear SubmitReceipt of device ${deviceId}`];
      await bench.until(async () => (await alertsOf(deviceId)).join() === raised.join(), 'the alert', { deviceId });
      expect(await sent(deviceId)).toBeGreaterThanOrEqual(3);
      await bench.books.clearFaults();
      await bench.untilSubmitted(deviceId);
      await bench.until(async () => (await alertsOf(deviceId)).length === 0, 'the alert ends', { deviceId });
      expect(await bench.books.receipts(deviceId)).toHaveLength(1);
    },
  );

  test('is asked for a few times in an hour, not every half minute', async () => {
    const deviceId = await bench.addDevice();
    await amend(deviceId, 'SubmitReceipt', page);
    await bench.sell(deviceId, 'rare-1');
    const startedAt = bench.now.getTime();
    await bench.until(() => bench.now.getTime() - startedAt > 3_600_000, 'an hour', { deviceId, stepSeconds: 60 });
    expect(await sent(deviceId)).toBeLessThan(30);
  });

  async function unreadable(reference: string): Promise<number> {
    const deviceId = await bench.addDevice();
    await amend(deviceId, 'SubmitReceipt', page, 5);
    await bench.sell(deviceId, `${reference}-1`);
    await bench.sell(deviceId, `${reference}-2`);
    expect(await bench.decide(deviceId, 2, 'give-up')).toBe(404);
    await bench.until(async () => (await detailOf(deviceId)).IsToBeDecided, 'a decision is wanted', { deviceId });
    return deviceId;
  }

  test('can be decided by an operator: the authority has it', async () => {
    const deviceId = await unreadable('has-it');
    expect(await bench.decide(deviceId, 1, 'take-as-accepted')).toBe(400);
    const url = `/api/admin/devices/${deviceId}/receipts/1/decision`;
    const body = { Decision: 'take-as-accepted', AuthorityReceiptId: '9007199254740993' };
    expect((await bench.admin('POST', url, body)).statusCode).toBe(202);
    expect(await bench.submissions(deviceId)).toContain('Submitted');
    await bench.untilSubmitted(deviceId);
    expect((await detailOf(deviceId)).Submission).toMatchObject({ AuthorityReceiptId: '9007199254740993' });
    expect(await alertsOf(deviceId)).toEqual([]);
    const { Events } = (await bench.get('/api/events?after=0&limit=500')).json<{ Events: object[] }>();
    const Data = expect.objectContaining({ Reference: 'has-it-1' });
    expect(Events).toContainEqual(expect.objectContaining({ Type: 'receipt.submitted', Data }));
    await bench.closeDay(deviceId);
  });

  test('can be decided by an operator: given up', async () => {
    const deviceId = await unreadable('given');
    expect(await bench.decide(deviceId, 1, 'give-up')).toBe(202);
    await bench.until(
      async () => (await bench.submissions(deviceId)).join() === 'Undeliverable,Submitted',
      'the rest is submitted',
      { deviceId },
    );
  });

  test('can be decided by an operator: sent again', async () => {
    const deviceId = await unreadable('again');
    await bench.books.clearFaults();
    expect(await bench.decide(deviceId, 1, 'retry')).toBe(202);
    await bench.untilSubmitted(deviceId);
  });
});

test('an unclear answer about the configuration lets nobody decide about a receipt', async () => {
  const deviceId = await bench.addDevice();
  await amend(deviceId, 'GetConfig', { fields: { taxPayerDayMaxHrs: 0 } });
  await bench.pool.query('update device_lanes set configuration_checked_at = null where device_id = $1', [deviceId]);
  const raised = [`AnswerUnclear GetConfig of device ${deviceId}`];
  await bench.until(async () => (await alertsOf(deviceId)).join() === raised.join(), 'the alert', { deviceId });
  await bench.books.fault({ kind: 'outage' });
  expect(await bench.sell(deviceId, 'innocent-1')).toMatchObject({ SubmissionState: 'Pending' });
  expect(await detailOf(deviceId)).toMatchObject({ IsToBeDecided: false });
  for (const decision of ['give-up', 'retry']) expect(await bench.decide(deviceId, 1, decision)).toBe(404);
  expect(await alertsOf(deviceId)).toEqual(raised);
  await bench.books.clearFaults();
  await bench.untilSubmitted(deviceId);
});

test('RCPT01 while the day is open there: an alert, ever rarer attempts, and both end when it is taken', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'refuse', code: 'RCPT01', deviceId });
  await bench.sell(deviceId, 'shut-1');
  const raised = [`AnswerUnclear SubmitReceipt of device ${deviceId}`];
  await bench.until(async () => (await alertsOf(deviceId)).join() === raised.join(), 'the alert', { deviceId });
  expect(await detailOf(deviceId)).toMatchObject({ IsToBeDecided: true });
  const startedAt = bench.now.getTime();
  await bench.until(() => bench.now.getTime() - startedAt > 600_000, 'ten minutes', { deviceId, stepSeconds: 20 });
  // Six or seven turns of four.
  expect(await sent(deviceId)).toBeLessThan(30);
  await bench.books.clearFaults();
  await bench.untilSubmitted(deviceId);
  await bench.until(async () => (await alertsOf(deviceId)).length === 0, 'the alert ends', { deviceId });
});

describe('a day is closed by what the status says of it, not by evidence beside that', () => {
  test.each<[string, Amendment]>([
    ['an empty signature', { fields: { fiscalDayServerSignature: {} } }],
    ['a signature that is a text', { fields: { fiscalDayServerSignature: 'none' } }],
    ['a closing time without seconds', { fields: { fiscalDayClosed: '2026-01-02T03:04' } }],
    ['month 13', { fields: { fiscalDayClosed: '2026-13-02T03:04:05' } }],
    [
      'the number of the day as text',
      { replace: [{ find: '"lastFiscalDayNo":(\\d+)', with: '"lastFiscalDayNo":"$1"' }] },
    ],
    ['no number of the day', name('lastFiscalDayNo', 'lastDay')],
    ['counters that are none', { fields: { fiscalDayCounter: [{ fiscalCounterValue: 1, fiscalCounterType: [] }] } }],
    ['names in another case', name('fiscalDayStatus', 'FISCALDAYSTATUS')],
    ['no operationID', { fields: { operationID: null }, headers: { operationId: null } }],
  ])('%s', async (_, amendment) => {
    const deviceId = await bench.addDevice();
    await bench.sell(deviceId, `closed-${deviceId}`);
    await amend(deviceId, 'GetStatus', amendment);
    await bench.closeDay(deviceId);
    await bench.openDay(deviceId);
    expect((await alertsOf(deviceId)).filter((alert) => !alert.startsWith('SignatureInvalid'))).toEqual([]);
  });

  test.each<[string, Amendment]>([
    ['a page', page],
    ['a state that is not known', { fields: { fiscalDayStatus: 7 } }],
  ])(
    '%s instead: an alert, asked once a minute at the rarest, and closed when it can be read',
    async (_, amendment) => {
      const deviceId = await bench.addDevice();
      await amend(deviceId, 'GetStatus', amendment);
      await bench.requestDay(deviceId, 'close');
      const raised = [`AnswerUnclear GetStatus of device ${deviceId}`];
      await bench.until(async () => (await alertsOf(deviceId)).join() === raised.join(), 'the alert', { deviceId });
      await bench.books.clearFaults();
      await bench.untilDay(deviceId, 'Closed', 1);
      expect(await alertsOf(deviceId)).toEqual([]);
    },
  );

  test('a last receipt beyond all numbers puts the device on hold, and is no internal error', async () => {
    const deviceId = await bench.addDevice();
    await amend(deviceId, 'GetStatus', { fields: { lastReceiptGlobalNo: 2 ** 40 } });
    await bench.until(async () => (await alertsOf(deviceId)).join().startsWith('AuthorityAhead'), 'on hold', {
      deviceId,
      stepSeconds: 60,
    });
    await bench.books.clearFaults();
    await bench.until(async () => (await alertsOf(deviceId)).length === 0, 'free again', { deviceId, stepSeconds: 10 });
  });
});

describe('OpenDay that answers with another number', () => {
  test('is settled by the status before anything is sealed', async () => {
    const deviceId = await bench.addDevice();
    await bench.closeDay(deviceId);
    await amend(deviceId, 'OpenDay', { fields: { fiscalDayNo: 7 } });
    const before = await sent(deviceId, 'GetStatus');
    await bench.openDay(deviceId);
    expect(await sent(deviceId, 'GetStatus')).toBe(before + 1);
    await bench.sell(deviceId, 'numbered-1');
  });

  test('puts the device on hold where the status says the same', async () => {
    const deviceId = await bench.addDevice();
    await bench.closeDay(deviceId);
    await amend(deviceId, 'OpenDay', { fields: { fiscalDayNo: 7 } });
    await amend(deviceId, 'GetStatus', { fields: { lastFiscalDayNo: 7 } });
    await bench.requestDay(deviceId, 'open');
    await bench.until(async () => (await alertsOf(deviceId)).join().startsWith('AuthorityAhead'), 'on hold', {
      deviceId,
    });
    await expect(bench.sell(deviceId, 'ahead-1')).rejects.toThrow(/not sealed/);
    expect(await bench.books.receipts(deviceId)).toEqual([]);
  });
});

describe('a configuration', () => {
  const generous = {
    fields: {
      taxPayerName: '',
      deviceBranchName: null,
      deviceBranchAddress: null,
      taxPayerDayMaxHrs: '24',
      taxpayerDayEndNotificationHrs: null,
    },
    replace: [
      { find: '"taxPercent":([\\d.]+)', with: '"taxPercent":"$1"' },
      { find: '"taxID":(\\d+)', with: '"taxID":"$1"' },
      { find: '"taxName":"[^"]*"', with: '"taxName":""' },
    ],
  };
  test('with empty texts, numbers in texts and no address registers a device that sells', async () => {
    const { deviceId, registration } = await bench.announceDevice();
    await amend(deviceId, 'GetConfig', generous);
    expect((await bench.admin('POST', '/api/admin/devices', registration)).statusCode).toBe(201);
    await bench.untilDay(deviceId, 'Opened', 1);
    expect(await bench.sell(deviceId, 'generous-1')).toMatchObject({ SubmissionState: 'Submitted' });
    expect(await alertsOf(deviceId)).toEqual([]);
  });

  test('with a day of no hours registers a device whose day has 24, with an alert until it says otherwise', async () => {
    const { deviceId, registration } = await bench.announceDevice();
    await amend(deviceId, 'GetConfig', { fields: { taxPayerDayMaxHrs: 0 } });
    expect((await bench.admin('POST', '/api/admin/devices', registration)).statusCode).toBe(201);
    await bench.untilDay(deviceId, 'Opened', 1);
    await bench.sell(deviceId, 'hours-1');
    expect(await alertsOf(deviceId)).toEqual([`AnswerUnclear GetConfig of device ${deviceId}`]);
    await bench.books.clearFaults();
    await bench.nextDay(deviceId);
    expect(await alertsOf(deviceId)).toEqual([]);
  });

  test('that cannot be read raises an alert and holds up no day', async () => {
    const deviceId = await bench.addDevice();
    await amend(deviceId, 'GetConfig', page);
    await bench.nextDay(deviceId);
    expect(await alertsOf(deviceId)).toEqual([`ConfigurationUnusable device ${deviceId}`]);
    expect(await bench.sell(deviceId, 'unread-config')).toMatchObject({ SubmissionState: 'Submitted' });
  });
});

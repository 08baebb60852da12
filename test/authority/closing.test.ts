import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';
import { invoice } from '../support/receipts/receipts.ts';

const bench = await benchOfFile();

async function closeAlert(deviceId: number): Promise<string | undefined> {
  return (await bench.alerts()).find(
    ({ Kind, Subject }) => Kind === 'DayCloseFailed' && Subject === `day 1 of device ${deviceId}`,
  )?.Message;
}

async function closeCalls(deviceId: number): Promise<number> {
  return (await bench.books.calls({ deviceId, operation: 'CloseDay' })).length;
}

/** So much time passes, in steps small enough for every retry that is due. */
async function pass(minutes: number): Promise<void> {
  const end = bench.now.getTime() + minutes * 60_000;
  await bench.until(() => bench.now.getTime() >= end, 'time passes', { stepSeconds: 60 });
}

test('a red receipt: the day is not even asked to close, the alert says that a person must, and sealing goes on', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'remark', code: 'RCPT020', colour: 'Red', deviceId, count: 1 });
  expect(await bench.sell(deviceId, 'red-1')).toMatchObject({ SubmissionFailed: null });
  expect(await bench.alerts()).toContainEqual(
    expect.objectContaining({
      Kind: 'ReceiptRed',
      Subject: `receipts of day 1 of device ${deviceId}`,
      Message: expect.stringMatching(/^red-1 was marked Red/),
    }),
  );
  const device = await bench.admin('GET', `/api/admin/devices/${deviceId}`);
  expect(device.json()).toMatchObject({ FiscalDay: { RedReceipts: ['red-1'] } });
  expect(await bench.requestDay(deviceId, 'close')).toMatchObject({ RedReceipts: ['red-1'] });
  await bench.untilDay(deviceId, 'CloseFailed', 1);
  expect(await closeAlert(deviceId)).toMatch(
    /ReceiptsWithValidationErrors.*Ask the authority to close the day by hand/,
  );
  await bench.books.fault({ kind: 'remark', code: 'RCPT021', colour: 'Red', deviceId, count: 1 });
  expect(await bench.sell(deviceId, 'red-2')).toMatchObject({ FiscalDayNumber: 1, SubmissionFailed: null });
  // However many they are, it is one alert for the device and its day.
  const red = (await bench.alerts()).filter(({ Kind }) => Kind === 'ReceiptRed');
  expect(red).toMatchObject([
    { Message: expect.stringMatching(/^2 receipts, the first is red-1. The newest: red-2 was marked Red: RCPT021/) },
  ]);
  await pass(20);
  expect(await closeCalls(deviceId)).toBe(0);
  await bench.books.closeByHand(deviceId);
  await bench.until(async () => (await bench.dayOf(deviceId)).number === 2, 'the next day', { stepSeconds: 60 });
  expect(await closeAlert(deviceId)).toBeUndefined();
});

/** The authority accepts the next closing of this device and then fails it. */
async function failClosing(deviceId: number, code: string): Promise<void> {
  await bench.books.fault({ kind: 'close-failed', code, deviceId, count: 1 });
  await bench.requestDay(deviceId, 'close');
  await bench.untilDay(deviceId, 'CloseFailed', 1);
  expect(await bench.books.day(deviceId, 1)).toMatchObject({ closingErrorCode: code });
}

test('CountersMismatch is explained and tried again automatically, with its counters computed again', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'mismatch-1');
  await failClosing(deviceId, 'CountersMismatch');
  expect(await closeAlert(deviceId)).toMatch(/CountersMismatch.*computed again/);
  // What is sold meanwhile belongs to the day that is still open, and must be in what is sent next.
  await bench.sell(deviceId, 'mismatch-2');
  // The operator's wish ended with the failure: the next day opens at once.
  await bench.until(async () => (await bench.dayOf(deviceId)).number === 2, 'it closes', { stepSeconds: 10 });
  expect(await closeCalls(deviceId)).toBe(2);
  expect(await closeAlert(deviceId)).toBeUndefined();
  const { ours, theirs } = await bench.counters(deviceId, 1);
  expect(ours).toEqual(theirs);
  expect(ours).toContain('BalanceByMoneyType USD Cash 231');
});

test('MissingReceipts is explained, tried three times in all, and then left to a person', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'missing-1');
  await bench.books.fault({ kind: 'refuse', code: 'RCPT02', deviceId, count: 1 });
  await bench.sell(deviceId, 'missing-2');
  await bench.decide(deviceId, 2, 'give-up');
  await bench.requestDay(deviceId, 'close');
  await bench.untilDay(deviceId, 'CloseFailed', 1);
  expect(await closeAlert(deviceId)).toMatch(/MissingReceipts.*compare both lists/);
  await pass(30);
  expect(await closeCalls(deviceId)).toBe(3);
  expect((await bench.dayOf(deviceId)).state).toBe('CloseFailed');
});

/** Its second receipt arrived without an answer; then a person closed the day. So many times GetStatus does not show that receipt. */
async function lostInClosedDay(name: string, missing: { readonly count?: number }): Promise<number> {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, `${name}-1`);
  await bench.books.fault({ kind: 'lose-answer', operation: 'SubmitReceipt', deviceId, count: 1 });
  await bench.sell(deviceId, `${name}-2`);
  await bench.books.fault({ kind: 'refuse', code: 'RCPT01', operation: 'SubmitReceipt', deviceId });
  const fields = { lastReceiptGlobalNo: 1 };
  await bench.books.fault({ kind: 'amend-answer', operation: 'GetStatus', deviceId, fields, ...missing });
  await bench.books.closeByHand(deviceId);
  return deviceId;
}

const undeliverable = async (deviceId: number) =>
  (await bench.alerts()).filter(
    ({ Kind, Subject }) => Kind === 'ReceiptUndeliverable' && Subject === `day 1 of device ${deviceId}`,
  );

test('a receipt of a day closed by hand that GetStatus shows late is asked about again, not called undeliverable', async () => {
  const deviceId = await lostInClosedDay('shown-late', { count: 3 });
  await bench.until(async () => (await bench.dayOf(deviceId)).number === 2, 'the next day', { stepSeconds: 10 });
  expect(await bench.stateOf('shown-late-2')).toBe('Submitted');
  expect(await undeliverable(deviceId)).toEqual([]);
});

test('a receipt that GetStatus never shows is undeliverable after some minutes, and the next day opens', async () => {
  const deviceId = await lostInClosedDay('never-shown', {});
  const from = bench.now.getTime();
  await bench.until(async () => (await bench.stateOf('never-shown-2')) === 'Undeliverable', 'it is settled', {
    stepSeconds: 10,
  });
  expect(bench.now.getTime() - from).toBeGreaterThanOrEqual(180_000);
  expect((await bench.books.calls({ deviceId, operation: 'GetStatus' })).length).toBeLessThan(15);
  expect(await undeliverable(deviceId)).toHaveLength(1);
  await bench.books.clearFaults();
  await bench.untilDay(deviceId, 'Opened', 2);
});

test('BadCertificateSignature is explained and tried again only by hand', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'signature-1');
  await failClosing(deviceId, 'BadCertificateSignature');
  expect(await closeAlert(deviceId)).toMatch(/BadCertificateSignature.*close again by hand/);
  await pass(20);
  expect(await closeCalls(deviceId)).toBe(1);
  await bench.closeDay(deviceId);
  expect(await closeAlert(deviceId)).toBeUndefined();
});

test('a receipt that only the authority knows to be red: the refusal of the closing is explained and not repeated', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'secret-1');
  await failClosing(deviceId, 'ReceiptsWithValidationErrors');
  expect(await closeAlert(deviceId)).toMatch(/ReceiptsWithValidationErrors.*by hand/);
  await pass(20);
  expect(await closeCalls(deviceId)).toBe(1);
});

test('an error beside a day that is open again is a failed closing: explained, not repeated, and selling goes on', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'left-open-1');
  await bench.books.fault({ kind: 'close-failed', isLeftOpen: true, code: 'BadCertificateSignature', deviceId });
  await bench.requestDay(deviceId, 'close');
  await bench.untilDay(deviceId, 'CloseFailed', 1);
  expect(await closeAlert(deviceId)).toMatch(/BadCertificateSignature.*close again by hand/);
  expect(await bench.sell(deviceId, 'left-open-2')).toMatchObject({ FiscalDayNumber: 1, SubmissionFailed: null });
  await pass(20);
  expect(await closeCalls(deviceId)).toBe(1);
});

test('an old error beside an open day is none of a closing that nobody began', async () => {
  const deviceId = await bench.addDevice();
  const fields = { fiscalDayClosingErrorCode: 'CountersMismatch' };
  await bench.books.fault({ kind: 'amend-answer', operation: 'GetStatus', deviceId, fields });
  await pass(20);
  expect(await bench.dayOf(deviceId)).toEqual({ number: 1, state: 'Opened' });
  expect(await closeAlert(deviceId)).toBeUndefined();
});

test('an error that is not known here is shown by its name', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'new-error-1');
  await failClosing(deviceId, 'SomethingNew');
  expect(await closeAlert(deviceId)).toMatch(/SomethingNew.*Try again by hand/);
});

test('a CloseDay that is answered and forgotten again and again is sent three times, alerts, and lets selling go on', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'forgotten-1');
  await bench.books.fault({ kind: 'close-failed', isLeftOpen: true, deviceId });
  await bench.requestDay(deviceId, 'close');
  await bench.untilDay(deviceId, 'CloseFailed', 1);
  expect(await closeCalls(deviceId)).toBe(3);
  expect(await closeAlert(deviceId)).toMatch(/CloseDayLost.*tried again automatically/);
  expect(await bench.sell(deviceId, 'forgotten-2')).toMatchObject({ FiscalDayNumber: 1, SubmissionFailed: null });
  await pass(25);
  expect(await closeCalls(deviceId)).toBe(3);
  await bench.books.clearFaults();
  await bench.until(async () => (await bench.dayOf(deviceId)).number === 2, 'it closes', { stepSeconds: 60 });
  expect(await closeCalls(deviceId)).toBe(4);
  expect(await closeAlert(deviceId)).toBeUndefined();
});

test('a state of the day that is not known here changes nothing', async () => {
  const deviceId = await bench.addDevice();
  const fields = { fiscalDayStatus: 'FiscalDayPaused' };
  await bench.books.fault({ kind: 'amend-answer', operation: 'GetStatus', deviceId, fields });
  await pass(20);
  expect(await bench.sell(deviceId, 'paused-1')).toMatchObject({ FiscalDayNumber: 1, SubmissionFailed: null });
});

test('a day closed by hand with counters that are not known here is adopted, and its report shows them', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'payout-1');
  const counter = { fiscalCounterCurrency: 'USD', fiscalCounterValue: 12.5 };
  const fiscalDayCounter = [
    { ...counter, fiscalCounterType: 'PayoutByTax', fiscalCounterTaxID: 1, fiscalCounterTaxPercent: 15 },
    { ...counter, fiscalCounterType: 'BalanceByMoneyType', fiscalCounterMoneyType: 'Voucher' },
    { ...counter, fiscalCounterType: 'BalanceByMoneyType', fiscalCounterMoneyType: 'Cash' },
  ];
  // Before the day is closed: its device may ask at any time.
  await bench.books.fault({ kind: 'amend-answer', operation: 'GetStatus', deviceId, fields: { fiscalDayCounter } });
  await bench.books.closeByHand(deviceId);
  await bench.until(async () => (await bench.dayOf(deviceId)).number === 2, 'the next day', { stepSeconds: 60 });
  const report = (await bench.admin('GET', `/api/admin/devices/${deviceId}/days/1/report`)).json();
  expect(report).toMatchObject({
    Reconciliation: 'Manual',
    Currencies: [
      {
        Balances: [{ MoneyType: 'Cash', Amount: 12.5 }],
        OtherCounters: [
          { Name: 'PayoutByTax 15 %', Amount: 12.5 },
          { Name: 'BalanceByMoneyType Voucher', Amount: 12.5 },
        ],
      },
    ],
  });
});

test('a day over its maximum: it is closed half an hour before and the next one opens at once', async () => {
  const deviceId = await bench.addDevice({ atAuthority: { dayMaxHours: 4 } });
  await bench.sell(deviceId, 'maximum-1');
  await bench.advance(2 * 3600 + 600);
  await bench.until(
    async () =>
      (await bench.alerts()).some(
        ({ Kind, Subject, Message }) =>
          Kind === 'DayNearMaximum' && Subject.endsWith(`${deviceId}`) && /hours at \S+\+02:00;/.test(Message),
      ),
    'the warning',
    { stepSeconds: 30 },
  );
  await bench.advance(3600 + 20 * 60);
  await bench.untilDay(deviceId, 'Opened', 2);
  expect(await bench.books.day(deviceId, 1)).toMatchObject({ reconciliationMode: 'Auto' });
  expect((await bench.alerts()).filter(({ Kind }) => Kind === 'DayNearMaximum')).toEqual([]);
  expect(await bench.sell(deviceId, 'maximum-2')).toMatchObject({ FiscalDayNumber: 2 });
});

test('a day over its maximum with the authority down refuses to seal until it is back', async () => {
  const deviceId = await bench.addDevice({ atAuthority: { dayMaxHours: 4 } });
  await bench.sell(deviceId, 'toolong-1');
  await bench.books.fault({ kind: 'outage' });
  await bench.advance(5 * 3600);
  const refused = await bench.sign(invoice(deviceId, 'toolong-2', { Date: bench.now.toISOString() }));
  expect(refused.statusCode).toBe(503);
  expect(['FiscalDayTooLong', 'FiscalDayNotOpen']).toContain(refused.json<{ Code: string }>().Code);
  await bench.books.clearFaults();
  await bench.untilDay(deviceId, 'Opened', 2);
  expect(await bench.sell(deviceId, 'toolong-2')).toMatchObject({ FiscalDayNumber: 2, SubmissionFailed: null });
});

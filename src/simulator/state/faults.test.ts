import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../../test/support/process.ts';
import { control } from '../../../test/support/simulator/control.ts';
import { registeredDevice, type TestDevice } from '../../../test/support/simulator/device.ts';
import { TestSimulator } from '../../../test/support/simulator/simulator.ts';

let world: TestSimulator;
let device: TestDevice;
let other: TestDevice;
beforeAll(async () => {
  world = await TestSimulator.start();
  device = await registeredDevice(world.simulator, { deviceId: 6001 });
  other = await registeredDevice(world.simulator, { deviceId: 6002 });
  await device.openDay('2026-03-01T08:00:00');
  await other.openDay('2026-03-01T08:00:00');
});
afterEach(() => control(world.simulator, 'DELETE', '/faults'));
afterAll(() => world.end());

const fault = (body: object) => control(world.simulator, 'POST', '/faults', body);
const held = async (): Promise<{ receiptGlobalNo: number; remarks: object[] }[]> =>
  control(world.simulator, 'GET', '/devices/6001/receipts');

test('an outage cuts connections and refuses new ones until it is removed', async () => {
  await device.get('GetStatus');
  await fault({ kind: 'outage' });
  for (const _ of [1, 2, 3]) await expect(device.get('GetStatus')).rejects.toThrow(/ECONNRESET|hang up|disconnected/);
  await control(world.simulator, 'DELETE', '/faults');
  expect((await device.get('GetStatus')).status).toBe(200);
});

test('an outage of a number of calls, of one device, ends automatically', async () => {
  await fault({ kind: 'outage', count: 2, deviceId: 6001 });
  await expect(device.get('GetStatus')).rejects.toThrow();
  expect((await other.get('GetStatus')).status).toBe(200);
  await expect(device.get('GetStatus')).rejects.toThrow();
  expect((await device.get('GetStatus')).status).toBe(200);
});

test('a lost answer was processed; the same receipt again gets the answer', async () => {
  await fault({ kind: 'lose-answer', count: 1, operation: 'SubmitReceipt' });
  const receipt = device.next();
  await expect(device.send(receipt)).rejects.toThrow();
  expect((await held()).map(({ receiptGlobalNo }) => receiptGlobalNo)).toContain(receipt.receiptGlobalNo);
  expect((await device.send(receipt)).status).toBe(200);
  device.advance(receipt);
});

test('every n-th answer can be lost', async () => {
  await fault({ kind: 'lose-answer', every: 3, operation: 'GetStatus' });
  const results = [];
  for (let call = 0; call < 6; call += 1) {
    results.push(
      await device.get('GetStatus').then(
        () => 'answered',
        () => 'lost',
      ),
    );
  }
  expect(results).toEqual(['answered', 'answered', 'lost', 'answered', 'answered', 'lost']);
});

test('an error 500 stores nothing', async () => {
  const before = await held();
  await fault({ kind: 'error-500', count: 1 });
  const answer = await device.send(device.next());
  expect(answer).toMatchObject({ status: 500, body: { title: 'Server error', status: 500 } });
  expect(answer.body.operationID).toBeDefined();
  expect(await held()).toEqual(before);
});

test('an error may have another status', async () => {
  await fault({ kind: 'error-500', status: 429, count: 1 });
  expect(await device.get('GetStatus')).toMatchObject({ status: 429, body: { title: 'Too Many Requests' } });
});

test('a delay holds the answer back', async () => {
  await fault({ kind: 'delay', delayMs: 80, count: 1 });
  const startedAt = performance.now();
  expect((await device.get('GetStatus')).status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(75);
});

test('a delayed answer is of a call that was processed at once', async () => {
  await fault({ kind: 'delay-answer', delayMs: 2000, operation: 'SubmitReceipt', count: 1 });
  const receipt = device.next();
  let isAnswered = false;
  const waiting = device.send(receipt).finally(() => {
    isAnswered = true;
  });
  await expect
    .poll(async () => (await held()).some((known) => known.receiptGlobalNo === receipt.receiptGlobalNo))
    .toBe(true);
  expect(isAnswered).toBe(false);
  expect((await waiting).status).toBe(200);
  device.advance(receipt);
});

test('a closing fails with the error that was asked for, and with its own checks after that', async () => {
  const closing = await registeredDevice(world.simulator, { deviceId: 6003 });
  await closing.openDay('2026-03-01T08:00:00');
  await fault({ kind: 'close-failed', code: 'CountersMismatch', deviceId: 6003, count: 1 });
  expect((await closing.closeDay([], 0)).status).toBe(200);
  const failed = { fiscalDayStatus: 'FiscalDayCloseFailed', fiscalDayClosingErrorCode: 'CountersMismatch' };
  expect((await closing.settled()).body).toMatchObject(failed);
  await closing.closeDay([], 0);
  expect((await closing.settled()).body.fiscalDayStatus).toBe('FiscalDayClosed');
});

test('a closing that was accepted may leave the day open, beside an error of any name or without one', async () => {
  const closing = await registeredDevice(world.simulator, { deviceId: 6004 });
  await closing.openDay('2026-03-01T08:00:00');
  await fault({ kind: 'close-failed', isLeftOpen: true, code: 'SomethingNew', deviceId: 6004, count: 1 });
  await closing.closeDay([], 0);
  const open = { fiscalDayStatus: 'FiscalDayOpened', fiscalDayClosingErrorCode: 'SomethingNew' };
  expect((await closing.settled()).body).toMatchObject(open);
  await fault({ kind: 'close-failed', isLeftOpen: true, deviceId: 6004, count: 1 });
  await closing.closeDay([], 0);
  expect((await closing.settled()).body).not.toHaveProperty('fiscalDayClosingErrorCode');
});

test('an answer can be amended: fields added, changed and taken away', async () => {
  const amended = await registeredDevice(world.simulator, { deviceId: 6005 });
  const fields = { fiscalDayStatus: 'FiscalDayPaused', lastFiscalDayNo: null, extra: [{ fiscalCounterValue: 1.5 }] };
  await fault({ kind: 'amend-answer', operation: 'GetStatus', deviceId: 6005, count: 1, fields });
  expect((await amended.get('GetStatus')).body).toMatchObject(fields);
  expect((await amended.get('GetStatus')).body).toMatchObject({ fiscalDayStatus: 'FiscalDayClosed' });
});

test('an answer can have another status, headers and text, although the call was processed', async () => {
  const receipt = device.next();
  const replace = [{ find: '"receiptID":(\\d+)', with: '"receiptID":"$1"' }, { find: '"serverDate":"[^"]*",' }];
  const headers = { operationId: null, 'retry-after': '7' };
  await fault({ kind: 'amend-answer', operation: 'SubmitReceipt', count: 1, status: 503, headers, replace });
  const answer = await device.send(receipt);
  expect(answer).toMatchObject({ status: 503, body: { receiptID: expect.stringMatching(/^\d+$/) } });
  expect(answer.body).not.toHaveProperty('serverDate');
  device.advance(receipt);
  expect((await held()).map(({ receiptGlobalNo }) => receiptGlobalNo)).toContain(receipt.receiptGlobalNo);
});

test.each([
  ['RCPT02', 'RCPT02'],
  ['RCPT01', 'RCPT01'],
  ['DEV01', 'DEV01'],
])('a refusal with %s strikes submissions and stores nothing', async (code, errorCode) => {
  const before = await held();
  await fault({ kind: 'refuse', code, operation: 'SubmitReceipt', count: 1 });
  expect((await device.get('GetStatus')).status).toBe(200);
  expect(await device.send(device.next())).toMatchObject({ status: 422, body: { errorCode, status: 422 } });
  expect(await held()).toEqual(before);
});

test('a remark is stored with the receipt and keeps its colour', async () => {
  await fault({ kind: 'remark', code: 'RCPT031', count: 1 });
  await fault({ kind: 'remark', code: 'RCPT026', colour: 'Yellow', count: 1 });
  const answer = await device.submit();
  const expected = [
    { validationErrorCode: 'RCPT026', validationErrorColor: 'Yellow' },
    { validationErrorCode: 'RCPT031', validationErrorColor: 'Yellow' },
  ];
  expect(answer.body.validationErrors).toMatchObject(expected);
  expect((await held()).at(-1)?.remarks).toHaveLength(2);
});

test('the log tells who called what, and how many at once', async () => {
  await control(world.simulator, 'DELETE', '/calls');
  const log = () => control(world.simulator, 'GET', '/calls?operation=SubmitReceipt');
  const inFlightOf = async (deviceId: number) =>
    (await log()).concurrency.find(
      (entry: { deviceId: number; operation: string }) =>
        entry.deviceId === deviceId && entry.operation === 'SubmitReceipt',
    );
  await fault({ kind: 'delay', delayMs: 3000, operation: 'SubmitReceipt', count: 1 });
  const first = device.next();
  const sent = device.send(first);
  await until(async () => (await inFlightOf(6001))?.inFlight === 1, 'the first one waits');
  await device.send(first);
  await sent;
  device.advance(first);
  await other.submit();
  await other.submit();
  expect(await inFlightOf(6001)).toMatchObject({ inFlight: 0, maxInFlight: 2 });
  expect(await inFlightOf(6002)).toMatchObject({ inFlight: 0, maxInFlight: 1 });
  const { calls } = await log();
  expect(calls).toHaveLength(4);
  expect(calls[0]).toMatchObject({
    operation: 'SubmitReceipt',
    deviceId: 6001,
    status: 200,
    receiptGlobalNo: first.receiptGlobalNo,
    faults: ['delay'],
  });
});

test('a fault that is none is refused', async () => {
  await expect(fault({ kind: 'earthquake' })).rejects.toThrow(/400.*kind/);
  await expect(fault({ kind: 'delay', delay: 5 })).rejects.toThrow(/400.*delay/);
  await expect(fault({ kind: 'amend-answer', fields: 5 })).rejects.toThrow(/400.*fields/);
  await expect(fault({ kind: 'amend-answer', replace: [{ find: '(' }] })).rejects.toThrow(/400.*find/);
});

import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';
import { creditNote } from '../support/receipts/receipts.ts';

/** The simulator as the process it is, over TLS: what depends on connections and client certificates. */
const bench = await benchOfFile({ isProcess: true });

async function keysOf(deviceId: number) {
  const { rows } = await bench.pool.query<{ pem: string; till: Date; publicKey: string }>(
    `select certificate_pem as pem, certificate_valid_till as till, public_key_pem as "publicKey"
       from device_keys where device_id = $1`,
    [deviceId],
  );
  return rows;
}

test('a day from registration to closing: every receipt is answered as submitted and both sides hold the same counters', async () => {
  const deviceId = await bench.addDevice();
  for (let count = 1; count <= 5; count += 1) {
    const sold = await bench.sell(deviceId, `day-${count}`);
    expect(sold).toMatchObject({
      FiscalDayNumber: 1,
      FiscalDayCounter: count,
      GlobalCounter: count,
      SubmissionFailed: null,
      SubmissionError: null,
    });
    await bench.advance(2);
  }
  const note = await bench.sign(creditNote(deviceId, 'day-note', 'day-2', { Date: bench.now.toISOString() }));
  expect(note.json()).toMatchObject({ FiscalDayCounter: 6, SubmissionFailed: null });

  await bench.closeDay(deviceId);
  const day = await bench.books.day(deviceId, 1);
  expect(day).toMatchObject({ fiscalDayStatus: 'FiscalDayClosed', reconciliationMode: 'Auto' });
  const { ours, theirs } = await bench.counters(deviceId, 1);
  expect(ours).toEqual(theirs);
  expect(ours).toContain('SaleByTax USD 517 15.5 577.5');
  expect(ours).toContain('CreditNoteByTax USD 517 15.5 -115.5');
  expect(ours).toContain('BalanceByMoneyType USD Cash 462');
  const isProved = async () => (await bench.verdicts(deviceId)).days[0] === true;
  await bench.until(isProved, "the authority's signature on the day is proved");
  expect((await bench.books.receipts(deviceId)).map((receipt) => receipt.colour)).toEqual(Array(6).fill(null));
});

test('a lost answer to RegisterDevice: the key pair is kept and a fresh activation key completes it', async () => {
  const { deviceId, registration } = await bench.announceDevice();
  await bench.books.fault({ kind: 'lose-answer', operation: 'RegisterDevice', deviceId, count: 1 });
  const register = (more = {}) => bench.admin('POST', '/api/admin/devices', { ...registration, ...more });
  expect((await register()).statusCode).toBe(503);
  const [key] = await keysOf(deviceId);
  expect((await register()).json()).toMatchObject({ status: 400, detail: expect.stringContaining('DEV02') });
  expect((await register({ ActivationKey: await bench.books.activationKey(deviceId) })).statusCode).toBe(201);
  expect(await keysOf(deviceId)).toMatchObject([{ publicKey: key?.publicKey }]);
  await bench.untilDay(deviceId, 'Opened');
  expect(await bench.sell(deviceId, 'registered-1')).toMatchObject({ SubmissionFailed: null });
});

test('a certificate about to expire is renewed with the same key, and everything goes on with it', async () => {
  const deviceId = await bench.addDevice({ atAuthority: { certificateSeconds: 31 * 86_400 } });
  const [before] = await keysOf(deviceId);
  await bench.sell(deviceId, 'renewed-1');
  await bench.advance(1.5 * 86_400);
  await bench.until(async () => (await keysOf(deviceId))[0]?.pem !== before?.pem, 'the renewal', { stepSeconds: 60 });
  const keys = await keysOf(deviceId);
  expect(keys).toHaveLength(1);
  expect(keys[0]?.publicKey).toBe(before?.publicKey);
  expect(keys[0]?.till.getTime()).toBeGreaterThan(before?.till.getTime() ?? 0);
  await bench.untilDay(deviceId, 'Opened', 2);
  expect(await bench.sell(deviceId, 'renewed-2')).toMatchObject({ SubmissionFailed: null });
});

test('a day opened while the authority is down is told to it before its first receipt', async () => {
  const deviceId = await bench.addDevice();
  await bench.closeDay(deviceId);
  await bench.books.fault({ kind: 'outage' });
  await bench.openDay(deviceId);
  expect((await bench.books.days(deviceId)).map((day) => day.fiscalDayNo)).toEqual([1]);
  await bench.sell(deviceId, 'local-1');
  await bench.sell(deviceId, 'local-2');
  await bench.books.clearFaults();
  await bench.untilSubmitted(deviceId);
  const calls = (await bench.books.calls({ deviceId })).filter((call) => call.status === 200);
  const opened = calls.findLastIndex((call) => call.operation === 'OpenDay');
  const first = calls.findIndex((call) => call.operation === 'SubmitReceipt');
  expect(opened).toBeGreaterThan(0);
  expect(opened).toBeLessThan(first);
  expect((await bench.books.receipts(deviceId)).map((receipt) => receipt.fiscalDayNo)).toEqual([2, 2]);
});

test('a service that stops in the middle of a long backlog stops at once, and another goes on with it', async () => {
  const deviceId = await bench.addDevice();
  const backlog = 20;
  await bench.books.fault({ kind: 'outage' });
  for (let number = 1; number <= backlog; number += 1) await bench.sell(deviceId, `stop-${number}`);
  await bench.books.clearFaults();
  // Four seconds' worth of work for whoever does not stop.
  await bench.books.fault({ kind: 'delay', operation: 'SubmitReceipt', deviceId, delayMs: 200 });
  await bench.until(async () => (await bench.books.receipts(deviceId)).length > 0, 'the first is submitted', {
    deviceId,
  });

  await bench.fiscal.drain();
  const settled = (await bench.books.receipts(deviceId)).length;
  expect(settled).toBeLessThan(backlog);

  await bench.books.clearFaults();
  const other = await bench.addInstance();
  other.fiscal.poke(bench.shop.taxpayerId, deviceId);
  await bench.untilSubmitted(deviceId);
  const numbers = (await bench.books.receipts(deviceId)).map((receipt) => receipt.receiptGlobalNo);
  expect(numbers).toEqual(Array.from({ length: backlog }, (_, index) => index + 1));
});

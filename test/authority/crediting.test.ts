import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';
import { errorsOf, plainNote, plainReceipt } from '../support/shop.ts';

const bench = await benchOfFile({ submissionWaitMs: 100 });
await bench.addInstance();

const dated = (fields: object = {}) => ({ Date: bench.now.toISOString(), ...fields });

const sell = (deviceId: number, reference: string, amount: string) =>
  bench.sign(plainReceipt(deviceId, reference, amount, dated()));

const note = (deviceId: number, reference: string, original: string, amount: string, fields = {}, instance = 0) =>
  bench.sign(plainNote(deviceId, reference, original, amount, dated(fields)), { instance });

/** Nothing waits any longer, nothing is red or grey, and every day can be closed. */
async function expectClean(devices: readonly number[]): Promise<void> {
  for (const deviceId of devices) {
    await bench.untilSubmitted(deviceId);
    const marked = (await bench.books.receipts(deviceId)).filter(({ colour }) => colour !== null);
    expect(marked.map(({ invoiceNo, remarks }) => [invoiceNo, remarks])).toEqual([]);
    await bench.closeDay(deviceId);
  }
}

test('a credit note cannot overtake the debit note that it needs: it is refused until the authority has that', async () => {
  const [a = 0, b = 0, c = 0] = await bench.addDevices(3);
  await sell(a, 'late-original', '10');
  await bench.books.fault({ kind: 'error-500', operation: 'SubmitReceipt', deviceId: b });
  await note(b, 'late-debit', 'late-original', '5');
  const early = await note(c, 'late-credit', 'late-original', '-15');
  expect([early.statusCode, errorsOf(early)]).toEqual([400, ['TotalAmount RCPT035']]);
  expect(early.body).toContain(
    'at most 10.00 of late-original can still be credited: TotalAmount must be between -10.00 and 0; debit note late-debit of 5.00 is not at the authority yet, so it does not count: send again when it is',
  );
  await bench.books.clearFaults();
  await bench.untilSubmitted(b);
  expect((await note(c, 'late-credit', 'late-original', '-15')).statusCode).toBe(200);
  await expectClean([a, b, c]);
});

test('a debit note that the authority refused and an operator gave up makes no room', async () => {
  const [a = 0, b = 0, c = 0] = await bench.addDevices(3);
  await sell(a, 'given-original', '10');
  await bench.books.fault({ kind: 'refuse', code: 'RCPT02', operation: 'SubmitReceipt', deviceId: b, count: 1 });
  await note(b, 'given-debit', 'given-original', '5');
  await bench.until(async () => (await bench.submissions(b))[0] === 'Refused', 'the debit note is refused');
  const refused = await note(c, 'given-credit', 'given-original', '-15');
  expect(refused.body).toContain('debit note given-debit of 5.00 was refused by the authority');
  expect(await bench.decide(b, 1, 'give-up')).toBe(202);
  const given = await note(c, 'given-credit', 'given-original', '-15');
  expect([given.statusCode, errorsOf(given)]).toEqual([400, ['TotalAmount RCPT035']]);
  expect((await note(c, 'given-credit', 'given-original', '-10')).statusCode).toBe(200);
  await expectClean([a, c]);
});

test('a credit note that was refused and is sent again later does not make two', async () => {
  const [a = 0, b = 0] = await bench.addDevices(2);
  await sell(a, 'twice-original', '10');
  await bench.books.fault({ kind: 'refuse', code: 'RCPT02', operation: 'SubmitReceipt', deviceId: b, count: 1 });
  await note(b, 'twice-first', 'twice-original', '-10');
  await bench.until(async () => (await bench.submissions(b))[0] === 'Refused', 'the credit note is refused');
  const second = await note(a, 'twice-second', 'twice-original', '-10');
  expect([second.statusCode, errorsOf(second)]).toEqual([400, ['TotalAmount RCPT035']]);
  expect(await bench.decide(b, 1, 'retry')).toBe(202);
  await expectClean([a, b]);
});

test('debit and credit notes that race on three devices of two instances are refused or accepted, and none is red', async () => {
  const [a = 0, b = 0, c = 0] = await bench.addDevices(3);
  await bench.books.fault({ kind: 'delay', operation: 'SubmitReceipt', deviceId: b, delayMs: 40 });
  for (let round = 0; round < 12; round += 1) {
    const original = `race-${round}`;
    await sell(a, original, '10');
    const credit = async (reference: string, amount: string, instance: number) => {
      for (;;) {
        const answer = await note(c, reference, original, amount, {}, instance);
        if (answer.statusCode === 200) return;
        expect(errorsOf(answer)).toEqual(['TotalAmount RCPT035']);
        await bench.advance(1, b);
      }
    };
    // To the last cent: everything that is sold and debited is credited again, from two tills at once.
    await Promise.all([
      note(b, `${original}-debit`, original, '5'),
      credit(`${original}-credit-1`, '-7.50', 0),
      credit(`${original}-credit-2`, '-7.50', 1),
    ]);
    const more = await note(a, `${original}-more`, original, '-0.01');
    expect(errorsOf(more)).toEqual(['TotalAmount RCPT035']);
  }
  await expectClean([a, b, c]);
});

test('a note cannot take the number of the next invoice of another device, registered with history or not', async () => {
  const [a = 0, b = 0] = await bench.addDevices(2, { registration: { LastGlobalCounter: 41 } });
  const numbers = (counter: number) => ({
    OriginalFiscalDayNumber: 1,
    OriginalGlobalCounter: counter,
    OriginalAuthorityDeviceId: a,
  });
  for (const counter of [42, 43]) {
    const early = await note(b, 'number-note', 'PAPER-1', '-500', numbers(counter));
    expect([early.statusCode, errorsOf(early)]).toEqual([400, ['OriginalGlobalCounter RCPT032']]);
  }
  expect((await sell(a, 'number-original', '10')).json()).toMatchObject({ GlobalCounter: 42 });
  expect((await note(b, 'number-honest', 'number-original', '-10')).statusCode).toBe(200);
  const { rows } = await bench.pool.query('select registered_counter from devices where device_id = $1', [a]);
  expect(rows).toEqual([{ registered_counter: 41 }]);
  await bench.untilSubmitted(a);
  await bench.untilSubmitted(b);
  expect((await bench.books.receipts(b)).flatMap(({ remarks }) => remarks.map(({ code }) => code))).not.toContain(
    'RCPT032',
  );
});

test('a credit note that arrived although its answer was lost still counts when a person has closed the day', async () => {
  const [a = 0, b = 0] = await bench.addDevices(2);
  await sell(a, 'lost-original', '10');
  await bench.untilSubmitted(a);
  await bench.books.fault({ kind: 'lose-answer', operation: 'SubmitReceipt', deviceId: b });
  await note(b, 'lost-credit', 'lost-original', '-10');
  await note(b, 'lost-unsent', 'lost-original', '1');
  await bench.until(async () => (await bench.books.receipts(b)).length === 1, 'the authority has the credit note');
  await bench.books.closeByHand(b);
  await bench.books.clearFaults();
  await bench.untilDay(b, 'Opened', 2);
  expect(await bench.submissions(b)).toEqual(['Submitted', 'Undeliverable']);
  const again = await note(a, 'lost-again', 'lost-original', '-10');
  expect([again.statusCode, errorsOf(again)]).toEqual([400, ['TotalAmount RCPT035']]);
  const proof = await bench.admin('POST', `/api/admin/devices/${b}/verify`, {});
  expect(proof.body).toContain('"Holds":true');
});

test('a debit note that arrived although its answer was lost makes no room when a person has closed the day: it may be red there', async () => {
  const [a = 0, b = 0] = await bench.addDevices(2);
  await sell(a, 'unsure-original', '10');
  await bench.untilSubmitted(a);
  await bench.books.fault({ kind: 'lose-answer', operation: 'SubmitReceipt', deviceId: b });
  await note(b, 'unsure-debit', 'unsure-original', '5');
  await bench.until(async () => (await bench.books.receipts(b)).length === 1, 'the authority has the debit note');
  await bench.books.closeByHand(b);
  await bench.books.clearFaults();
  await bench.untilDay(b, 'Opened', 2);
  expect(await bench.submissions(b)).toEqual(['Submitted']);
  const credit = await note(a, 'unsure-credit', 'unsure-original', '-15');
  expect([credit.statusCode, errorsOf(credit)]).toEqual([400, ['TotalAmount RCPT035']]);
  expect(credit.body).toContain('debit note unsure-debit of 5.00 is at the authority, but its answer was lost');
  expect((await note(a, 'unsure-credit', 'unsure-original', '-10')).statusCode).toBe(200);
});

test('notes for numbers that a device did not have when it is registered have to be explained, and do not count against its receipts', async () => {
  const a = await bench.addDevice();
  const { deviceId: b, registration } = await bench.announceDevice();
  const numbers = { OriginalFiscalDayNumber: 1, OriginalGlobalCounter: 1, OriginalAuthorityDeviceId: b };
  expect((await note(a, 'foreign-note', 'PAPER-9', '-500', numbers)).statusCode).toBe(200);
  const register = (fields: object) => bench.admin('POST', '/api/admin/devices', { ...registration, ...fields });
  const unclear = await register({});
  expect(unclear.statusCode).toBe(400);
  expect(unclear.json<{ detail: string }>().detail).toContain('another system: foreign-note (number 1).');
  expect((await register({ LastGlobalCounter: 0 })).statusCode).toBe(201);
  await bench.untilDay(b, 'Opened');
  expect((await sell(b, 'foreign-victim', '10')).json()).toMatchObject({ GlobalCounter: 1 });
  expect((await note(a, 'foreign-honest', 'foreign-victim', '-10')).statusCode).toBe(200);
  const more = await note(a, 'foreign-more', 'foreign-victim', '-0.01');
  expect(errorsOf(more)).toEqual(['TotalAmount RCPT035']);
});

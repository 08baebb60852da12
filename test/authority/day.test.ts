import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';
import { invoice } from '../support/receipts/receipts.ts';

const bench = await benchOfFile();

test("the authority's certificate is kept once, not again with every receipt", async () => {
  const deviceId = await bench.addDevice();
  const kept = async () => (await bench.pool.query('select from authority_certificates')).rows.length;
  await bench.sell(deviceId, 'kept-1');
  await bench.until(async () => (await kept()) === 1, 'it is kept');
  // Taken away behind its back: whoever wrote it again with the next receipt would be noticed.
  await bench.pool.query('delete from authority_certificates');
  await bench.sell(deviceId, 'kept-2');
  expect(await kept()).toBe(0);
});

test('a day closed by hand stays closed and refuses to seal until an operator opens the next', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'byhand-1');
  const OpensAt = windowEnd().toISOString().replace('T02:00:00.000Z', 'T04:00:00+02:00');
  const closing = { Action: 'close', ThenOpen: false, OpensAt, RedReceipts: [], StoppedBy: null };
  expect(await bench.requestDay(deviceId, 'close')).toEqual({ AuthorityDeviceId: deviceId, ...closing });
  await bench.untilDay(deviceId, 'Closed', 1);
  await bench.advance(3600);
  const refused = await bench.sign(receipt(deviceId, 'byhand-2'));
  expect(refused.json()).toMatchObject({ status: 503, Code: 'FiscalDayNotOpen', OpensAt });
  expect(refused.json<{ detail: string }>().detail).toContain(`opens at ${OpensAt}`);
  expect(refused.headers['retry-after']).toBe('300');
  expect((await bench.get(`/api/device/${deviceId}`)).json()).toMatchObject({ FiscalDay: { OpensAt } });
  // Asked to close once more it still stays closed for as long as it was said.
  await bench.requestDay(deviceId, 'close');
  await bench.advance(60);
  expect(await bench.dayOf(deviceId)).toEqual({ number: 1, state: 'Closed' });
  await bench.openDay(deviceId);
  expect(await bench.sell(deviceId, 'byhand-2')).toMatchObject({ FiscalDayNumber: 2, FiscalDayCounter: 1 });
});

test('a receipt that met a closed day is sent again unchanged after the opening, and the authority has nothing to remark', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'unchanged-1');
  await bench.closeDay(deviceId);
  await bench.advance(600);
  const met = receipt(deviceId, 'unchanged-2');
  const late = receipt(deviceId, 'unchanged-3');
  for (const one of [met, late]) {
    expect((await bench.sign(one)).json()).toMatchObject({ Code: 'FiscalDayNotOpen', Then: 'Again' });
  }
  await bench.advance(3600);
  await bench.openDay(deviceId);
  expect((await bench.sign(met)).json()).toMatchObject({
    FiscalDayNumber: 2,
    SubmissionState: 'Submitted',
    Remarks: [],
  });
  // The words of the 503: with this header also what others have overtaken is signed.
  const followed = await bench.sign(late, { isLate: true });
  expect(followed.json()).toMatchObject({ FiscalDayCounter: 2, SubmissionState: 'Submitted', Remarks: [] });
  expect((await bench.books.receipts(deviceId)).map(({ colour }) => colour)).toEqual([null, null, null]);
});

test('asking to open a day that is open leaves no wish behind: the next day does not open inside its window', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'wish-1');
  expect(await bench.requestDay(deviceId, 'open')).toEqual({ AuthorityDeviceId: deviceId, Action: 'open' });
  const { rows } = await bench.pool.query('select requested, reopen_after from device_lanes where device_id = $1', [
    deviceId,
  ]);
  expect(rows).toEqual([{ requested: null, reopen_after: null }]);
});

test('moving the maintenance window closes the day at once, and moving it away opens the next, before any time has passed', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'moved-1');
  const startAt = async (offsetMinutes: number) => {
    const start = new Date(bench.now.getTime() + (120 + offsetMinutes) * 60_000).toISOString().slice(11, 16);
    const answer = await bench.admin('PATCH', `/api/admin/devices/${deviceId}`, { MaintenanceStart: start });
    expect(answer.statusCode).toBe(200);
  };
  // Nothing is woken and no time moves: only the change itself can be what the keeper goes by.
  const still = { stepSeconds: 0, deviceId: 0 };
  await startAt(-5);
  await bench.until(async () => (await bench.dayOf(deviceId)).state === 'CloseInitiated', 'it is being closed', still);
  await bench.untilDay(deviceId, 'Closed', 1);
  await startAt(-180);
  await bench.until(async () => (await bench.dayOf(deviceId)).state === 'Opened', 'the next is open', still);
  expect(await bench.sell(deviceId, 'moved-2')).toMatchObject({ FiscalDayNumber: 2, SubmissionFailed: null });
});

test('a day closed by hand is followed by the next one at the end of the maintenance window, without anybody', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'reopened-1');
  await bench.closeDay(deviceId);
  const windowEnds = windowEnd().getTime();
  await bench.moveTo(new Date(windowEnds - 60_000));
  await bench.until(() => bench.now.getTime() >= windowEnds - 20_000, 'nearly there', { stepSeconds: 10 });
  expect(await bench.dayOf(deviceId)).toEqual({ number: 1, state: 'Closed' });
  await bench.untilDay(deviceId, 'Opened', 2);
  expect((await bench.books.day(deviceId, 2)).fiscalDayOpened).toMatch(/T04:00/);
  expect(await bench.sell(deviceId, 'reopened-2')).toMatchObject({ FiscalDayNumber: 2, SubmissionFailed: null });
});

test('a day closed to be followed at once is followed, by whoever comes after an instance that ended in between', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'followed-1');
  // Opening is made impossible, so that everything is as an instance leaves it that dies between closing and opening.
  await bench.pool.query(
    `create function not_yet() returns trigger language plpgsql as $$ begin
       if new.day_state = 'Opening' then raise exception 'not yet'; end if; return new; end $$;
     create trigger not_yet before update on device_heads for each row execute function not_yet()`,
  );
  const answer = await bench.requestDay(deviceId, 'close', { ThenOpen: true });
  expect(answer).toMatchObject({ ThenOpen: true, OpensAt: null });
  await bench.untilDay(deviceId, 'Closed', 1);
  const refused = await bench.sign(receipt(deviceId, 'followed-2'));
  expect(refused.json()).toMatchObject({ Code: 'FiscalDayNotOpen' });
  expect(refused.json()).not.toHaveProperty('OpensAt');
  expect(refused.headers['retry-after']).toBe('5');
  await bench.pool.query('drop trigger not_yet on device_heads; drop function not_yet');
  const before = bench.now.getTime();
  await bench.untilDay(deviceId, 'Opened', 2);
  expect(bench.now.getTime() - before).toBeLessThan(3_600_000);
  expect(await bench.sell(deviceId, 'followed-2')).toMatchObject({ FiscalDayNumber: 2 });
});

test('a day that is closed within its window, to be followed at once, says that the next one opens at the end of the window', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'remark', code: 'RCPT020', colour: 'Red', deviceId, count: 1 });
  await bench.sell(deviceId, 'within-1');
  const end = windowEnd();
  await bench.moveTo(new Date(end.getTime() - 3_600_000));
  await bench.untilDay(deviceId, 'CloseFailed', 1);
  const OpensAt = end.toISOString().replace('T02:00:00.000Z', 'T04:00:00+02:00');
  expect(await bench.requestDay(deviceId, 'close', { ThenOpen: true })).toMatchObject({ ThenOpen: true, OpensAt });
  await bench.moveTo(end);
});

/** Of the next maintenance window: 04:00 in Harare. */
function windowEnd(): Date {
  const { now } = bench;
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, 2));
}

function receipt(deviceId: number, reference: string): object {
  return invoice(deviceId, reference, { Date: bench.now.toISOString() });
}

test('a close asked for in the middle of a burst of sealing: everything that was sealed is in the counters, nothing after', async () => {
  const deviceId = await bench.addDevice({ registration: { AdvanceLimitSeconds: 86_400 } });
  await bench.books.fault({ kind: 'delay', delayMs: 5, deviceId });
  const body = receipt(deviceId, '');
  let answered = 0;
  const burst = Array.from({ length: 40 }, async (_, index) => {
    const answer = await bench.sign({ ...body, Reference: `burst-${index}` });
    answered += 1;
    return answer;
  });
  await bench.until(() => answered > 10, 'the burst is under way', { stepSeconds: 0 });
  await bench.requestDay(deviceId, 'close');
  const late = Array.from({ length: 20 }, (_, index) => bench.sign({ ...body, Reference: `late-${index}` }));
  const answers = await Promise.all([...burst, ...late]);
  await bench.untilDay(deviceId, 'Closed', 1);
  await bench.books.clearFaults();
  const sealed = answers.filter((answer) => answer.statusCode === 200).length;
  expect(answers.filter((answer) => answer.statusCode !== 200).map((answer) => answer.statusCode)).toEqual(
    Array(60 - sealed).fill(503),
  );
  expect(await bench.submissions(deviceId)).toEqual(Array(sealed).fill('Submitted'));
  expect(await bench.books.receipts(deviceId)).toHaveLength(sealed);
  const { ours, theirs } = await bench.counters(deviceId, 1);
  expect(ours).toEqual(theirs);
  expect(ours).toContain(`BalanceByMoneyType USD Cash ${(sealed * 115.5).toString()}`);
});

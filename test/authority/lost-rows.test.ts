import { beforeEach, expect, test } from 'vitest';
import type { Chain } from '../../src/contract/fiscal/device-chain.ts';
import { benchOfFile } from '../support/authority/authority.ts';
import { loseRows } from '../support/receipts/lose-rows.ts';
import { invoice } from '../support/receipts/receipts.ts';

const bench = await benchOfFile();
beforeEach(() => bench.moveToNoon());

const sign = (deviceId: number, reference: string) =>
  bench.sign(invoice(deviceId, reference, { Date: bench.now.toISOString() }));

async function holdsOf(deviceId: number): Promise<string[]> {
  const answer = await bench.admin('GET', `/api/admin/devices/${deviceId}`);
  return answer.json<{ Holds: { Kind: string }[] }>().Holds.map(({ Kind }) => Kind);
}

async function chainOf(deviceId: number): Promise<Chain> {
  return (await bench.admin('GET', `/api/admin/devices/${deviceId}/chain`)).json();
}

const goOn = (deviceId: number, shown: number) =>
  bench.admin('POST', `/api/admin/devices/${deviceId}/chain`, { GlobalCounter: shown });

const alertsOf = async (deviceId: number) =>
  (await bench.alerts()).filter(({ Subject }) => Subject === `device ${deviceId}`).map(({ Kind }) => Kind);

async function eventsOf(deviceId: number): Promise<string[]> {
  const { Events } = (await bench.get('/api/events?after=0&limit=500')).json<{
    Events: { Type: string; Data: { AuthorityDeviceId?: number } }[];
  }>();
  return Events.filter(({ Type, Data }) => Type.startsWith('device.') && Data.AuthorityDeviceId === deviceId).map(
    ({ Type }) => Type,
  );
}

/** Three receipts at the authority, of which the database then lacks the last two. */
async function deviceWithLostRows(name: string) {
  const deviceId = await bench.addDevice({ registration: { MaintenanceStart: '22:00' } });
  const hashes: string[] = [];
  for (const number of [1, 2, 3]) {
    const sealed = await bench.sell(deviceId, `${name}-${number}`);
    expect(sealed).toMatchObject({ SubmissionFailed: null, GlobalCounter: number });
    hashes.push(sealed.DeviceHash);
  }
  await loseRows(bench.pool, deviceId, 1);
  return { deviceId, hashes };
}

test('receipts that were answered and are gone put their device on hold; an admin lets it go on behind them, with no number given twice', async () => {
  const { deviceId, hashes } = await deviceWithLostRows('gone');
  const refused = await sign(deviceId, 'gone-4');
  expect([refused.statusCode, refused.headers['retry-after']], refused.body).toEqual([503, '60']);
  expect(refused.json()).toMatchObject({
    Code: 'DeviceOnHold',
    detail: expect.stringContaining('receipt 3 was signed'),
  });
  expect(await holdsOf(deviceId)).toEqual(['RowsLost']);
  expect(await alertsOf(deviceId)).toContain('RowsLost');

  // Neither the authority's word nor an operator's unblocking ends it.
  await bench.admin('PATCH', `/api/admin/devices/${deviceId}`, { BlockedReason: null });
  await bench.until(async () => (await holdsOf(deviceId)).includes('AuthorityAhead'), 'the comparison', {
    stepSeconds: 5,
  });
  expect((await sign(deviceId, 'gone-4')).statusCode).toBe(503);

  const chain = await chainOf(deviceId);
  expect(chain).toMatchObject({ Obstacle: null, GlobalCounter: 3, Authority: { GlobalCounter: 3 } });
  const words = chain.Consequences.join(' ');
  expect(words).toContain('Here receipts 2 to 3 cannot be read');
  expect(words).toContain('CountersMismatch');
  expect(words).not.toContain('The authority does not have');
  const wrong = await goOn(deviceId, 2);
  expect([wrong.statusCode, wrong.json()]).toMatchObject([
    400,
    { errors: [{ Field: 'GlobalCounter', Message: expect.stringContaining('must be 3') }] },
  ]);
  expect(await holdsOf(deviceId)).toContain('RowsLost');

  const gone = await goOn(deviceId, 3);
  expect(gone.json(), gone.body).toEqual({ AuthorityDeviceId: deviceId, GlobalCounter: 3, FormerGlobalCounter: 1 });
  const { rows } = await bench.pool.query(
    'select first_counter, last_counter, hash from lost_receipts where device_id = $1',
    [deviceId],
  );
  expect(rows).toEqual([{ first_counter: 2, last_counter: 3, hash: Buffer.from(hashes[2] ?? '', 'base64') }]);
  expect(await holdsOf(deviceId)).toEqual([]);
  expect(await alertsOf(deviceId)).toEqual([]);
  expect(await eventsOf(deviceId)).toEqual(['device.blocked', 'device.blocked', 'device.released']);

  const next = await bench.sell(deviceId, 'gone-4');
  expect(next).toMatchObject({ GlobalCounter: 4, FiscalDayCounter: 4, SubmissionFailed: null, Remarks: [] });
  expect(await bench.fiscal.findLostRows(), 'what was passed over is not found again').toBe(0);
  const numbers = (await bench.books.receipts(deviceId)).map(({ receiptGlobalNo }) => receiptGlobalNo);
  expect(numbers).toEqual([1, 2, 3, 4]);
});

test('what was lost is found on devices that sell nothing, once, and on no others', async () => {
  const whole = await bench.addDevice({ registration: { MaintenanceStart: '22:00' } });
  await bench.sell(whole, 'whole-1');
  const { deviceId } = await deviceWithLostRows('idle');
  expect(await bench.fiscal.findLostRows()).toBeGreaterThan(0);
  expect(await holdsOf(deviceId)).toEqual(['RowsLost']);
  expect(await holdsOf(whole)).toEqual([]);
  const { rows } = await bench.pool.query("select since from alerts where device_id = $1 and kind = 'RowsLost'", [
    deviceId,
  ]);
  await bench.advance(1);
  await bench.fiscal.findLostRows();
  expect(
    (await bench.pool.query("select since from alerts where device_id = $1 and kind = 'RowsLost'", [deviceId])).rows,
  ).toEqual(rows);
});

test('what was lost is missed also where another instance has given its number again', async () => {
  const { deviceId } = await deviceWithLostRows('forked');
  await bench.addInstance();
  // Dated like the lost ones they would have the same hashes.
  await bench.advance(60, deviceId);
  const again = [2, 3].map((number) => bench.sell(deviceId, `forked-other-${number}`, {}, { instance: 1 }));
  const numberHere = async () =>
    (await bench.admin('GET', `/api/admin/devices/${deviceId}`)).json<{ GlobalCounter: number }>().GlobalCounter;
  await bench.until(async () => (await numberHere()) === 3, 'both are sealed', { stepSeconds: 0 });
  await bench.fiscal.findLostRows();
  expect(await holdsOf(deviceId)).toContain('RowsLost');
  const { rows } = await bench.pool.query(
    "select data ->> 'known' as known from alerts where device_id = $1 and kind = 'RowsLost'",
    [deviceId],
  );
  expect(JSON.parse(rows[0].known)).toMatchObject({ globalCounter: 3 });
  await Promise.all(again);
});

test('where the authority closed the day by hand, the chain goes on without a hash and the next day opens behind the lost numbers', async () => {
  const { deviceId } = await deviceWithLostRows('closed');
  expect((await sign(deviceId, 'closed-4')).statusCode).toBe(503);
  await bench.books.closeByHand(deviceId);
  await bench.until(
    async () => (await chainOf(deviceId)).Authority?.DayStatus === 'FiscalDayClosed',
    'the authority says that the day is closed',
    { stepSeconds: 5 },
  );
  const gone = await goOn(deviceId, 3);
  expect(gone.statusCode, gone.body).toBe(200);
  await bench.untilDay(deviceId, 'Opened', 2);
  expect(await bench.sell(deviceId, 'closed-4')).toMatchObject({
    GlobalCounter: 4,
    FiscalDayCounter: 1,
    SubmissionFailed: null,
    Remarks: [],
  });
});

test('where only the authority has the last receipt nothing goes on before it has closed the day by hand', async () => {
  const { deviceId } = await deviceWithLostRows('unknown');
  await bench.fiscal.compareAll();
  await bench.until(async () => (await holdsOf(deviceId)).includes('AuthorityAhead'), 'the hold', { stepSeconds: 0 });
  const { Obstacle, GlobalCounter, Consequences } = await chainOf(deviceId);
  expect([GlobalCounter, Consequences]).toEqual([null, []]);
  expect(Obstacle).toContain(`ask the authority to close day 1 of device ${deviceId} by hand. That may take days.`);
  const refused = await goOn(deviceId, 3);
  expect([refused.statusCode, refused.json()]).toMatchObject([400, { detail: `The chain cannot go on: ${Obstacle}.` }]);

  await bench.books.closeByHand(deviceId);
  await bench.until(async () => (await chainOf(deviceId)).GlobalCounter === 3, 'the chain can go on', {
    stepSeconds: 5,
  });
  expect((await goOn(deviceId, 3)).statusCode).toBe(200);
  await bench.untilDay(deviceId, 'Opened', 2);
  expect(await bench.sell(deviceId, 'unknown-4')).toMatchObject({ GlobalCounter: 4, FiscalDayCounter: 1, Remarks: [] });
});

test('after a change of the database every device is compared with the authority, and sells on meanwhile', async () => {
  const deviceId = await bench.addDevice({ registration: { MaintenanceStart: '22:00' } });
  await bench.sell(deviceId, 'compared-1');
  const asked = async () => (await bench.books.calls({ deviceId, operation: 'GetStatus' })).length;
  const before = await asked();
  await bench.fiscal.compareAll();
  expect((await sign(deviceId, 'compared-2')).statusCode).toBe(200);
  await bench.until(async () => (await asked()) > before, 'the comparison', { stepSeconds: 0 });
  expect(await holdsOf(deviceId)).toEqual([]);
  await bench.sell(deviceId, 'compared-3');
  expect(await asked()).toBe(before + 1);
});

test('a comparison that finds the authority ahead puts the device on hold', async () => {
  const { deviceId } = await deviceWithLostRows('ahead');
  await bench.fiscal.compareAll();
  await bench.until(async () => (await holdsOf(deviceId)).includes('AuthorityAhead'), 'the hold', { stepSeconds: 0 });
  expect(await alertsOf(deviceId)).toContain('AuthorityAhead');
});

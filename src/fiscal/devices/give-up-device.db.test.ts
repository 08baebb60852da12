import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityBench } from '../../../test/support/authority/authority.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { lookForOutages } from '../alerts/look-for-outages.ts';

let bench: AuthorityBench;
beforeAll(async () => {
  bench = await AuthorityBench.start({ submissionWaitMs: 500 });
});
afterAll(() => bench.end());

const DAY_SECONDS = 86_400;

test('a device is given up when nothing of it is left to do, is then left alone, and can be registered again', async () => {
  const { deviceId, registration } = await bench.announceDevice();
  expect((await bench.admin('POST', '/api/admin/devices', registration)).statusCode).toBe(201);
  await bench.untilDay(deviceId, 'Opened');
  await bench.sell(deviceId, 'before');
  await bench.untilSubmitted(deviceId);
  const at = `/api/admin/devices/${deviceId}`;
  const giveUp = () => bench.admin('POST', `${at}/give-up`);

  await bench.books.fault({ kind: 'outage', operation: 'SubmitReceipt', deviceId });
  await bench.sell(deviceId, 'waiting');
  const early = await giveUp();
  expect([early.statusCode, early.json().detail]).toEqual([
    400,
    `Device ${deviceId} cannot be given up yet: day 1 is not closed at the authority (Opened): close it, and wait until it is; 1 of its receipts are not settled at the authority: wait until they are.`,
  ]);
  await bench.books.clearFaults();
  await bench.admin('POST', `${at}/day`, { Action: 'close' });
  await bench.untilDay(deviceId, 'Closed');
  const given = await giveUp();
  expect(given.json()).toMatchObject({
    State: 'GivenUp',
    Holds: [{ Kind: 'GivenUp' }],
    Submission: { WaitingReceipts: 0 },
  });

  const calls = async () => (await bench.books.calls({ deviceId })).length;
  const before = await calls();
  const { Devices } = (await bench.admin('GET', '/api/admin/overview')).json();
  expect(Devices).toMatchObject({ DayStates: {}, Blocked: 0 });
  await bench.advance(3 * DAY_SECONDS);
  await bench.until(() => bench.fiscal.isAtRest(), 'rest');
  expect(await calls()).toBe(before);
  expect((await bench.admin('GET', at)).json()).toMatchObject({ State: 'GivenUp', FiscalDay: { State: 'Closed' } });
  await lookForOutages({ pool: bench.pool, clock: () => bench.now, timeZone: 'Africa/Harare' });
  expect((await bench.admin('GET', '/api/admin/alerts')).json().Alerts).toEqual([]);
  const refused = await bench.sign(invoice(deviceId, 'after', { Date: bench.now.toISOString() }));
  expect(refused.json()).toMatchObject({ Code: 'DeviceOnHold', detail: expect.stringContaining('it was given up') });
  expect((await bench.admin('GET', `${at}/receipts/1`)).json()).toMatchObject({ State: 'Submitted' });
  expect((await giveUp()).json().detail).toContain('register it again first');
  expect((await bench.admin('POST', `${at}/day`, { Action: 'open' })).statusCode).toBe(400);

  const ActivationKey = await bench.books.activationKey(deviceId);
  const again = await bench.admin('POST', '/api/admin/devices', { ...registration, ActivationKey });
  expect([again.statusCode, again.json().State]).toEqual([201, 'Blocked']);
  await bench.untilDay(deviceId, 'Opened');
  expect(await bench.sell(deviceId, 'again')).toMatchObject({ GlobalCounter: 3 });
  await bench.untilSubmitted(deviceId);
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { inTransaction } from '../../platform/database/database.ts';
import type { LaneTransaction } from '../lanes/lease-store.ts';
import { wakeLane } from '../lanes/store.ts';
import { holdDevice, holdRestoredDevices, releaseDevice, UNPROVED } from './hold-device.ts';

const TAXPAYER = '6f1b2c9e-52a4-4c6e-9a53-8d3f0f1f7c11';
const AT = new Date('2026-11-15T10:00:00Z');

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  await database.pool.query("insert into taxpayers (taxpayer_id, name, tin) values ($1, 'Shop', '2000000001')", [
    TAXPAYER,
  ]);
  await database.pool.query('insert into event_counters (tenant_id) values ($1)', [TAXPAYER]);
  await addDevice(1);
});
afterEach(() => database.drop());

async function addDevice(deviceId: number): Promise<void> {
  await database.pool.query(
    `insert into devices (taxpayer_id, device_id, zone, maintenance_start_minute, date_policy, advance_limit_seconds,
                          future_limit_seconds)
     values ($1, $2, 'Africa/Harare', 120, 'advance', 300, 120)`,
    [TAXPAYER, deviceId],
  );
  await database.pool.query(
    `insert into device_heads (taxpayer_id, device_id, revision, key_version, configuration_version, day_state,
                               fiscal_day_number, fiscal_day_counter, global_counter)
     values ($1, $2, 1, 1, 1, 'Closed', 1, 0, 0)`,
    [TAXPAYER, deviceId],
  );
  await database.pool.query('insert into device_lanes (taxpayer_id, device_id, submitted_through) values ($1, $2, 0)', [
    TAXPAYER,
    deviceId,
  ]);
}

async function holds(deviceId: number): Promise<string[]> {
  const { rows } = await database.pool.query<{ kind: string; reason: string }>(
    "select kind, data ->> 'reason' as reason from alerts where device_id = $1 and cleared_at is null order by kind",
    [deviceId],
  );
  return rows.map(({ kind, reason }) => `${kind}: ${reason}`);
}

const key = (deviceId: number) => ({ taxpayerId: TAXPAYER, deviceId });
const inTx = <T>(work: (tx: LaneTransaction) => Promise<T>) =>
  inTransaction(database.pool, async (tx) => work(await wakeLane(tx, { taxpayerId: TAXPAYER, deviceId: 1 })));

async function events(): Promise<string[]> {
  const { rows } = await database.pool.query<{ type: string }>('select type from events order by number');
  return rows.map(({ type }) => type);
}

test('the device is released with the last of them, and every change is seen by its revision', async () => {
  await inTx((tx) => holdDevice(tx, key(1), { kind: 'Operator', reason: 'Stolen' }, AT));
  await inTx((tx) => holdDevice(tx, key(1), { kind: 'Refused', reason: 'DEV01' }, AT));
  await inTx((tx) => holdDevice(tx, key(1), { kind: 'Refused', reason: 'DEV01' }, AT));
  await inTx((tx) => releaseDevice(tx, key(1), ['Operator'], AT));
  expect(await holds(1)).toEqual(['Refused: DEV01']);
  expect(await events()).toEqual(['device.blocked', 'device.blocked']);
  await inTx((tx) => releaseDevice(tx, key(1), ['Operator'], AT));
  await inTx((tx) => releaseDevice(tx, key(1), ['Refused'], AT));
  expect(await events()).toEqual(['device.blocked', 'device.blocked', 'device.released']);
  const { rows } = await database.pool.query('select revision from device_heads');
  expect(rows).toEqual([{ revision: 5 }]);
});

test('of the lost receipts the highest that any instance knew is kept', async () => {
  const last = { ...key(1), fiscalDayNumber: 1, fiscalDayCounter: 1, hash: Buffer.alloc(32), wallSeconds: 0 };
  const hold = (globalCounter: number) =>
    inTx((tx) =>
      holdDevice(tx, key(1), { kind: 'RowsLost', reason: `${globalCounter}`, known: { ...last, globalCounter } }, AT),
    );
  const said: string[][] = [];
  for (const counter of [5, 4, 5, 7]) {
    await hold(counter);
    said.push(await holds(1));
  }
  expect(said).toEqual([['RowsLost: 5'], ['RowsLost: 5'], ['RowsLost: 5'], ['RowsLost: 7']]);
  const { rows } = await database.pool.query('select revision from device_heads');
  expect([rows, await events()]).toEqual([[{ revision: 3 }], ['device.blocked']]);
  expect(await holds(1)).toEqual(['RowsLost: 7']);
});

test('after a restore every device that has a lane waits, once, and says why it does so now', async () => {
  await addDevice(2);
  const hold = (message: string, reason?: typeof UNPROVED) =>
    inTransaction(database.pool, (tx) => holdRestoredDevices(tx, message, reason));
  expect(await hold('Device {device} was restored.')).toBe(2);
  expect(await hold('Device {device} is on hold.', UNPROVED)).toBe(2);
  const { rows } = await database.pool.query('select device_id, message from alerts order by device_id');
  expect(rows).toEqual([
    { device_id: 1, message: 'Device 1 is on hold.' },
    { device_id: 2, message: 'Device 2 is on hold.' },
  ]);
  expect(await holds(2)).toEqual([`Restored: ${UNPROVED}`]);
  expect(await events()).toEqual([]);
});

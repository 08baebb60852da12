import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { holdDevice, releaseDevice } from './hold-device.ts';
import { holdRestoredDevices, putHold } from './hold-store.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../migrations');
const TAXPAYER = '6f1b2c9e-52a4-4c6e-9a53-8d3f0f1f7c11';
const RESTORED = "restored from a backup: waiting for the authority's word on its last receipt";
const AT = new Date('2026-11-15T10:00:00Z');
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ isMigrated: false });
  await migrate(database.pool, MIGRATIONS, quiet, 22);
  await database.pool.query("insert into taxpayers (taxpayer_id, name, tin) values ($1, 'Shop', '2000000001')", [
    TAXPAYER,
  ]);
  await database.pool.query('insert into event_counters (taxpayer_id) values ($1)', [TAXPAYER]);
});
afterEach(() => database.drop());

/** As version 0.2.0 writes it. */
async function addDevice(deviceId: number, blockedReason: string | null = null, isByAuthority = false): Promise<void> {
  await database.pool.query(
    `insert into devices (taxpayer_id, device_id, zone, maintenance_start_minute, date_policy, advance_limit_seconds,
                          future_limit_seconds, blocked_reason, is_blocked_by_authority)
     values ($1, $2, 'Africa/Harare', 120, 'advance', 300, 120, $3, $4)`,
    [TAXPAYER, deviceId, blockedReason, isByAuthority],
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

async function raise(deviceId: number, kind: string): Promise<void> {
  await database.pool.query(
    "insert into alerts (taxpayer_id, device_id, kind, subject, message) values ($1, $2::integer, $3, 'device ' || $2::integer, 'words')",
    [TAXPAYER, deviceId, kind],
  );
}

async function holds(deviceId: number): Promise<string[]> {
  const { rows } = await database.pool.query<{ kind: string; reason: string }>(
    'select kind, reason from device_holds where device_id = $1 order by kind',
    [deviceId],
  );
  return rows.map(({ kind, reason }) => `${kind}: ${reason}`);
}

/** What an instance of 0.2.0 sees. */
async function shown(deviceId: number): Promise<[string | null, boolean]> {
  const { rows } = await database.pool.query<{ reason: string | null; flag: boolean }>(
    'select blocked_reason as reason, is_blocked_by_authority as flag from devices where device_id = $1',
    [deviceId],
  );
  return [rows[0]?.reason ?? null, rows[0]?.flag ?? false];
}

const write = (deviceId: number, reason: string | null, isByAuthority = false) =>
  database.pool.query('update devices set blocked_reason = $2, is_blocked_by_authority = $3 where device_id = $1', [
    deviceId,
    reason,
    isByAuthority,
  ]);

const key = (deviceId: number) => ({ taxpayerId: TAXPAYER, deviceId });
const inTx = <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(database.pool, work);

async function events(): Promise<string[]> {
  const { rows } = await database.pool.query<{ type: string }>('select type from events order by number');
  return rows.map(({ type }) => type);
}

test('the reasons of an older version become the holds they stood for', async () => {
  await addDevice(1);
  await addDevice(2, 'Stolen');
  await addDevice(3, RESTORED);
  await raise(3, 'RestoredFromBackup');
  await addDevice(4, 'its chain here is old: the authority has receipt 5');
  await raise(4, 'AuthorityAhead');
  await addDevice(5, 'DEV01: blocked', true);
  await addDevice(6, 'Stolen');
  await raise(6, 'RestoredFromBackup');
  await migrate(database.pool, MIGRATIONS, quiet);
  expect(await Promise.all([1, 2, 3, 4, 5, 6].map(holds))).toEqual([
    [],
    ['Operator: Stolen'],
    [`Restored: ${RESTORED}`],
    ['AuthorityAhead: the authority has receipt 5'],
    ['Refused: DEV01: blocked'],
    ['Operator: Stolen', 'Restored: words'],
  ]);
});

test('an archive of an older version is restored into its tables, and its devices are on hold after the upgrade', async () => {
  await addDevice(1);
  await addDevice(2, 'Stolen');
  expect(await inTx((tx) => holdRestoredDevices(tx, 'device {device} was restored'))).toBe(2);
  await migrate(database.pool, MIGRATIONS, quiet);
  expect(await holds(1)).toEqual([`Restored: ${RESTORED}`]);
  expect(await holds(2)).toEqual(['Operator: Stolen', 'Restored: device 2 was restored']);
});

describe('each hold is ended on its own', () => {
  beforeEach(async () => {
    await addDevice(1);
    await migrate(database.pool, MIGRATIONS, quiet);
  });

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
    const put = (globalCounter: number) =>
      inTx((tx) =>
        putHold(tx, key(1), { kind: 'RowsLost', reason: `${globalCounter}`, known: { ...last, globalCounter } }, AT),
      );
    expect([await put(5), await put(4), await put(5), await put(7)]).toEqual(['new', 'same', 'same', 'changed']);
    expect(await holds(1)).toEqual(['RowsLost: 7']);
  });

  test('an instance of the version before sees one of them, and its writes become holds', async () => {
    await inTx((tx) => holdDevice(tx, key(1), { kind: 'AuthorityAhead', reason: 'receipt 5' }, AT));
    expect(await shown(1)).toEqual(['its chain here is old: receipt 5', false]);
    await write(1, null);
    expect(await holds(1)).toEqual([]);
    await write(1, RESTORED);
    await write(1, 'its chain here is old: receipt 6');
    expect(await holds(1)).toEqual(['AuthorityAhead: receipt 6']);
    await write(1, null);
    await write(1, 'DEV01', true);
    expect(await holds(1)).toEqual(['Refused: DEV01']);
    await inTx((tx) => holdDevice(tx, key(1), { kind: 'Operator', reason: 'Stolen' }, AT));
    expect(await shown(1)).toEqual(['Stolen', true]);
    // The authority accepts the device again: 0.2.0 clears both columns.
    await write(1, null, false);
    expect(await holds(1)).toEqual(['Operator: Stolen']);
    expect(await shown(1)).toEqual(['Stolen', false]);
  });

  test('an instance of the version before cannot end a hold for lost rows', async () => {
    await inTx((tx) => holdDevice(tx, key(1), { kind: 'RowsLost', reason: 'receipt 3 is gone' }, AT));
    await write(1, null);
    expect(await holds(1)).toEqual(['RowsLost: receipt 3 is gone']);
    expect(await shown(1)).toEqual(['receipt 3 is gone', false]);
  });
});

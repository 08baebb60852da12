import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { migrate } from '../../platform/database/migrate.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../migrations');
const TAXPAYER = '6f1b2c9e-52a4-4c6e-9a53-8d3f0f1f7c11';
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ isMigrated: false });
  await migrate(database.pool, MIGRATIONS, quiet, 10);
  await database.pool.query("insert into taxpayers (taxpayer_id, name, tin) values ($1, 'Shop', '2000000001')", [
    TAXPAYER,
  ]);
});
afterEach(() => database.drop());

async function addDevice(deviceId: number, headCounter: number | undefined, firstReceipt?: number): Promise<void> {
  const { pool } = database;
  await pool.query(
    `insert into devices (taxpayer_id, device_id, zone, maintenance_start_minute, date_policy, advance_limit_seconds,
                          future_limit_seconds)
     values ($1, $2, 'Africa/Harare', 120, 'advance', 300, 120)`,
    [TAXPAYER, deviceId],
  );
  if (headCounter === undefined) return;
  await pool.query(
    `insert into device_heads (taxpayer_id, device_id, revision, key_version, configuration_version, day_state,
                               fiscal_day_number, fiscal_day_counter, global_counter)
     values ($1, $2, 1, 1, 1, 'Closed', 1, 0, $3)`,
    [TAXPAYER, deviceId, headCounter],
  );
  if (firstReceipt === undefined) return;
  await pool.query(
    `insert into receipts (taxpayer_id, device_id, global_counter, fiscal_day_number, fiscal_day_counter, reference, type,
                           currency, total, signed_date, sealed_at, previous_hash, hash, signature, key_version,
                           configuration_version, taxes, body)
     select $1, $2::integer, number, 1, number - $3 + 1, $2::integer || '-' || number, 'FiscalInvoice', 'USD', 1, now(), now(),
            case when number > $3 then sha256(number::text::bytea) end, sha256(number::text::bytea), '', 1, 1, '[]', ''
       from generate_series($3::integer, $4::integer) as number`,
    [TAXPAYER, deviceId, firstReceipt, headCounter],
  );
}

test('an installation that is upgraded knows of each device at which number it came', async () => {
  await addDevice(1, 3, 1);
  await addDevice(2, 45, 42);
  await addDevice(3, 41);
  await addDevice(4, 0);
  await addDevice(5, undefined);
  await migrate(database.pool, MIGRATIONS, quiet);
  const { rows } = await database.pool.query<{ device_id: number; registered_counter: number | null }>(
    'select device_id, registered_counter from devices order by device_id',
  );
  expect(rows.map((row) => [row.device_id, row.registered_counter])).toEqual([
    [1, 0],
    [2, 41],
    [3, 41],
    [4, 0],
    [5, null],
  ]);
});

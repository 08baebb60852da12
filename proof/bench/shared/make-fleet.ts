import type { Pool } from 'pg';
import { singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { hurriedDevice, makeShop } from '../../../test/support/local-shop.ts';
import type { Sender } from './receipt.ts';

const DEVICES_PER_TAXPAYER = 10;
const TAXPAYERS_AT_ONCE = 4;

/** Devices with consecutive ids, several to a taxpayer, each with its own key and an open day. */
export async function makeFleet(
  pool: Pool,
  masterKey: Buffer,
  firstId: number,
  size: number,
  signal: AbortSignal,
  perTaxpayer = DEVICES_PER_TAXPAYER,
): Promise<Sender[]> {
  const ids = Array.from({ length: size }, (_, index) => firstId + index);
  const fleet: Sender[] = [];
  for (let start = 0; start < size; start += perTaxpayer * TAXPAYERS_AT_ONCE) {
    signal.throwIfAborted();
    const taxpayers = Array.from({ length: TAXPAYERS_AT_ONCE }, (_, index) => {
      const from = start + index * perTaxpayer;
      return ids.slice(from, from + perTaxpayer);
    }).filter((deviceIds) => deviceIds.length > 0);
    fleet.push(...(await Promise.all(taxpayers.map((deviceIds) => makeTaxpayer(pool, masterKey, deviceIds)))).flat());
  }
  // The bench has no authority that could open a day, and 10,000 days one by one would take longer than the measurement.
  await pool.query(
    `update device_heads set day_state = 'Opened', fiscal_day_number = 1, day_opened_at = now()
      where device_id = any ($1)`,
    [ids],
  );
  // Tables that have been in use have statistics; without them the planner guesses.
  await pool.query('vacuum analyze device_heads, devices, device_keys, device_configurations, tokens, taxpayers');
  return fleet;
}

async function makeTaxpayer(pool: Pool, masterKey: Buffer, deviceIds: readonly number[]): Promise<Sender[]> {
  const devices = deviceIds.map((deviceId) => ({ deviceId, ...hurriedDevice(), serialNumber: 'TILLSEAL-BENCH' }));
  const { token } = await makeShop(pool, singleMasterKey(masterKey), { name: 'Bench' }, devices);
  return deviceIds.map((deviceId) => ({ deviceId, token }));
}

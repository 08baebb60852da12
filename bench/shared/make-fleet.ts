import type { Pool } from 'pg';
import { addTaxpayer, type DeviceRegistration, issueToken, registerDevice } from '../../src/fiscal/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { wallOfInstant } from '../../src/kernel/zone.ts';
import { inTransaction } from '../../src/platform/database/database.ts';
import { singleMasterKey } from '../../src/platform/secrets/master-keys.ts';
import type { Sender } from './receipt.ts';

const DEVICES_PER_TAXPAYER = 10;
const TAXPAYERS_AT_ONCE = 4;
const ZONE = 'Africa/Harare';

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

function makeTaxpayer(pool: Pool, masterKey: Buffer, deviceIds: readonly number[]): Promise<Sender[]> {
  const taxpayerId = newId();
  return inTransaction(pool, async (tx) => {
    await addTaxpayer(tx, singleMasterKey(masterKey), {
      taxpayerId,
      name: 'Bench',
      tin: '2000000001',
      vatNumber: '220000001',
    });
    const { token } = await issueToken(tx, { taxpayerId, name: 'till', scopes: ['sign', 'read'] });
    // Not one after the other, so that the statements share round trips.
    await Promise.all(
      deviceIds.map((deviceId) =>
        registerDevice(tx, singleMasterKey(masterKey), { ...device(), taxpayerId, deviceId }),
      ),
    );
    return deviceIds.map((deviceId) => ({ deviceId, token }));
  });
}

function device(): Omit<DeviceRegistration, 'taxpayerId' | 'deviceId'> {
  const minuteOfDay = Math.floor(wallOfInstant(ZONE, Date.now() / 1000) / 60);
  return {
    keyAlgorithm: 'ECDSA-P256',
    zone: ZONE,
    maintenanceStartMinute: (minuteOfDay + 12 * 60) % (24 * 60),
    datePolicy: 'advance',
    // Each receipt is dated a second later, so a device that seals thousands a second runs hours ahead.
    advanceLimitSeconds: 1_000_000_000,
    futureLimitSeconds: 120,
    serialNumber: 'TILLSEAL-BENCH',
    qrUrl: 'https://verify.example.com',
    dayMaximumHours: 24,
    taxes: [
      { taxId: 1, taxPercent: null, taxName: 'Exempt', validFrom: '2020-01-01', validTill: null },
      { taxId: 2, taxPercent: '0', taxName: 'Zero rated', validFrom: '2020-01-01', validTill: null },
      { taxId: 517, taxPercent: '15.5', taxName: 'Standard rated', validFrom: '2020-01-01', validTill: null },
    ],
  };
}

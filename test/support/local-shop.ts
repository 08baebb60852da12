/** Taxpayers, tokens and devices straight in the tables, without an authority. */
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { insertDay } from '../../src/fiscal/days/store.ts';
import { findDevice, lockHead, setDayState, startDay } from '../../src/fiscal/devices/store.ts';
import { addTaxpayer, type DeviceRegistration, issueToken, registerDevice } from '../../src/fiscal/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { wallOfInstant } from '../../src/kernel/zone.ts';
import { inTransaction } from '../../src/platform/database/database.ts';
import { type MasterKeys, singleMasterKey } from '../../src/platform/secrets/master-keys.ts';
import { fingerprint } from '../../src/platform/secrets/secrets.ts';

export interface TestTaxpayer {
  readonly taxpayerId: string;
  readonly token: string;
  readonly tin: string;
}

type LocalDevice = Partial<DeviceRegistration> & Pick<DeviceRegistration, 'deviceId'>;

export const DEVICE: Omit<DeviceRegistration, 'taxpayerId' | 'deviceId'> = {
  keyAlgorithm: 'ECDSA-P256',
  zone: 'Africa/Harare',
  maintenanceStartMinute: 120,
  datePolicy: 'advance',
  advanceLimitSeconds: 300,
  futureLimitSeconds: 120,
  serialNumber: 'SN-TEST',
  qrUrl: 'https://verify.example.com',
  dayMaximumHours: 24,
  taxes: [
    { taxId: 1, taxPercent: null, taxName: 'Exempt', validFrom: '2020-01-01', validTill: null },
    { taxId: 2, taxPercent: '0', taxName: 'Zero rated', validFrom: '2020-01-01', validTill: null },
    { taxId: 3, taxPercent: '15', taxName: 'Standard rated', validFrom: '2020-01-01', validTill: '2025-12-31' },
    { taxId: 517, taxPercent: '15.5', taxName: 'Standard rated', validFrom: '2026-01-01', validTill: null },
  ],
};

/** Twelve hours away in Harare, so that no day ends while something runs. */
export function farWindow(now = new Date()): { readonly minute: number; readonly time: string } {
  const hour = (now.getUTCHours() + 14) % 24;
  return { minute: hour * 60, time: `${String(hour).padStart(2, '0')}:00` };
}

/** What a device of a process gets: the time is the real one, and many receipts a second are dated a second apart. */
export function hurriedDevice(): Pick<DeviceRegistration, 'maintenanceStartMinute' | 'advanceLimitSeconds'> {
  return { maintenanceStartMinute: farWindow().minute, advanceLimitSeconds: 1_000_000_000 };
}

/** The key of an installation that has none yet. */
export async function newMasterKey(pool: Pool): Promise<Buffer> {
  const masterKey = randomBytes(32);
  await pool.query('insert into master_keys (fingerprint) values ($1)', [fingerprint(masterKey)]);
  return masterKey;
}

/** A taxpayer with a token for its tills, and devices that have no open day yet. */
export async function makeShop(
  pool: Pool,
  masterKeys: MasterKeys,
  options: Partial<Parameters<typeof addTaxpayer>[2]> = {},
  devices: readonly LocalDevice[] = [],
): Promise<TestTaxpayer> {
  const taxpayer = { taxpayerId: newId(), name: 'Test shop', tin: '2000000001', vatNumber: '220000001', ...options };
  const { taxpayerId, tin } = taxpayer;
  return inTransaction(pool, async (tx) => {
    await addTaxpayer(tx, masterKeys, taxpayer);
    const { token } = await issueToken(tx, { taxpayerId, name: 'till', scopes: ['sign', 'read'] });
    // Not one after the other, so that the statements share round trips.
    await Promise.all(devices.map((device) => registerDevice(tx, masterKeys, { ...DEVICE, taxpayerId, ...device })));
    return { taxpayerId, token, tin };
  });
}

/** A taxpayer with a token and devices whose day is open, for processes. */
export async function addShop(pool: Pool, masterKey: Buffer, deviceIds: readonly number[]): Promise<TestTaxpayer> {
  const devices = deviceIds.map((deviceId) => ({ deviceId, ...hurriedDevice() }));
  const shop = await makeShop(pool, singleMasterKey(masterKey), {}, devices);
  for (const deviceId of deviceIds) await openLocalDay(pool, shop.taxpayerId, deviceId, new Date());
  return shop;
}

/** Opens the next day of a device that no authority knows. Days of registered devices are opened by the keeper. */
export async function openLocalDay(pool: Pool, taxpayerId: string, deviceId: number, openedAt: Date): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const head = await lockHead(tx, taxpayerId, deviceId);
    const stored = await findDevice(tx, taxpayerId, deviceId);
    if (head?.dayState !== 'Closed' || stored === undefined) throw new Error(`device ${deviceId} has no closed day`);
    if (stored.certificatePem !== undefined) throw new Error(`device ${deviceId} belongs to the authority`);
    const fiscalDayNumber = head.fiscalDayNumber + 1;
    const openedWall = wallOfInstant(stored.device.zone, Math.floor(openedAt.getTime() / 1000));
    await startDay(tx, head, fiscalDayNumber, openedAt);
    await insertDay(tx, { taxpayerId, deviceId, fiscalDayNumber }, openedAt, openedWall);
    await setDayState(tx, taxpayerId, deviceId, 'Opened');
  });
}

/** A token for an operator of the whole installation. */
export async function addOperator(pool: Pool): Promise<string> {
  const { token } = await issueToken(pool, { taxpayerId: null, name: 'operator', scopes: ['admin'] });
  return token;
}

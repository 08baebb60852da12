/** Taxpayers, tokens and devices straight in the tables, without an authority. */
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { insertDay } from '../../src/fiscal/days/store.ts';
import { deviceKeyContext } from '../../src/fiscal/devices/device-registry.ts';
import type { TaxRow } from '../../src/fiscal/devices/device-row.ts';
import { findDevice, lockHead, setDayState, startDay } from '../../src/fiscal/devices/store.ts';
import { addTaxpayer } from '../../src/fiscal/index.ts';
import { insertPending, type NewDevice } from '../../src/fiscal/registration/store.ts';
import { generateDeviceKey, type KeyAlgorithm } from '../../src/fiscal/signing/device-key.ts';
import { newId } from '../../src/kernel/ids.ts';
import { wallOfInstant } from '../../src/kernel/zone.ts';
import { inTransaction, type Transaction } from '../../src/platform/database/database.ts';
import { loadDataKey } from '../../src/platform/secrets/data-keys.ts';
import { type MasterKeys, singleMasterKey } from '../../src/platform/secrets/master-keys.ts';
import { encrypt, fingerprint } from '../../src/platform/secrets/secrets.ts';
import { issueToken } from '../../src/platform/tokens/issue-token.ts';

export interface TestTaxpayer {
  readonly taxpayerId: string;
  readonly token: string;
  readonly tin: string;
}

/** A device that no authority knows. */
export interface LocalDevice extends NewDevice {
  readonly keyAlgorithm: KeyAlgorithm;
  readonly qrUrl: string;
  readonly dayMaximumHours: number;
  readonly taxes: readonly TaxRow[];
}

/** With a key pair made here, and its first day closed. */
export async function registerDevice(tx: Transaction, masterKeys: MasterKeys, device: LocalDevice): Promise<void> {
  const { taxpayerId, deviceId, serialNumber, qrUrl, dayMaximumHours, taxes } = device;
  const { algorithm, publicKeyPem, privateKey } = await generateDeviceKey(device.keyAlgorithm);
  const dataKey = await loadDataKey(tx, masterKeys, taxpayerId);
  const privateKeyEncrypted = encrypt(dataKey, privateKey, deviceKeyContext(deviceId, 1));
  await insertPending(tx, device, { algorithm, publicKeyPem, privateKeyEncrypted });
  await tx.query(
    `insert into device_configurations (taxpayer_id, device_id, configuration_version, serial_number, qr_url,
                                        day_maximum_hours, taxes)
     values ($1, $2, 1, $3, $4, $5, $6)`,
    [taxpayerId, deviceId, serialNumber, qrUrl, dayMaximumHours, JSON.stringify(taxes)],
  );
  await tx.query(
    `with counted as (update devices set registered_counter = 0 where taxpayer_id = $1 and device_id = $2)
     insert into device_heads (taxpayer_id, device_id, revision, key_version, configuration_version, day_state,
                               fiscal_day_number, fiscal_day_counter, global_counter)
     values ($1, $2, 1, 1, 1, 'Closed', 0, 0, 0)`,
    [taxpayerId, deviceId],
  );
}

type ChosenDevice = Partial<LocalDevice> & Pick<LocalDevice, 'deviceId'>;

export const DEVICE: Omit<LocalDevice, 'taxpayerId' | 'deviceId'> = {
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
export function hurriedDevice(): Pick<LocalDevice, 'maintenanceStartMinute' | 'advanceLimitSeconds'> {
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
  devices: readonly ChosenDevice[] = [],
): Promise<TestTaxpayer> {
  const taxpayer = { taxpayerId: newId(), name: 'Test shop', tin: '2000000001', vatNumber: '220000001', ...options };
  const { taxpayerId, tin } = taxpayer;
  return inTransaction(pool, async (tx) => {
    await addTaxpayer(tx, masterKeys, taxpayer);
    const { token } = await issueToken(tx, { taxpayerId, name: 'till', scopes: ['sign', 'read', 'endpoints'] });
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
  const { token } = await issueToken(pool, { name: 'operator', scopes: ['admin'] });
  return token;
}

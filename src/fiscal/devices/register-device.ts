import type { Pool } from 'pg';
import { loadDataKey } from '../../platform/data-keys.ts';
import { inTransaction } from '../../platform/database.ts';
import { encrypt } from '../../platform/secrets.ts';
import { generateDeviceKey, type KeyAlgorithm } from '../device-key.ts';
import { deviceKeyContext } from './device-registry.ts';
import { insertDevice, type NewDevice } from './store.ts';

export interface DeviceRegistration extends Omit<NewDevice, 'key'> {
  readonly keyAlgorithm: KeyAlgorithm;
}

/** Adds a device with a key pair made here; the private key never exists unencrypted outside this process. */
export async function registerDevice(pool: Pool, masterKey: Buffer, registration: DeviceRegistration): Promise<void> {
  const { keyAlgorithm, ...device } = registration;
  const pair = await generateDeviceKey(keyAlgorithm);
  await inTransaction(pool, async (tx) => {
    const dataKey = await loadDataKey(tx, masterKey, device.taxpayerId);
    const privateKeyEncrypted = encrypt(dataKey, pair.privateKey, deviceKeyContext(device.deviceId, 1));
    const { algorithm, publicKeyPem } = pair;
    await insertDevice(tx, { ...device, key: { algorithm, publicKeyPem, privateKeyEncrypted } });
  });
}

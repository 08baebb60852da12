import type { Transaction } from '../../platform/database/database.ts';
import { loadDataKey } from '../../platform/secrets/data-keys.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { encrypt } from '../../platform/secrets/secrets.ts';
import { deviceKeyContext } from '../devices/device-registry.ts';
import { generateDeviceKey, type KeyAlgorithm } from '../signing/device-key.ts';
import { insertLocalDevice, type LocalDevice } from './store.ts';

export interface DeviceRegistration extends Omit<LocalDevice, 'key'> {
  readonly keyAlgorithm: KeyAlgorithm;
}

/** Adds a device with a key pair made here; the private key never exists unencrypted outside this process. */
export async function registerDevice(
  tx: Transaction,
  masterKeys: MasterKeys,
  registration: DeviceRegistration,
): Promise<void> {
  const { keyAlgorithm, ...device } = registration;
  const { algorithm, publicKeyPem, privateKey } = await generateDeviceKey(keyAlgorithm);
  const dataKey = await loadDataKey(tx, masterKeys, device.taxpayerId);
  const privateKeyEncrypted = encrypt(dataKey, privateKey, deviceKeyContext(device.deviceId, 1));
  await insertLocalDevice(tx, { ...device, key: { algorithm, publicKeyPem, privateKeyEncrypted } });
}

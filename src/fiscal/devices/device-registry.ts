import type { KeyObject } from 'node:crypto';
import type { Pool } from 'pg';
import type { Queryable } from '../../platform/database/database.ts';
import { recentlyUsed } from '../../platform/recently-used.ts';
import { loadDataKey } from '../../platform/secrets/data-keys.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { decrypt } from '../../platform/secrets/secrets.ts';
import type { Device } from '../core/device.ts';
import { deviceText } from '../core/keys.ts';
import { loadPrivateKey } from '../signing/device-key.ts';
import type { StoredDevice } from './device-row.ts';
import { findDevice } from './store.ts';

/** A device ready to sign: its key parsed once (77 µs each, 10,000 of them take 39 MB). */
export interface SigningDevice {
  readonly device: Device;
  readonly privateKey: KeyObject;
  /** Undefined: its key was made here and the authority does not know it. */
  readonly certificatePem: string | undefined;
}

const CACHED_DEVICES = 20_000;

/**
 * The devices this process has used lately. What is cached may be old; the sealer finds out under the head lock, whose row
 * carries the revision, and asks again with it.
 */
export class DeviceRegistry {
  readonly #devices = recentlyUsed<SigningDevice>(CACHED_DEVICES);
  /** Promises, so that many devices of one taxpayer that are met at once ask once. */
  readonly #dataKeys = recentlyUsed<Promise<Buffer>>(CACHED_DEVICES);
  readonly #pool: Pool;
  readonly #masterKeys: MasterKeys;

  constructor(pool: Pool, masterKeys: MasterKeys) {
    this.#pool = pool;
    this.#masterKeys = masterKeys;
  }

  /** As last seen: good enough to read a request with. A device that is not the taxpayer's does not exist. */
  async find(taxpayerId: string, deviceId: number): Promise<SigningDevice | undefined> {
    return this.lastSeen(taxpayerId, deviceId) ?? (await this.#load(this.#pool, taxpayerId, deviceId));
  }

  /** If it is in memory: nearly always, and then there is no promise to wait for. */
  lastSeen(taxpayerId: string, deviceId: number): SigningDevice | undefined {
    return this.#devices.get(deviceText({ taxpayerId, deviceId }));
  }

  /** At this revision, when it is at hand. */
  known(taxpayerId: string, deviceId: number, revision: number): SigningDevice | undefined {
    const known = this.lastSeen(taxpayerId, deviceId);
    return known?.device.revision === revision ? known : undefined;
  }

  /** At this revision: what the head lock guarantees to be current. */
  async at(db: Queryable, taxpayerId: string, deviceId: number, revision: number): Promise<SigningDevice> {
    const known = this.known(taxpayerId, deviceId, revision);
    if (known) return known;
    const loaded = await this.#load(db, taxpayerId, deviceId);
    if (loaded === undefined) throw new Error(`device ${deviceId} has a head but does not exist`);
    return loaded;
  }

  async #load(db: Queryable, taxpayerId: string, deviceId: number): Promise<SigningDevice | undefined> {
    if (!Number.isInteger(deviceId) || deviceId < 1 || deviceId > 2_147_483_647) return undefined;
    const stored = await findDevice(db, taxpayerId, deviceId);
    if (stored === undefined) return undefined;
    const { device, certificatePem } = stored;
    const signing = { device, certificatePem, privateKey: await this.#privateKey(db, stored) };
    this.#devices.set(deviceText({ taxpayerId, deviceId }), signing);
    return signing;
  }

  #dataKey(db: Queryable, taxpayerId: string): Promise<Buffer> {
    const known = this.#dataKeys.get(taxpayerId);
    if (known !== undefined) return known;
    const loading = loadDataKey(db, this.#masterKeys, taxpayerId);
    this.#dataKeys.set(taxpayerId, loading);
    loading.catch(() => this.#dataKeys.delete(taxpayerId));
    return loading;
  }

  async #privateKey(db: Queryable, { device, privateKeyEncrypted }: StoredDevice): Promise<KeyObject> {
    const { taxpayerId, deviceId, keyVersion } = device;
    const dataKey = await this.#dataKey(db, taxpayerId);
    return loadPrivateKey(decrypt(dataKey, privateKeyEncrypted, deviceKeyContext(deviceId, keyVersion)));
  }
}

export function deviceKeyContext(deviceId: number, keyVersion: number): string {
  return `private key ${keyVersion} of device ${deviceId}`;
}

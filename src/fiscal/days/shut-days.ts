import type { Pool } from 'pg';
import type { Refusal } from '../../kernel/refusal.ts';
import { nextOpening, refuseUnopened } from '../core/fiscal-day.ts';
import { deviceText } from '../core/keys.ts';
import { readOutlook, type StoredOutlook } from '../devices/configuration-store.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';

/** Says of a day that is not open when it will be. Only who is refused pays for the look, and tills that ask together look once. */
export class ShutDays {
  readonly #pool: Pool;
  readonly #devices: DeviceRegistry;
  readonly #looking = new Map<string, Promise<StoredOutlook | undefined>>();

  constructor(pool: Pool, devices: DeviceRegistry) {
    this.#pool = pool;
    this.#devices = devices;
  }

  /** A day that was opened in between is found by the next attempt; so is everything else that is unknown now. */
  async explain(refusal: Refusal, taxpayerId: string, deviceId: number, nowSeconds: number): Promise<Refusal> {
    const outlook = await this.#look(taxpayerId, deviceId);
    // The request was refused under the head's lock, so what is in memory of the device is up to date.
    const device = this.#devices.lastSeen(taxpayerId, deviceId)?.device;
    const opening = device && outlook && nextOpening(device, outlook, nowSeconds);
    if (!device || !outlook || !opening) return refusal;
    return refuseUnopened(device, outlook.dayState, opening, nowSeconds);
  }

  #look(taxpayerId: string, deviceId: number): Promise<StoredOutlook | undefined> {
    const key = deviceText({ taxpayerId, deviceId });
    const underWay = this.#looking.get(key);
    if (underWay !== undefined) return underWay;
    const looking = readOutlook(this.#pool, taxpayerId, deviceId).finally(() => this.#looking.delete(key));
    this.#looking.set(key, looking);
    return looking;
  }
}

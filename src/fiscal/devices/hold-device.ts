import type { Transaction } from '../../platform/database/database.ts';
import type { HoldKind } from '../core/hold.ts';
import type { DeviceKey } from '../core/keys.ts';
import { recordEvent } from '../events/store.ts';
import { endHolds, type NewHold, putHold } from './hold-store.ts';
import { bumpRevision } from './store.ts';

/** The device seals nothing from here on, on any instance. A transaction that also locks its lane has to do so before. */
export async function holdDevice(tx: Transaction, key: DeviceKey, hold: NewHold, at: Date): Promise<void> {
  const put = await putHold(tx, key, hold, at);
  if (put === 'same') return;
  await bumpRevision(tx, key);
  if (put === 'changed') return;
  const data = { AuthorityDeviceId: key.deviceId, Reason: hold.reason };
  await recordEvent(tx, { taxpayerId: key.taxpayerId, type: 'device.blocked', at, data });
}

/** These holds are over, and no others; with the last one the device may seal again. */
export async function releaseDevice(
  tx: Transaction,
  key: DeviceKey,
  kinds: readonly HoldKind[],
  at: Date,
): Promise<void> {
  const { ended, left } = await endHolds(tx, key, kinds);
  if (ended === 0) return;
  await bumpRevision(tx, key);
  if (left > 0) return;
  const data = { AuthorityDeviceId: key.deviceId };
  await recordEvent(tx, { taxpayerId: key.taxpayerId, type: 'device.released', at, data });
}

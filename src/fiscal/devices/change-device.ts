import type { DeviceChange, ManagedDevice } from '../../contract/fiscal/device.ts';
import { type Refusal, type Refused, refused } from '../../kernel/refusal.ts';
import { isZone } from '../../kernel/zone.ts';
import { seconds } from '../../platform/clock.ts';
import type { Change } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { wakeLane } from '../lanes/store.ts';
import type { StoredDevice } from './device-row.ts';
import { holdDevice, releaseDevice } from './hold-device.ts';
import { clockText, NO_DEVICE, ownReason, presentDevices } from './present-device.ts';
import { type DeviceOptions, findDevice, findDeviceOwner, lockHead, updateDeviceSettings } from './store.ts';

/** Changes the fields that are given, and no others. */
export async function changeDevice(
  tx: Transaction,
  deviceId: number,
  change: DeviceChange,
  { actor, now }: { readonly actor: string; readonly now: Date },
): Promise<Change<ManagedDevice> | Refused> {
  const taxpayerId = await findDeviceOwner(tx, deviceId);
  if (taxpayerId === undefined) return refused(NO_DEVICE);
  const locked = await wakeLane(tx, { taxpayerId, deviceId });
  const head = await lockHead(tx, taxpayerId, deviceId);
  const before = head && (await findDevice(tx, head.taxpayerId, deviceId));
  if (before === undefined) return refused(NO_DEVICE);
  await updateDeviceSettings(tx, { taxpayerId, deviceId }, applyChange(before, change));
  const { BlockedReason: reason } = change;
  if (reason === null) await releaseDevice(locked, { taxpayerId, deviceId }, ['Operator'], now);
  else if (reason !== undefined)
    await holdDevice(locked, { taxpayerId, deviceId }, { kind: 'Operator', reason, by: actor }, now);
  const after = await findDevice(tx, taxpayerId, deviceId);
  const [answer] = after === undefined ? [] : await presentDevices(tx, [after], seconds(now));
  if (after === undefined || answer === undefined) throw new Error('the device that was just changed is not there');
  const subject = `device ${deviceId}`;
  return {
    action: 'device.changed',
    taxpayerId,
    subject,
    before: settingsOf(before),
    after: settingsOf(after),
    answer,
  };
}

export function checkZone(zone: string | undefined): Refusal | undefined {
  if (zone === undefined || isZone(zone)) return undefined;
  const Message = `${zone} is not an IANA time zone, such as Africa/Harare`;
  const errors = [{ Field: 'Zone', Code: 'Malformed', Message }];
  return { code: 'InvalidRequest', detail: 'The device has errors.', errors };
}

/** What a change can touch, as the audit log keeps it. */
function settingsOf({ device }: StoredDevice) {
  return {
    Zone: device.zone,
    MaintenanceStart: clockText(device.maintenanceStartMinute),
    DatePolicy: device.datePolicy,
    AdvanceLimitSeconds: device.advanceLimitSeconds,
    FutureLimitSeconds: device.futureLimitSeconds,
    BlockedReason: ownReason(device),
  };
}

function applyChange({ device }: StoredDevice, change: DeviceChange): DeviceOptions {
  return {
    zone: change.Zone ?? device.zone,
    maintenanceStartMinute:
      change.MaintenanceStart === undefined ? device.maintenanceStartMinute : minuteOfDay(change.MaintenanceStart),
    datePolicy: change.DatePolicy ?? device.datePolicy,
    advanceLimitSeconds: change.AdvanceLimitSeconds ?? device.advanceLimitSeconds,
    futureLimitSeconds: change.FutureLimitSeconds ?? device.futureLimitSeconds,
  };
}

/** Of a local `HH:mm`. */
export function minuteOfDay(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
}

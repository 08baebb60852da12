import type { Refusal } from '../../kernel/refusal.ts';
import { formatWall, wallOfInstant } from '../../kernel/zone.ts';
import type { Device } from './device.ts';
import type { Head } from './head.ts';

/** When a device may seal at all (contract, section 3, "503"). Decided on the clock, not on the receipt's date. */
export const MAINTENANCE_SECONDS = 2 * 3600;
const SECONDS_PER_DAY = 86_400;
/** How soon it is worth asking again when no time of opening is known. */
const ASK_AGAIN_SECONDS = 60;

export function refuseOutsideDay(device: Device, head: Head, nowSeconds: number): Refusal | undefined {
  const windowSeconds = secondsIntoMaintenance(device, nowSeconds);
  if (windowSeconds !== undefined) {
    const retryAfterSeconds = MAINTENANCE_SECONDS - windowSeconds;
    const end = formatWall(wallOfInstant(device.zone, nowSeconds + retryAfterSeconds));
    return {
      code: 'MaintenanceWindow',
      detail: `Device ${device.deviceId} is in its daily two-hour maintenance window until ${end} (${device.zone}). Send the same receipt again after it.`,
      retryAfterSeconds,
    };
  }
  if (head.dayState !== 'Opened' && head.dayState !== 'CloseFailed') {
    return {
      code: 'FiscalDayNotOpen',
      detail: `The fiscal day of device ${device.deviceId} is not open (it is ${head.dayState}). Send the same receipt again once it is.`,
      retryAfterSeconds: ASK_AGAIN_SECONDS,
    };
  }
  const maximumSeconds = device.dayMaximumHours * 3600;
  if (head.dayOpenedAtSeconds === undefined || nowSeconds - head.dayOpenedAtSeconds > maximumSeconds) {
    return {
      code: 'FiscalDayTooLong',
      detail: `Fiscal day ${head.fiscalDayNumber} of device ${device.deviceId} has been open for more than ${device.dayMaximumHours} hours. It must be closed and the next one opened first.`,
      retryAfterSeconds: ASK_AGAIN_SECONDS,
    };
  }
  return undefined;
}

/** The window that is on now, or the next one, as instants. */
export function maintenanceWindow(device: Device, nowSeconds: number): { startSeconds: number; endSeconds: number } {
  const inside = secondsIntoMaintenance(device, nowSeconds);
  const startSeconds =
    inside === undefined
      ? nowSeconds + SECONDS_PER_DAY - secondsSinceWindowStart(device, nowSeconds)
      : nowSeconds - inside;
  return { startSeconds, endSeconds: startSeconds + MAINTENANCE_SECONDS };
}

function secondsIntoMaintenance(device: Device, nowSeconds: number): number | undefined {
  const since = secondsSinceWindowStart(device, nowSeconds);
  return since < MAINTENANCE_SECONDS ? since : undefined;
}

function secondsSinceWindowStart(device: Device, nowSeconds: number): number {
  const secondOfDay = wallOfInstant(device.zone, nowSeconds) % SECONDS_PER_DAY;
  return (secondOfDay - device.maintenanceStartMinute * 60 + SECONDS_PER_DAY) % SECONDS_PER_DAY;
}

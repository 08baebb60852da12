import type { Refusal } from '../../kernel/refusal.ts';
import { formatWall, formatZoned, wallOfInstant } from '../../kernel/zone.ts';
import type { Device } from './device.ts';
import type { DayState, Head } from './head.ts';

/** When a device may seal at all (docs/signing.md, "The fiscal day"). Decided on the clock, not on the receipt's date. */
const MAINTENANCE_SECONDS = 2 * 3600;
const SECONDS_PER_DAY = 86_400;
/** By then its date may be older than what others signed: the header lets it through. */
const AGAIN = 'Send the same receipt again, with the header Late-Receipt: true,';
/** How soon it is worth asking again when no time of opening is known, */
const ASK_AGAIN_SECONDS = 60;
/** when the day is being opened, */
const OPENING_SECONDS = 5;
/** and at the latest when an operator may open it before its time. */
const MAX_WAIT_SECONDS = 300;

/** What of a device its day depends on. */
type WindowDevice = Pick<Device, 'zone' | 'maintenanceStartMinute'>;
export type DayDevice = WindowDevice & Pick<Device, 'deviceId' | 'dayMaximumHours'>;
export type DayHead = Pick<Head, 'dayState' | 'dayOpenedAtSeconds' | 'fiscalDayNumber'>;

export function refuseOutsideDay(device: DayDevice, head: DayHead, nowSeconds: number): Refusal | undefined {
  const windowSeconds = secondsIntoMaintenance(device, nowSeconds);
  if (windowSeconds !== undefined) {
    const retryAfterSeconds = MAINTENANCE_SECONDS - windowSeconds;
    const end = nowSeconds + retryAfterSeconds;
    return {
      code: 'MaintenanceWindow',
      detail: `Device ${device.deviceId} is in its daily two-hour maintenance window until ${formatWall(wallOfInstant(device.zone, end))} (${device.zone}). ${AGAIN} after it.`,
      retryAfterSeconds,
      opensAt: formatZoned(device.zone, end),
    };
  }
  if (!isOpen(head.dayState)) return refuseUnopened(device, head.dayState, { kind: 'unknown' }, nowSeconds);
  const maximumSeconds = device.dayMaximumHours * 3600;
  if (head.dayOpenedAtSeconds === undefined || nowSeconds - head.dayOpenedAtSeconds > maximumSeconds) {
    return {
      code: 'FiscalDayTooLong',
      detail: `Fiscal day ${head.fiscalDayNumber} of device ${device.deviceId} has been open for more than ${device.dayMaximumHours} hours. It must be closed and the next one opened first. ${AGAIN} then.`,
      retryAfterSeconds: ASK_AGAIN_SECONDS,
    };
  }
  return undefined;
}

function isOpen(state: DayState): boolean {
  return state === 'Opened' || state === 'CloseFailed';
}

/** When receipts can be sealed again: automatically at that time, in a moment, or unknown. */
export type Opening =
  | { readonly kind: 'at'; readonly atSeconds: number }
  | { readonly kind: 'soon' }
  | { readonly kind: 'unknown' };

/** What the next opening depends on besides the device. */
export interface DayOutlook {
  readonly dayState: DayState;
  readonly requested: 'open' | 'close' | undefined;
  readonly reopenAfterSeconds: number | undefined;
  /** A person has to settle something first, or the authority has to answer: it is unknown when. */
  readonly isHeldUp: boolean;
}

/** Undefined when the day is open. */
export function nextOpening(
  device: WindowDevice & Pick<Device, 'holds'>,
  outlook: DayOutlook,
  nowSeconds: number,
): Opening | undefined {
  if (isOpen(outlook.dayState)) return undefined;
  if (outlook.isHeldUp || device.holds.length > 0) return { kind: 'unknown' };
  const isAsked = outlook.dayState === 'Opening' || outlook.requested === 'open';
  const earliest = isAsked ? nowSeconds : Math.max(nowSeconds, outlook.reopenAfterSeconds ?? nowSeconds);
  const window = maintenanceWindow(device, earliest);
  const atSeconds = earliest >= window.startSeconds ? window.endSeconds : earliest;
  return atSeconds > nowSeconds ? { kind: 'at', atSeconds } : { kind: 'soon' };
}

/** The day is not open: says when it will be, as far as that is known. */
export function refuseUnopened(device: DayDevice, state: DayState, opening: Opening, nowSeconds: number): Refusal {
  const refusal = { code: 'FiscalDayNotOpen', retryAfterSeconds: ASK_AGAIN_SECONDS } as const;
  const fact = `The fiscal day of device ${device.deviceId} is not open (it is ${state}).`;
  if (opening.kind === 'soon') {
    const detail = `${fact} The next one is about to open. ${AGAIN} in a moment.`;
    return { ...refusal, detail, retryAfterSeconds: OPENING_SECONDS };
  }
  if (opening.kind === 'unknown') return { ...refusal, detail: `${fact} ${AGAIN} once it is.` };
  const opensAt = formatZoned(device.zone, opening.atSeconds);
  return {
    ...refusal,
    detail: `${fact} The next one opens at ${opensAt}, or earlier if an operator opens it. ${AGAIN} then.`,
    retryAfterSeconds: Math.min(opening.atSeconds - nowSeconds, MAX_WAIT_SECONDS),
    opensAt,
  };
}

/** The window that is on now, or the next one, as instants. */
export function maintenanceWindow(
  device: WindowDevice,
  nowSeconds: number,
): { startSeconds: number; endSeconds: number } {
  const inside = secondsIntoMaintenance(device, nowSeconds);
  const startSeconds =
    inside === undefined
      ? nowSeconds + SECONDS_PER_DAY - secondsSinceWindowStart(device, nowSeconds)
      : nowSeconds - inside;
  return { startSeconds, endSeconds: startSeconds + MAINTENANCE_SECONDS };
}

function secondsIntoMaintenance(device: WindowDevice, nowSeconds: number): number | undefined {
  const since = secondsSinceWindowStart(device, nowSeconds);
  return since < MAINTENANCE_SECONDS ? since : undefined;
}

function secondsSinceWindowStart(device: WindowDevice, nowSeconds: number): number {
  const secondOfDay = wallOfInstant(device.zone, nowSeconds) % SECONDS_PER_DAY;
  return (secondOfDay - device.maintenanceStartMinute * 60 + SECONDS_PER_DAY) % SECONDS_PER_DAY;
}

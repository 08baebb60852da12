import type { Refusal, Violation } from '../../kernel/refusal.ts';
import { formatWall } from '../../kernel/zone.ts';
import type { Device } from './device.ts';

/**
 * Which date a receipt is signed with (docs/signing.md, "Dates"). The authority turns a receipt red unless its date is at least one
 * second after the device's previous one, and several tills share a device, so a date that is not later than the head's is the normal
 * case: under the policy `advance` it is signed as head + 1 s, and a sale of now is never refused for that, only put off. One that is only before the opening of the day, of a sale that met a
 * closed day, is signed one second after the opening. A late receipt, from a till that was cut off, is moved however far.
 * All times here are device local.
 */
export type DateDecision =
  | { readonly kind: 'sign'; readonly wallSeconds: number }
  | { readonly kind: 'violation'; readonly violation: Violation }
  | { readonly kind: 'busy'; readonly refusal: Refusal };

export interface DateBounds {
  /** Of the device's last receipt. */
  readonly headWall: number | undefined;
  /** When the day was opened. */
  readonly openedWall: number | undefined;
  readonly nowWall: number;
  readonly isLate: boolean;
}

export function decideDate(device: Device, requested: number, bounds: DateBounds): DateDecision {
  const { headWall = Number.NEGATIVE_INFINITY, openedWall = Number.NEGATIVE_INFINITY, nowWall, isLate } = bounds;
  const future = checkFuture(device, requested, bounds);
  if (future) return { kind: 'violation', violation: future };
  const mayMove = isLate || device.datePolicy !== 'strict';
  if (isInFuture(device, requested, nowWall)) {
    // A sale cannot have happened later than now.
    return notTooFarAhead(device, Math.max(nowWall, headWall + 1, openedWall), bounds);
  }
  if (requested > headWall && (requested > openedWall || !mayMove)) return { kind: 'sign', wallSeconds: requested };

  if (!mayMove) {
    return tooEarly(
      `Date must be later than the one before: ${lastReceipt(device, headWall)}, and this device never moves a date. ${LATE}`,
    );
  }
  const next = notTooFarAhead(device, Math.max(headWall, openedWall) + 1, bounds);
  if (next.kind === 'busy' || isLate || headWall + 1 - requested <= device.advanceLimitSeconds) return next;
  if (requested >= nowWall - device.advanceLimitSeconds) return busy(device, headWall, nowWall);
  return tooEarly(
    `Date would have to move by more than ${device.advanceLimitSeconds} s: ${lastReceipt(device, headWall)}. Send the current time; if your clock is right, send an offset (for example 2026-03-14T09:26:53+02:00). ${LATE}`,
  );
}

/** Bursts push a device's dates ahead of the clock, but only so far; late receipts half as far, so that its other tills can sell. */
function notTooFarAhead(device: Device, wallSeconds: number, { nowWall, isLate }: DateBounds): DateDecision {
  const limit = isLate ? lateLimit(device) : device.advanceLimitSeconds;
  return wallSeconds - nowWall <= limit
    ? { kind: 'sign', wallSeconds }
    : busy(device, wallSeconds - 1, nowWall, wallSeconds - nowWall - limit);
}

function lateLimit(device: Device): number {
  return Math.floor(device.advanceLimitSeconds / 2);
}

/** The sale has done nothing wrong: it comes again, and passes as a late one where its date stays behind. */
function busy(
  device: Device,
  headWall: number,
  nowWall: number,
  passesInSeconds = headWall + 1 - nowWall - lateLimit(device),
): DateDecision {
  const retryAfterSeconds = Math.max(1, passesInSeconds);
  const detail = `Device ${device.deviceId} has sealed so fast that its dates run ${Math.max(0, headWall - nowWall)} s ahead of the clock. Send the same receipt again in ${retryAfterSeconds} s, with the header Late-Receipt: true if it has waited, and spread the load over several devices.`;
  return { kind: 'busy', refusal: { code: 'DeviceBusy', detail, retryAfterSeconds } };
}

const LATE = 'If it was sold while the till was cut off, send it with the header Late-Receipt: true';

/** Refused under every policy, unless it is late: one date in the future would force every later receipt past it. */
export function checkFuture(
  device: Device,
  requested: number,
  { nowWall, isLate }: Pick<DateBounds, 'nowWall' | 'isLate'>,
): Violation | undefined {
  if (isLate || !isInFuture(device, requested, nowWall)) return undefined;
  return {
    Field: 'Date',
    Code: 'RCPT031',
    Message: `Date is more than ${device.futureLimitSeconds} s in the future: it is ${formatWall(nowWall)} now at the device (${device.zone}). Check the till's clock, or send an offset. With the header Late-Receipt: true it is signed with the current time`,
  };
}

function isInFuture(device: Device, requested: number, nowWall: number): boolean {
  return requested > nowWall + device.futureLimitSeconds;
}

function lastReceipt({ deviceId, zone }: Device, headWall: number): string {
  return `the last receipt of device ${deviceId} is dated ${formatWall(headWall)} (${zone})`;
}

function tooEarly(message: string): DateDecision {
  return { kind: 'violation', violation: { Field: 'Date', Code: 'RCPT030', Message: message } };
}

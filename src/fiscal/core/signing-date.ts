import type { Refusal, Violation } from '../../kernel/refusal.ts';
import { formatWall } from '../../kernel/zone.ts';
import type { Device } from './device.ts';

/**
 * Which date a receipt is signed with (docs/signing.md, "Dates"). The authority turns a receipt red
 * unless its date is at least one second after the device's previous one, and several tills share a device, so a date
 * that is not later than the head's is the normal case: under the policy `advance` it is signed as head + 1 s. A late
 * receipt, from a till that was cut off, is moved however far, and also past the opening of the day.
 * All times here are device local.
 */
export type DateDecision =
  | { readonly kind: 'sign'; readonly wallSeconds: number }
  | { readonly kind: 'violation'; readonly violation: Violation }
  | { readonly kind: 'busy'; readonly refusal: Refusal };

export function decideDate(
  device: Device,
  requested: number,
  headWall: number | undefined,
  nowWall: number,
  /** Of a late receipt: when the day was opened. */
  lateAfter?: number,
): DateDecision {
  const future = checkFuture(device, requested, nowWall);
  if (future) return { kind: 'violation', violation: future };
  const isLate = lateAfter !== undefined;
  const after = isLate ? Math.max(lateAfter, headWall ?? lateAfter) : headWall;
  if (after === undefined || requested > after) return { kind: 'sign', wallSeconds: requested };

  const head = `the last receipt of device ${device.deviceId} is dated ${formatWall(after)} (${device.zone})`;
  if (device.datePolicy === 'strict' && !isLate) {
    return tooEarly(`Date must be later than the one before: ${head}, and this device never moves a date. ${LATE}`);
  }
  const next = after + 1;
  const aheadSeconds = next - nowWall;
  if (aheadSeconds > device.advanceLimitSeconds) {
    const retryAfterSeconds = aheadSeconds - device.advanceLimitSeconds;
    const detail = `Device ${device.deviceId} has sealed so fast that its dates run ${aheadSeconds - 1} s ahead of the clock. Try again in ${retryAfterSeconds} s, or spread the load over several devices.`;
    return { kind: 'busy', refusal: { code: 'DeviceBusy', detail, retryAfterSeconds } };
  }
  if (next - requested > device.advanceLimitSeconds && !isLate) {
    return tooEarly(
      `Date would have to move by more than ${device.advanceLimitSeconds} s: ${head}. Send the current time; if your clock is right, send an offset (for example 2026-03-14T09:26:53+02:00). ${LATE}`,
    );
  }
  return { kind: 'sign', wallSeconds: next };
}

const LATE = 'If it was sold while the till was cut off, send it with the header Late-Receipt: true';

/** Refused under every policy: one date in the future would force every later receipt past it. */
export function checkFuture(device: Device, requested: number, nowWall: number): Violation | undefined {
  if (requested <= nowWall + device.futureLimitSeconds) return undefined;
  return {
    Field: 'Date',
    Code: 'RCPT031',
    Message: `Date is more than ${device.futureLimitSeconds} s in the future: it is ${formatWall(nowWall)} now at the device (${device.zone}). Check the till's clock, or send an offset`,
  };
}

function tooEarly(message: string): DateDecision {
  return { kind: 'violation', violation: { Field: 'Date', Code: 'RCPT030', Message: message } };
}

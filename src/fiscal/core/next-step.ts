import type { Device } from './device.ts';
import { maintenanceWindow } from './fiscal-day.ts';
import type { Head } from './head.ts';
import { isChainHeld, isGivenUp } from './hold.ts';

/**
 * What a device does next with the authority (docs/signing.md, "The fiscal day"). Pure: a whole month of a device
 * can be played through by calling it with later and later times. The order of the questions is the order of duties: never a
 * receipt before its day's opening, never a closing before the last receipt.
 */
export type Step =
  | { readonly kind: 'open' }
  | { readonly kind: 'confirm-open' }
  | { readonly kind: 'submit'; readonly globalCounter: number }
  | { readonly kind: 'start-closing'; readonly reason: string }
  | { readonly kind: 'close' }
  | { readonly kind: 'poll-close' }
  | { readonly kind: 'check-status' }
  | { readonly kind: 'start-opening' }
  | { readonly kind: 'renew-certificate' }
  | { readonly kind: 'refresh-configuration' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'settle-answers' }
  | { readonly kind: 'idle'; readonly untilSeconds: number };

/** What is known of the current day besides the head. */
export interface DayRecord {
  readonly isOpenConfirmed: boolean;
  readonly closeAttempts: number;
  readonly closeSentAtSeconds: number | undefined;
  readonly closeError: string | undefined;
}

export interface LaneRecord {
  readonly submittedThrough: number;
  readonly requested: 'open' | 'close' | undefined;
  readonly reopenAfterSeconds: number | undefined;
  readonly configurationCheckedAtSeconds: number | undefined;
  readonly statusCheckedAtSeconds: number | undefined;
  readonly pingedAtSeconds: number | undefined;
  readonly pingMinutes: number;
  readonly certificateTriedAtSeconds: number | undefined;
  /** When a remark on a tax last made it ask for the configuration. */
  readonly taxRemarkAtSeconds: number | undefined;
  /** An operator has to decide about a refused receipt: the day is frozen, care continues. */
  readonly isStopped: boolean;
  /** The authority refused the device when it was last asked. */
  readonly isRefused: boolean;
  /** Answers that could not be used. */
  readonly unclear: readonly string[];
  /** The database may have lost something: the authority is asked what it has before it gets anything more. */
  readonly isToCompare: boolean;
}

export interface Situation {
  readonly device: Device;
  readonly head: Head;
  readonly day: DayRecord | undefined;
  readonly lane: LaneRecord;
  readonly nowSeconds: number;
  /** Care failed a moment ago and is left alone until then; nothing else waits for it. */
  readonly careAfterSeconds: number | undefined;
  /** How often in a row the lane had to rest. */
  readonly failures: number;
}

/** Something that the authority says about a device and that cannot be made use of. */
export type Unclear = 'SubmitReceipt' | 'GetStatus' | 'GetConfig' | 'Answers';

export function isUnclear({ lane }: Pick<Situation, 'lane'>, what: Unclear): boolean {
  return lane.unclear.includes(what);
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;
const CLOSE_BEFORE_MAXIMUM_SECONDS = 30 * MINUTE;
const RENEW_BEFORE_EXPIRY_SECONDS = 30 * DAY;
const CONFIGURATION_EVERY_SECONDS = HOUR;
const STATUS_EVERY_SECONDS = 15 * MINUTE;
const CLOSE_POLL_SECONDS = 3;
const CLOSE_RETRY_SECONDS = 5 * MINUTE;
const AUTOMATIC_CLOSE_ATTEMPTS = 3;
/** CloseDay was sent more than once and the authority still shows the day as open, without an error. */
export const CLOSE_DAY_LOST = 'CloseDayLost';
/** Nothing speaks against such a closing, so it is tried for ever; slowly, since nothing is sealed while it is. */
const LOST_CLOSE_RETRY_SECONDS = 30 * MINUTE;
/** Failures of closing that another try can heal: something may have arrived or been counted late. */
const RETRYABLE_CLOSE_ERRORS = new Set(['MissingReceipts', 'CountersMismatch', 'InternalError']);

export function nextStep(situation: Situation): Step {
  if (isGivenUp(situation.device)) return { kind: 'idle', untilSeconds: situation.nowSeconds + HOUR };
  // Asking for the configuration harms nothing, and its answer says whether the device is free again.
  if (situation.lane.isRefused) return { kind: 'refresh-configuration' };
  if (isChainHeld(situation.device) || isComparisonDue(situation)) return { kind: 'check-status' };
  // Sales wait for it.
  if (situation.device.taxDoubt !== undefined && mayCare(situation)) return { kind: 'refresh-configuration' };
  const day = situation.lane.isStopped ? undefined : dayStep(situation);
  return certificateStep(situation) ?? day ?? careStep(situation) ?? settleStep(situation) ?? idle(situation);
}

/** If the authority does not answer, receipts are submitted all the same: they were sealed, too. */
function isComparisonDue(situation: Situation): boolean {
  return situation.lane.isToCompare && mayCare(situation);
}

function mayCare({ nowSeconds, careAfterSeconds = 0 }: Situation): boolean {
  return nowSeconds >= careAfterSeconds;
}

function certificateStep({ device, lane, nowSeconds }: Situation): Step | undefined {
  if (device.certificateValidTill === undefined) return undefined;
  const expiresAt = device.certificateValidTill.getTime() / 1000;
  const isDue = nowSeconds > expiresAt - RENEW_BEFORE_EXPIRY_SECONDS && nowSeconds < expiresAt;
  return isDue && isPast(lane.certificateTriedAtSeconds, HOUR, nowSeconds) ? { kind: 'renew-certificate' } : undefined;
}

function dayStep(situation: Situation): Step | undefined {
  const { head, day, lane, nowSeconds } = situation;
  if (head.dayState === 'Opening') return { kind: 'open' };
  if (head.dayState === 'Closed') return shouldOpen(situation) ? { kind: 'start-opening' } : undefined;
  if (head.dayState === 'CloseInitiated') {
    return isPast(lane.statusCheckedAtSeconds, CLOSE_POLL_SECONDS, nowSeconds) ? { kind: 'poll-close' } : undefined;
  }
  if (day?.isOpenConfirmed === false) return { kind: 'confirm-open' };
  if (head.dayState !== 'Closing') {
    const reason = closeReason(situation);
    if (reason !== undefined) return { kind: 'start-closing', reason };
  }
  if (head.globalCounter > lane.submittedThrough) return { kind: 'submit', globalCounter: lane.submittedThrough + 1 };
  if (head.dayState !== 'Closing') return undefined;
  return day?.closeSentAtSeconds === undefined ? { kind: 'close' } : { kind: 'poll-close' };
}

function careStep(situation: Situation): Step | undefined {
  const { device, head, lane, nowSeconds } = situation;
  if (!mayCare(situation)) return undefined;
  if (isPast(lane.configurationCheckedAtSeconds, rhythm(device, CONFIGURATION_EVERY_SECONDS), nowSeconds)) {
    return { kind: 'refresh-configuration' };
  }
  // A day that a person closed at the authority is seen here.
  const isOpen = head.dayState === 'Opened' || head.dayState === 'CloseFailed' || head.dayState === 'Closing';
  if (isOpen && isPast(lane.statusCheckedAtSeconds, rhythm(device, STATUS_EVERY_SECONDS), nowSeconds)) {
    return { kind: 'check-status' };
  }
  return isPast(lane.pingedAtSeconds, rhythm(device, lane.pingMinutes * MINUTE), nowSeconds)
    ? { kind: 'ping' }
    : undefined;
}

/** Comes last: where nothing else is due, the authority no longer contradicts itself. */
function settleStep(situation: Situation): Step | undefined {
  return isUnclear(situation, 'Answers') ? { kind: 'settle-answers' } : undefined;
}

/**
 * Up to a fifth more often than required, each device at its own pace: thousands that started together, or found the authority back
 * together, spread out within a few rounds. (Certificates expire as far apart as the devices were registered.)
 */
function rhythm({ deviceId }: Device, intervalSeconds: number): number {
  const share = (Math.imul(deviceId, 0x9e3779b1) >>> 0) / 2 ** 32;
  return Math.floor(intervalSeconds * (1 - share / 5));
}

/** Why the day should be closed now; undefined when it should not. */
function closeReason(situation: Situation): string | undefined {
  const { device, head, day, lane, nowSeconds } = situation;
  if (lane.requested === 'close') return 'asked for by an operator';
  if (head.dayState === 'CloseFailed' && !mayRetryClose(day, nowSeconds)) return undefined;
  if (head.dayState === 'CloseFailed') return `trying again after ${day?.closeError}`;
  if (isInWindow(device, nowSeconds)) return 'the maintenance window began';
  const opened = head.dayOpenedAtSeconds ?? nowSeconds;
  const endsAt = opened + device.dayMaximumHours * HOUR;
  return nowSeconds >= endsAt - CLOSE_BEFORE_MAXIMUM_SECONDS ? 'the day is near its maximum length' : undefined;
}

function mayRetryClose(day: DayRecord | undefined, nowSeconds: number): boolean {
  if (day?.closeError === undefined || !isPast(day.closeSentAtSeconds, closeRetrySeconds(day), nowSeconds))
    return false;
  if (day.closeError === CLOSE_DAY_LOST) return true;
  return day.closeAttempts < AUTOMATIC_CLOSE_ATTEMPTS && RETRYABLE_CLOSE_ERRORS.has(day.closeError);
}

function closeRetrySeconds(day: DayRecord | undefined): number {
  return day?.closeError === CLOSE_DAY_LOST ? LOST_CLOSE_RETRY_SECONDS : CLOSE_RETRY_SECONDS;
}

function shouldOpen({ device, lane, nowSeconds }: Situation): boolean {
  if (device.holds.length > 0) return false;
  if (lane.requested === 'open') return true;
  return nowSeconds >= (lane.reopenAfterSeconds ?? 0) && !isInWindow(device, nowSeconds);
}

function isInWindow(device: Device, nowSeconds: number): boolean {
  const window = maintenanceWindow(device, nowSeconds);
  return nowSeconds >= window.startSeconds;
}

/** Instances' clocks differ by less. A time further ahead was written by a wrong clock, and is not waited for. */
const CLOCKS_DIFFER_SECONDS = MINUTE;

export function isPast(sinceSeconds: number | undefined, intervalSeconds: number, nowSeconds: number): boolean {
  if (sinceSeconds === undefined || sinceSeconds > nowSeconds + CLOCKS_DIFFER_SECONDS) return true;
  return nowSeconds >= sinceSeconds + intervalSeconds;
}

/** Nothing to do: the time before which nothing becomes due on schedule. New receipts wake the lane earlier. */
function idle({ device, head, day, lane, nowSeconds, careAfterSeconds }: Situation): Step {
  const window = maintenanceWindow(device, nowSeconds);
  const candidates = [
    window.startSeconds,
    window.endSeconds,
    lane.reopenAfterSeconds ?? 0,
    careAfterSeconds ?? 0,
    (lane.pingedAtSeconds ?? nowSeconds) + rhythm(device, lane.pingMinutes * MINUTE),
    (lane.configurationCheckedAtSeconds ?? nowSeconds) + rhythm(device, CONFIGURATION_EVERY_SECONDS),
    (lane.statusCheckedAtSeconds ?? nowSeconds) +
      (head.dayState === 'CloseInitiated' ? CLOSE_POLL_SECONDS : rhythm(device, STATUS_EVERY_SECONDS)),
    head.dayState === 'CloseFailed' ? (day?.closeSentAtSeconds ?? nowSeconds) + closeRetrySeconds(day) : 0,
    (head.dayOpenedAtSeconds ?? nowSeconds) + device.dayMaximumHours * HOUR - CLOSE_BEFORE_MAXIMUM_SECONDS,
  ].filter((at) => at > nowSeconds);
  return { kind: 'idle', untilSeconds: Math.min(nowSeconds + HOUR, ...candidates) };
}

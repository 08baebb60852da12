import { formatWall, instantOfWall, parseWall, wallOfInstant } from '../../kernel/zone.ts';

/**
 * The date of a receipt in the form it came: with an offset, with Z, or without (then it is device local time), with a T or a space
 * before the time. The fraction of a second is cut, not rounded, and seconds that are missing are 00 (docs/signing.md). `wallSeconds` is undefined when the text is no date at all;
 * the text is kept for the refusal.
 */
export interface ReceiptDate {
  readonly text: string;
  readonly wallSeconds: number | undefined;
  readonly offsetSeconds: number | undefined;
}

/** Years before 1000 are no dates: PostgreSQL knows no year 0. */
const DATE_TEXT = /^([1-9]\d{3}-\d{2}-\d{2})([T ])(\d{2}:\d{2})(?:(:\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?[0-5]\d)?$/;
const MAX_OFFSET_SECONDS = 14 * 3600;

export function readReceiptDate(text: string): ReceiptDate {
  const [, day, between = '', minute, second = ':00', suffix = ''] = DATE_TEXT.exec(text) ?? [];
  const wall = day === undefined ? undefined : parseWall(`${day}T${minute}${second}`);
  if (wall === undefined) return { text, wallSeconds: undefined, offsetSeconds: undefined };
  const offsetSeconds = suffix === '' ? undefined : readOffset(suffix);
  if (offsetSeconds !== undefined && Math.abs(offsetSeconds) > MAX_OFFSET_SECONDS) {
    return { text, wallSeconds: undefined, offsetSeconds: undefined };
  }
  return { text: written(wall, between + suffix), wallSeconds: wall, offsetSeconds };
}

/** The device local time that this date means: what is signed. */
export function deviceWall(date: ReceiptDate, zone: string): number {
  if (date.wallSeconds === undefined) throw new RangeError(`${date.text} was not checked to be a date`);
  if (date.offsetSeconds === undefined) return date.wallSeconds;
  return wallOfInstant(zone, date.wallSeconds - date.offsetSeconds);
}

/**
 * The same date, in the same form, when the device's clock shows `seconds` more: what was signed. Where clocks change in between,
 * that is not `seconds` later.
 */
export function moveDate(date: ReceiptDate, seconds: number, zone: string): ReceiptDate {
  if (seconds === 0 || date.wallSeconds === undefined) return date;
  const moved = laterBy(date, date.wallSeconds, seconds);
  if (date.offsetSeconds === undefined) return moved;
  const signed = deviceWall(date, zone) + seconds;
  if (deviceWall(moved, zone) === signed) return moved;
  const instant = date.wallSeconds - date.offsetSeconds;
  return laterBy(date, date.wallSeconds, instantOfWall(zone, signed) - instant);
}

function laterBy(date: ReceiptDate, from: number, seconds: number): ReceiptDate {
  const wallSeconds = from + seconds;
  const form = date.text.charAt(10) + date.text.slice(19);
  return { text: written(wallSeconds, form), wallSeconds, offsetSeconds: date.offsetSeconds };
}

/** `form` is what stands between day and time, and what follows the time. */
function written(wallSeconds: number, form: string): string {
  return formatWall(wallSeconds).replace('T', form.charAt(0)) + form.slice(1);
}

/** Two dates are the same when they are the same instant; without an offset on either side no zone is needed. */
export function isSameDate(a: ReceiptDate, b: ReceiptDate, zone: string): boolean {
  if (a.wallSeconds === undefined || b.wallSeconds === undefined) return a.text === b.text;
  if (a.offsetSeconds === b.offsetSeconds) return a.wallSeconds === b.wallSeconds;
  return instantOf(a, a.wallSeconds, zone) === instantOf(b, b.wallSeconds, zone);
}

function instantOf(date: ReceiptDate, wallSeconds: number, zone: string): number {
  return date.offsetSeconds === undefined ? instantOfWall(zone, wallSeconds) : wallSeconds - date.offsetSeconds;
}

/** Z has no digits, which is nothing. */
function readOffset(suffix: string): number {
  const seconds = Number(suffix.slice(1, 3)) * 3600 + (suffix === 'Z' ? 0 : Number(suffix.slice(-2))) * 60;
  return suffix.startsWith('-') ? -seconds : seconds;
}

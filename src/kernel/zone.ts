/**
 * Wall-clock time without a zone, and how it lies in a zone.
 *
 * A wall time is the number of seconds a UTC clock showing that time would have counted: plain integers, so dates of a
 * chain compare and move without any calendar. An instant is in Unix seconds.
 */
const SECONDS_PER_DAY = 86_400;

/** Written by hand from the day on: a receipt's date is written five times on its way, and Date takes ten times as long. */
export function formatWall(wallSeconds: number): string {
  const day = Math.floor(wallSeconds / SECONDS_PER_DAY);
  if (day !== lastDay.day) lastDay = { day, text: new Date(day * SECONDS_PER_DAY * 1000).toISOString().slice(0, 11) };
  const second = wallSeconds - day * SECONDS_PER_DAY;
  const minute = Math.floor(second / 60);
  return `${lastDay.text}${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}:${twoDigits(second % 60)}`;
}

let lastDay = { day: 0, text: '1970-01-01T' };

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

function twoDigits(number: number): string {
  return TWO_DIGITS[number] ?? String(number);
}

/** Reads `YYYY-MM-DDTHH:mm:ss` (or with a space, as PostgreSQL writes it); undefined when there is no such moment. */
export function parseWall(text: string): number | undefined {
  const iso = text.replace(' ', 'T');
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(iso)) return undefined;
  const milliseconds = Date.parse(`${iso}Z`);
  // Date.parse lets 31 February slip into March: what does not read back the same does not exist.
  return Number.isNaN(milliseconds) || formatWall(milliseconds / 1000) !== iso ? undefined : milliseconds / 1000;
}

export function isZone(zone: string): boolean {
  try {
    offsetFormat(zone);
    return true;
  } catch {
    return false;
  }
}

export function wallOfInstant(zone: string, instantSeconds: number): number {
  return instantSeconds + zoneOffset(zone, instantSeconds);
}

/** The instant of a wall time; of the two when clocks go back, the earlier; in the gap when they go forward, the later. */
export function instantOfWall(zone: string, wallSeconds: number): number {
  const before = zoneOffset(zone, wallSeconds - SECONDS_PER_DAY);
  const after = zoneOffset(zone, wallSeconds + SECONDS_PER_DAY);
  const withBefore = wallSeconds - before;
  if (before === after || zoneOffset(zone, withBefore) === before) return withBefore;
  const withAfter = wallSeconds - after;
  return zoneOffset(zone, withAfter) === after ? withAfter : withBefore;
}

/** The instant at which a day (`YYYY-MM-DD`), or a number of days later, begins; undefined when there is no such day. */
export function startOfDay(zone: string, day: string, plusDays = 0): number | undefined {
  const wallSeconds = parseWall(`${day}T00:00:00`);
  return wallSeconds === undefined ? undefined : instantOfWall(zone, wallSeconds + plusDays * SECONDS_PER_DAY);
}

/** `2026-11-15T11:58:21+02:00`: the wall clock of the zone, with its offset. */
export function formatZoned(zone: string, instantSeconds: number): string {
  const offset = zoneOffset(zone, instantSeconds);
  const minutes = Math.floor(Math.abs(offset) / 60);
  const sign = offset < 0 ? '-' : '+';
  return `${formatWall(instantSeconds + offset)}${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const knownOffsets = new Map<string, Map<number, number>>();
const MAX_KNOWN_OFFSETS = 1000;

/**
 * Offsets change only at quarter hours, so few answers serve nearly every call (a date is looked at with the days before and
 * after it); Intl costs microseconds.
 */
function zoneOffset(zone: string, instantSeconds: number): number {
  const bucket = Math.floor(instantSeconds / 900);
  const known = offsetsOf(zone);
  const offset = known.get(bucket) ?? readOffset(zone, instantSeconds);
  known.set(bucket, offset);
  return offset;
}

function offsetsOf(zone: string): Map<number, number> {
  const known = knownOffsets.get(zone);
  if (known !== undefined && known.size <= MAX_KNOWN_OFFSETS) return known;
  const fresh = new Map<number, number>();
  knownOffsets.set(zone, fresh);
  return fresh;
}

function readOffset(zone: string, instantSeconds: number): number {
  const name = offsetFormat(zone)
    .formatToParts(instantSeconds * 1000)
    .find((part) => part.type === 'timeZoneName')?.value;
  return parseOffsetName(name ?? 'GMT');
}

function offsetFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  return format;
}

/** `GMT`, `GMT+02:00` or `GMT-00:01:15`, as Intl writes them. */
function parseOffsetName(name: string): number {
  const match = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(name);
  if (!match) throw new RangeError(`unexpected offset name ${name}`);
  const seconds = Number(match[2] ?? 0) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0);
  return match[1] === '-' ? -seconds : seconds;
}

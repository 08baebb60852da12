import { readInstant } from '../../kernel/instant.ts';
import { formatZoned, instantOfWall, parseWall, startOfDay } from '../../kernel/zone.ts';

/** `2026-11-15T02:06:55.655Z` as `2026-11-15 04:06:55 +02:00` in Harare; what is no moment stays as it is. */
export function momentIn(zone: string, text: string): string {
  const instant = readInstant(text);
  if (instant === undefined) return text;
  const shown = formatZoned(zone, Math.floor(instant.getTime() / 1000)).replace('T', ' ');
  return `${shown.slice(0, 19)} ${shown.slice(19)}`;
}

/** The same of what a clock in another zone, such as a device's, showed then: `2026-11-15T04:06:55`. */
export function momentOfWall(zone: string, text: string, otherZone: string): string {
  const wallSeconds = parseWall(text);
  if (wallSeconds === undefined) return text;
  return momentIn(zone, new Date(instantOfWall(otherZone, wallSeconds) * 1000).toISOString());
}

/** How far a moment is from now: `in 11 h 40 min`, `3 min ago`. */
export function distanceTo(text: string, now: Date): string {
  const minutes = Math.round((Date.parse(text) - now.getTime()) / 60_000);
  if (Number.isNaN(minutes)) return '';
  const length = duration(Math.abs(minutes));
  if (minutes === 0) return 'now';
  return minutes > 0 ? `in ${length}` : `${length} ago`;
}

function duration(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / (24 * 60))} days`;
}

/** A day alone means its beginning, in the service's zone; anything else is for the service to judge. */
export function instantText(zone: string, text: string): string {
  const instant = startOfDay(zone, text);
  return instant === undefined ? text : new Date(instant * 1000).toISOString();
}

import { formatWall, isZone, wallOfInstant } from '../kernel/zone.ts';

/** `2026-11-15T02:06:55.655Z` as `2026-11-15 02:06:55 UTC`; what is no such moment stays as it is. */
export function moment(text: string): string {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/.exec(text);
  return match ? `${match[1]} ${match[2]} UTC` : text;
}

/** The same moment on the wall clock of a device's zone, without seconds. */
export function localMoment(text: string, zone: string): string {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds) || !isZone(zone)) return moment(text);
  return formatWall(wallOfInstant(zone, Math.floor(milliseconds / 1000)))
    .slice(0, 16)
    .replace('T', ' ');
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

/** A day alone means its beginning, in UTC; anything else is for the service to judge. */
export function instantText(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
}

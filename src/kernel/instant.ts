import type { Violation } from './refusal.ts';
import { parseWall } from './zone.ts';

const INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;

/** Reads a date and time with Z or an offset, to the millisecond; undefined when it is none or there is no such moment. */
export function readInstant(text: string): Date | undefined {
  const wall = INSTANT.exec(text)?.[1];
  // new Date lets 31 February slip into March.
  if (wall === undefined || parseWall(wall) === undefined) return undefined;
  const instant = new Date(text);
  // There is no year 0, for PostgreSQL neither, and what is written back in UTC has to be one that can be read.
  const year = instant.getUTCFullYear();
  return year > 0 && year < 10_000 ? instant : undefined;
}

/** Of a field that may be missing. What is none is added to `violations`. */
export function readInstantField(field: string, text: string | undefined, violations: Violation[]): Date | undefined {
  const date = text === undefined ? undefined : readInstant(text);
  if (text !== undefined && date === undefined) {
    const Message = `${field} must be a date and time with Z or an offset, such as 2026-03-14T09:26:53Z (encode + as %2B)`;
    violations.push({ Field: field, Code: 'Malformed', Message });
  }
  return date;
}

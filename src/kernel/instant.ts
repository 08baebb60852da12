import { parseWall } from './zone.ts';

const INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;

/** Reads a date and time with Z or an offset, to the millisecond; undefined when it is none or there is no such moment. */
export function readInstant(text: string): Date | undefined {
  const wall = INSTANT.exec(text)?.[1];
  // new Date lets 31 February slip into March.
  if (wall === undefined || parseWall(wall) === undefined) return undefined;
  return new Date(text);
}

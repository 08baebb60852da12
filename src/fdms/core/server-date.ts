import { parseWall } from '../../kernel/zone.ts';
import type { FdmsDate } from './protocol.ts';

const DATE = /^\s*(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d)?(?:[.,]\d+)?\s*(?:[Zz]|[+-]\d\d(?::?\d\d)?)?)?\s*$/;

/** A date of the authority's as `YYYY-MM-DDTHH:mm:ss`, cut to that; undefined when it names no moment there is. */
export function serverWall(date: FdmsDate): string | undefined {
  const [, day, minute = '00:00', second = ':00'] = DATE.exec(date) ?? [];
  const wall = `${day}T${minute}${second}`;
  return parseWall(wall) === undefined ? undefined : wall;
}

/** How the date may stand in a text that the authority signed: as it was sent, and as the specification has it. */
export function signedDates(date: FdmsDate): readonly string[] {
  return [...new Set([date, serverWall(date) ?? date.slice(0, 'YYYY-MM-DDTHH:mm:ss'.length)])];
}

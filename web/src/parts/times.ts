import { formatZoned, instantOfWall, parseWall, startOfDay } from '../../../src/kernel/zone.ts';

/** Times as all operators of this installation see them: in its zone, wherever they are. */
export interface Times {
  readonly zone: string;
  /** `15 Nov 2026, 11:58`. */
  readonly moment: (instant: string | null, withSeconds?: boolean) => string;
  /** The same of what the clock showed in another zone, such as a device's: `2026-11-15T11:58:21`. */
  readonly momentOfWall: (wall: string, zone: string, withSeconds?: boolean) => string;
  readonly clockTime: (instant: string) => string;
  readonly dateOnly: (instant: string | null) => string;
  /** For a field of date and time: `2026-11-15T11:58`. */
  readonly fieldText: (instant: string) => string;
  /** What such a field stands for; undefined when it is no moment. */
  readonly readField: (text: string) => string | undefined;
  /** The moment a day (`YYYY-MM-DD`) begins, or a number of days later. */
  readonly startOfDay: (day: string | undefined, plusDays?: number) => string | undefined;
  /** `Africa/Harare (UTC+02:00)`, with the offset of now. */
  readonly label: string;
}

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;

export function timesIn(zone: string): Times {
  const written = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options });
    return (instant: string) => format.format(new Date(instant));
  };
  const minutes = written({ ...DATE, ...CLOCK });
  const seconds = written({ ...DATE, ...CLOCK, second: '2-digit' });
  const date = written(DATE);
  const moment: Times['moment'] = (instant, withSeconds = false) =>
    instant === null ? '–' : withSeconds ? seconds(instant) : minutes(instant);
  return {
    zone,
    moment,
    momentOfWall: (wall, otherZone, withSeconds) => {
      const wallSeconds = parseWall(wall);
      return wallSeconds === undefined ? wall : moment(isoOf(instantOfWall(otherZone, wallSeconds)), withSeconds);
    },
    clockTime: written(CLOCK),
    dateOnly: (instant) => (instant === null ? '–' : date(instant)),
    fieldText: (instant) => formatZoned(zone, Math.floor(Date.parse(instant) / 1000)).slice(0, 16),
    readField: (text) => {
      const wallSeconds = parseWall(text.length === 16 ? `${text}:00` : text);
      return wallSeconds === undefined ? undefined : isoOf(instantOfWall(zone, wallSeconds));
    },
    startOfDay: (day, plusDays) => {
      const instant = day === undefined ? undefined : startOfDay(zone, day, plusDays);
      return instant === undefined ? undefined : isoOf(instant);
    },
    label: `${zone.replaceAll('_', ' ')} (UTC${formatZoned(zone, Math.floor(Date.now() / 1000)).slice(19)})`,
  };
}

function isoOf(instantSeconds: number): string {
  return new Date(instantSeconds * 1000).toISOString();
}

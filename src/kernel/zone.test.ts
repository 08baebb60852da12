import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatWall, formatZoned, instantOfWall, isZone, parseWall, startOfDay, wallOfInstant } from './zone.ts';

const instant = (text: string) => Date.parse(text) / 1000;
const wall = (text: string) => parseWall(text) ?? Number.NaN;

describe('a wall time as text', () => {
  test('is the seconds a UTC clock showing it would have counted, with a T or with a space', () => {
    expect(parseWall('1970-01-02T00:00:01')).toBe(86_401);
    expect(parseWall('1970-01-02 00:00:01')).toBe(86_401);
  });

  test('reads back the same for every second of four centuries', () => {
    fc.assert(
      fc.property(fc.integer({ min: wall('1800-01-01T00:00:00'), max: wall('2199-12-31T23:59:59') }), (seconds) => {
        expect(parseWall(formatWall(seconds))).toBe(seconds);
        expect(formatWall(seconds)).toBe(new Date(seconds * 1000).toISOString().slice(0, 19));
      }),
    );
  });

  test.each(['2028-02-29T00:00:00', '2000-02-29T23:59:59'])('%s exists', (text) => {
    expect(formatWall(wall(text))).toBe(text);
  });

  test.each([
    '2026-02-29T00:00:00',
    '2100-02-29T00:00:00',
    '2026-04-31T00:00:00',
    '2026-13-01T00:00:00',
    '2026-00-01T00:00:00',
    '2026-01-00T00:00:00',
    '2026-01-01T24:00:00',
    '2026-01-01T23:60:00',
    '2026-06-30T23:59:60',
    '2026-01-01',
    '2026-01-01T00:00',
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.5',
    '2026-01-01T00:00:10.5',
    '26-01-01T00:00:00',
    ' 2026-01-01T00:00:00',
    '2026-01-01T00:00:00\n',
    '',
  ])('%j does not exist', (text) => {
    expect(parseWall(text)).toBeUndefined();
  });
});

describe('a wall time in a zone', () => {
  test.each([
    ['Africa/Harare', '2026-11-15T10:00:00Z', '2026-11-15T12:00:00'],
    ['UTC', '2026-11-15T10:00:00Z', '2026-11-15T10:00:00'],
    ['Asia/Kathmandu', '2026-11-15T18:15:00Z', '2026-11-16T00:00:00'],
    ['America/New_York', '2026-01-01T04:59:59Z', '2025-12-31T23:59:59'],
    ['Pacific/Kiritimati', '2026-11-15T10:00:00Z', '2026-11-16T00:00:00'],
    ['Africa/Monrovia', '1970-01-01T00:00:00Z', '1969-12-31T23:15:30'],
    ['Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29T01:59:59'],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29T03:00:00'],
    ['Europe/Berlin', '2026-10-25T00:59:59Z', '2026-10-25T02:59:59'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00'],
  ])('in %s the instant %s is %s', (zone, utc, local) => {
    expect(formatWall(wallOfInstant(zone, instant(utc)))).toBe(local);
  });

  test.each([
    ['Africa/Harare', '2026-11-15T12:00:00', '2026-11-15T10:00:00Z', 'the only one'],
    ['Europe/Berlin', '2026-03-29T01:59:59', '2026-03-29T00:59:59Z', 'the last before the gap'],
    ['Europe/Berlin', '2026-03-29T03:00:00', '2026-03-29T01:00:00Z', 'the first after the gap'],
    ['Europe/Berlin', '2026-03-29T02:30:00', '2026-03-29T01:30:00Z', 'the later one for a time in the gap'],
    ['Europe/Berlin', '2026-10-25T02:30:00', '2026-10-25T00:30:00Z', 'the earlier of two'],
    ['Europe/Berlin', '2026-10-25T03:00:00', '2026-10-25T02:00:00Z', 'the first after the repeated hour'],
    ['America/New_York', '2026-03-08T02:30:00', '2026-03-08T07:30:00Z', 'the later one for a time in the gap'],
    ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00Z', 'the earlier of two'],
    ['Australia/Lord_Howe', '2026-10-04T02:15:00', '2026-10-03T15:45:00Z', 'the later one in a gap of half an hour'],
  ])('in %s the wall time %s is the instant %s: %s', (zone, local, utc) => {
    expect(instantOfWall(zone, wall(local))).toBe(instant(utc));
  });

  test.each(['Africa/Harare', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu'])(
    'in %s the instant of a wall time shows that wall time, but for the hour that is repeated',
    (zone) => {
      fc.assert(
        fc.property(
          fc.integer({ min: instant('2020-01-01T00:00:00Z'), max: instant('2035-01-01T00:00:00Z') }),
          (seconds) => {
            const back = instantOfWall(zone, wallOfInstant(zone, seconds));
            expect(wallOfInstant(zone, back)).toBe(wallOfInstant(zone, seconds));
            expect(back).toBeLessThanOrEqual(seconds);
            expect(seconds - back).toBeLessThanOrEqual(3600);
          },
        ),
        { numRuns: 1000 },
      );
    },
  );

  test('the last offset is not remembered beyond its quarter hour or for another zone', () => {
    const before = instant('2026-03-29T00:59:59Z');
    expect(wallOfInstant('Europe/Berlin', before) - before).toBe(3600);
    expect(wallOfInstant('Africa/Harare', before) - before).toBe(7200);
    expect(wallOfInstant('Europe/Berlin', before + 1) - before).toBe(7201);
    expect(wallOfInstant('Europe/Berlin', before) - before).toBe(3600);
  });
});

test.each([
  ['Africa/Harare', true],
  ['UTC', true],
  ['Africa/Atlantis', false],
  ['', false],
  ['Africa/Harare; drop table', false],
])('%j is a zone: %s', (zone, expected) => {
  expect(isZone(zone)).toBe(expected);
});

test('a moment is written with the offset its zone has then', () => {
  const noon = instant('2026-07-15T12:00:00Z');
  expect(formatZoned('Africa/Harare', noon)).toBe('2026-07-15T14:00:00+02:00');
  expect(formatZoned('Europe/London', noon)).toBe('2026-07-15T13:00:00+01:00');
  expect(formatZoned('America/St_Johns', noon)).toBe('2026-07-15T09:30:00-02:30');
  expect(formatZoned('UTC', noon)).toBe('2026-07-15T12:00:00+00:00');
});

test('a day begins at midnight of its zone, also when clocks change on it', () => {
  const begins = (zone: string, day: string, plusDays?: number) => {
    const at = startOfDay(zone, day, plusDays);
    return at === undefined ? undefined : formatZoned('UTC', at);
  };
  expect(begins('Africa/Harare', '2026-11-15')).toBe('2026-11-14T22:00:00+00:00');
  expect(begins('Europe/London', '2026-10-25', 1)).toBe('2026-10-26T00:00:00+00:00');
  expect(begins('Europe/London', '2026-10-25')).toBe('2026-10-24T23:00:00+00:00');
  // There is no midnight on this day: clocks go from 00:00 to 01:00.
  expect(begins('Africa/Cairo', '2026-04-24')).toBe('2026-04-23T22:00:00+00:00');
  expect(begins('Africa/Harare', '2026-02-30')).toBeUndefined();
});

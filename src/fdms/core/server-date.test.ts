import { expect, test } from 'vitest';
import { serverWall, signedDates } from './server-date.ts';

test.each([
  ['2026-11-15T12:00:01', '2026-11-15T12:00:01'],
  ['2026-11-15T12:00:01.123', '2026-11-15T12:00:01'],
  ['2026-11-15T12:00:01,5Z', '2026-11-15T12:00:01'],
  ['2026-11-15 12:00:01+02:00', '2026-11-15T12:00:01'],
  ['2026-11-15t12:00:01 -0230', '2026-11-15T12:00:01'],
  ['2026-11-15T12:00:01+02', '2026-11-15T12:00:01'],
  ['2026-11-15T12:00', '2026-11-15T12:00:00'],
  [' 2026-11-15 ', '2026-11-15T00:00:00'],
  ['2026-02-30T12:00:00', undefined],
  ['2026-11-15T25:00:00', undefined],
  ['x2026-11-15T12:00:00', undefined],
  ['2026-11-15T12:00:00x', undefined],
  ['2026-11-15T12', undefined],
  ['', undefined],
])('%j is %s', (date, wall) => {
  expect(serverWall(date)).toBe(wall);
});

test('a signed text has the date as it was sent or as the specification has it, and one that is both once', () => {
  expect(signedDates('2026-11-15T12:00:01')).toEqual(['2026-11-15T12:00:01']);
  expect(signedDates('2026-11-15T12:00:01.5Z')).toEqual(['2026-11-15T12:00:01.5Z', '2026-11-15T12:00:01']);
  expect(signedDates('2026-11-15T12:00:01 or so')).toEqual(['2026-11-15T12:00:01 or so', '2026-11-15T12:00:01']);
});

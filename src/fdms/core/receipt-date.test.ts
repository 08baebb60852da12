import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wall } from '../../../test/support/devices.ts';
import { formatWall } from '../../kernel/zone.ts';
import { deviceWall, isSameDate, moveDate, type ReceiptDate, readReceiptDate } from './receipt-date.ts';

const HARARE = 'Africa/Harare';
const BERLIN = 'Europe/Berlin';

describe('the date of a receipt', () => {
  test.each([
    ['2026-11-15T12:00:00', '2026-11-15T12:00:00', undefined],
    ['2026-11-15T12:00:00Z', '2026-11-15T12:00:00Z', 0],
    ['2026-11-15T12:00:00+02:00', '2026-11-15T12:00:00+02:00', 7200],
    ['2026-11-15T12:00:00-03:30', '2026-11-15T12:00:00-03:30', -12_600],
    ['2026-11-15T12:00:00+14:00', '2026-11-15T12:00:00+14:00', 50_400],
    ['2028-02-29T23:59:59', '2028-02-29T23:59:59', undefined],
  ])('%s is echoed as %s', (text, echoed, offsetSeconds) => {
    const date = readReceiptDate(text);
    expect(date.text).toBe(echoed);
    expect(date.offsetSeconds).toBe(offsetSeconds);
    expect(date.wallSeconds).toBe(wall(echoed.slice(0, 19)));
  });

  test.each(['.9', '.999', '.999999999', '.000', '.500'])(
    'loses the fraction %s by cutting, not rounding',
    (fraction) => {
      expect(readReceiptDate(`2026-11-15T12:00:00${fraction}`).text).toBe('2026-11-15T12:00:00');
      expect(readReceiptDate(`2026-12-31T23:59:59${fraction}Z`).text).toBe('2026-12-31T23:59:59Z');
      expect(readReceiptDate(`2026-12-31T23:59:59${fraction}+02:00`).text).toBe('2026-12-31T23:59:59+02:00');
    },
  );

  test.each([
    '2026-02-29T12:00:00',
    '2026-11-31T12:00:00Z',
    '2026-11-15T24:00:00',
    '2026-11-15T12:00:60',
    '2026-11-15',
    '2026-11-15t12:00:00z',
    '2026-11-15T12:00:00.',
    '2026-11-15T12:00:00.1234567890',
    '2026-11-15T12:00:00+2:00',
    '2026-11-15T12',
    '2026-11-15T12:00.5',
    '2026-11-15_12:00:00',
    '2026-11-15T12:00:00+02',
    '2026-11-15T12:00:00+14:01',
    '2026-11-15T12:00:00-15:00',
    '2026-11-15T12:00:00+02:60',
    '2026-11-15T12:00:00 +02:00',
    '2026-11-15T12:00:00Z\n',
    '15/11/2026 12:00:00',
    '+002026-11-15T12:00:00',
    '0000-01-01T00:00:00',
    '1790000000',
    'now',
    '',
  ])('%j is none, and keeps its text for the refusal', (text) => {
    expect(readReceiptDate(text)).toEqual({ text, wallSeconds: undefined, offsetSeconds: undefined });
  });
});

test.each([
  ['2026-11-15 12:00:00', '2026-11-15 12:00:00', undefined],
  ['2026-11-15T12:00', '2026-11-15T12:00:00', undefined],
  ['2026-11-15 12:00Z', '2026-11-15 12:00:00Z', 0],
  ['2026-11-15T12:00:00+0200', '2026-11-15T12:00:00+0200', 7200],
  ['2026-11-15T12:00:00.999-0130', '2026-11-15T12:00:00-0130', -5400],
])('a date as Excel, SQL and PHP write it is taken, and moved in its own form: %s', (sent, text, offsetSeconds) => {
  const date = readReceiptDate(sent);
  expect(date).toEqual({ text, wallSeconds: wall('2026-11-15T12:00:00'), offsetSeconds });
  expect(moveDate(date, 61, 'Africa/Harare').text).toBe(text.replace('12:00:00', '12:01:01'));
});

describe('the device local time that is signed', () => {
  test.each([
    ['2026-11-15T12:00:00', HARARE, '2026-11-15T12:00:00'],
    ['2026-11-15T12:00:00Z', HARARE, '2026-11-15T14:00:00'],
    ['2026-11-15T12:00:00+02:00', HARARE, '2026-11-15T12:00:00'],
    ['2026-12-31T23:30:00Z', HARARE, '2027-01-01T01:30:00'],
    ['2026-11-15T01:00:00+05:45', HARARE, '2026-11-14T21:15:00'],
    ['2026-07-01T12:00:00Z', BERLIN, '2026-07-01T14:00:00'],
    ['2026-12-01T12:00:00Z', BERLIN, '2026-12-01T13:00:00'],
    ['2026-10-25T02:30:00+02:00', BERLIN, '2026-10-25T02:30:00'],
    ['2026-10-25T02:30:00+01:00', BERLIN, '2026-10-25T02:30:00'],
  ])('of %s in %s is %s', (text, zone, local) => {
    expect(formatWall(deviceWall(readReceiptDate(text), zone))).toBe(local);
  });

  test('is never asked of what is no date', () => {
    expect(() => deviceWall(readReceiptDate('now'), HARARE)).toThrow(RangeError);
  });
});

describe('a moved date', () => {
  test.each([
    ['2026-11-15T12:00:00', 1, '2026-11-15T12:00:01'],
    ['2026-11-15T12:00:00Z', 61, '2026-11-15T12:01:01Z'],
    ['2026-12-31T23:59:59+02:00', 1, '2027-01-01T00:00:00+02:00'],
    ['2026-11-15T12:00:00.987-03:30', 0, '2026-11-15T12:00:00-03:30'],
  ])('%s keeps its form %i s later', (text, seconds, moved) => {
    expect(moveDate(readReceiptDate(text), seconds, HARARE)).toEqual(readReceiptDate(moved));
  });
});

test('a date that is moved over the end of summer time shows the local time that was signed', () => {
  const moved = moveDate(readReceiptDate('2026-10-25T02:59:50+02:00'), 10, BERLIN);
  expect(moved.text).toBe('2026-10-25T04:00:00+02:00');
  expect(formatWall(deviceWall(moved, BERLIN))).toBe('2026-10-25T03:00:00');
});

test('a date that is not moved, and a text that is none, stay what they are', () => {
  for (const [text, seconds] of [
    ['2026-11-15T12:00:00Z', 0],
    ['yesterday', 5],
  ] as const) {
    const date = readReceiptDate(text);
    expect(moveDate(date, seconds, HARARE)).toBe(date);
  }
});

test('a date in the hour that comes twice stays in the same of the two', () => {
  expect(moveDate(readReceiptDate('2026-10-25T02:30:00+01:00'), 1, BERLIN).text).toBe('2026-10-25T02:30:01+01:00');
});

describe('two dates are the same', () => {
  test.each([
    ['2026-11-15T12:00:00', '2026-11-15T12:00:00.999', true],
    ['2026-11-15T12:00:00', '2026-11-15T12:00:01', false],
    ['2026-11-15T12:00:00', '2026-11-15T12:00:00+02:00', true],
    ['2026-11-15T12:00:00', '2026-11-15T10:00:00Z', true],
    ['2026-11-15T12:00:00', '2026-11-15T12:00:00Z', false],
    ['2026-11-15T12:00:00+02:00', '2026-11-15T10:00:00Z', true],
    ['2026-11-15T12:00:00-00:00', '2026-11-15T12:00:00Z', true],
    ['now', 'now', true],
    ['now', 'then', false],
    ['now', '2026-11-15T12:00:00', false],
    ['now', '2026-11-15T12:00:00Z', false],
  ])('%s and %s: %s', (a, b, same) => {
    expect(isSameDate(readReceiptDate(a), readReceiptDate(b), HARARE)).toBe(same);
    expect(isSameDate(readReceiptDate(b), readReceiptDate(a), HARARE)).toBe(same);
  });

  test('two local times are compared as they are written, also those that the clock leaves out', () => {
    const [skipped, later] = ['2026-03-29T02:30:00', '2026-03-29T03:30:00'].map(readReceiptDate) as [
      ReceiptDate,
      ReceiptDate,
    ];
    expect(isSameDate(skipped, later, BERLIN)).toBe(false);
  });

  test('whatever offset the same instant is written with', () => {
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1_500_000_000, max: 2_500_000_000 }), offset, offset, (instant, a, b) => {
        const first = readReceiptDate(withOffset(instant, a));
        const second = readReceiptDate(withOffset(instant, b));
        expect(isSameDate(first, second, BERLIN)).toBe(true);
        expect(deviceWall(first, BERLIN)).toBe(deviceWall(second, BERLIN));
      }),
    );
  });
});

function withOffset(instantSeconds: number, offsetMinutes: number): string {
  const size = Math.abs(offsetMinutes);
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  const offset = `${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
  return formatWall(instantSeconds + offsetMinutes * 60) + offset;
}

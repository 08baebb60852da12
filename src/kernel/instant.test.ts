import { expect, test } from 'vitest';
import { readInstant, readInstantField } from './instant.ts';
import type { Violation } from './refusal.ts';

test.each([
  ['2026-11-15T10:00:00Z', '2026-11-15T10:00:00.000Z'],
  ['2026-11-15T12:00:00.5+02:00', '2026-11-15T10:00:00.500Z'],
  ['2026-11-15T10:00:00.123456789Z', '2026-11-15T10:00:00.123Z'],
  ['2024-02-29T00:00:00-05:30', '2024-02-29T05:30:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
])('%s is a moment', (text, expected) => {
  expect(readInstant(text)?.toISOString()).toBe(expected);
});

test.each([
  '2026-02-31T00:00:00Z',
  '0000-11-15T10:00:00Z',
  '0001-01-01T00:00:00+02:00',
  '9999-12-31T23:59:59-14:00',
  '2026-11-15T24:00:00Z',
  '2026-11-15T10:00:00',
  '2026-11-15',
  '2026-11-15 10:00:00Z',
  '2026-11-15T10:00:00+25:00',
  'now',
  '',
])('%s is none', (text) => {
  expect(readInstant(text)).toBeUndefined();
});

test('a field may be missing, and what is none is told by its name', () => {
  const violations: Violation[] = [];
  expect(readInstantField('From', undefined, violations)).toBeUndefined();
  expect(readInstantField('From', '2026-11-15T10:00:00Z', violations)).toEqual(new Date('2026-11-15T10:00:00Z'));
  expect(violations).toEqual([]);
  expect(readInstantField('To', 'now', violations)).toBeUndefined();
  expect(violations).toEqual([
    {
      Field: 'To',
      Code: 'Malformed',
      Message: expect.stringMatching(/^To must be a date and time with Z or an offset/),
    },
  ]);
});

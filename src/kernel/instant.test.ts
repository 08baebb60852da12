import { expect, test } from 'vitest';
import { readInstant } from './instant.ts';

test.each([
  ['2026-11-15T10:00:00Z', '2026-11-15T10:00:00.000Z'],
  ['2026-11-15T12:00:00.5+02:00', '2026-11-15T10:00:00.500Z'],
  ['2026-11-15T10:00:00.123456789Z', '2026-11-15T10:00:00.123Z'],
  ['2024-02-29T00:00:00-05:30', '2024-02-29T05:30:00.000Z'],
])('%s is a moment', (text, expected) => {
  expect(readInstant(text)?.toISOString()).toBe(expected);
});

test.each([
  '2026-02-31T00:00:00Z',
  '0000-11-15T10:00:00Z',
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

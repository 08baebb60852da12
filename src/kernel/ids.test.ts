import { expect, test } from 'vitest';
import { newId } from './ids.ts';

test('an id is a UUID of version 7 that begins with its time', () => {
  const before = Date.now();
  const ids = Array.from({ length: 200 }, () => newId());
  expect(ids.filter((id) => !/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id))).toEqual([]);
  const times = ids.map((id) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(before);
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
  expect(new Set(ids.map((id) => id.slice(15))).size).toBe(ids.length);
});

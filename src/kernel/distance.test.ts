import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { closest, distance } from './distance.ts';

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['Refrence', 'Reference', 1],
  ['sign', 'sing', 2],
])('from %j to %j it is %d letters', (one, other, letters) => {
  expect(distance(one, other)).toBe(letters);
  expect(distance(other, one)).toBe(letters);
});

test('no way over a third word is shorter', () => {
  const word = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      expect(distance(a, b) === 0).toBe(a === b);
      expect(distance(a, c)).toBeLessThanOrEqual(distance(a, b) + distance(b, c));
      expect(distance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});

test('of several the first of the nearest', () => {
  expect(closest('recieve', ['device', 'receive', 'recipe'])).toBe('receive');
  expect(closest('x', [])).toBe('');
});

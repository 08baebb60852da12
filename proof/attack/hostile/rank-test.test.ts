import { expect, test } from 'vitest';
import { deviationOfShare, shareAbove } from './rank-test.ts';

test('samples that nobody can tell apart share evenly, and one pause changes hardly anything', () => {
  const sample = Array.from({ length: 60 }, (_unused, index) => 1 + (index % 10) / 100);
  expect(shareAbove(sample, sample)).toBe(0.5);
  expect(shareAbove([...sample.slice(1), 5000], sample)).toBeCloseTo(0.5, 1);
});

test('what takes longer by a little more than the noise is told apart', () => {
  const sample = Array.from({ length: 60 }, (_unused, index) => 1 + (index % 10) / 100);
  const later = sample.map((value) => value + 0.1);
  expect(Math.abs(shareAbove(later, sample) - 0.5)).toBeGreaterThan(5 * deviationOfShare(60, 60));
});

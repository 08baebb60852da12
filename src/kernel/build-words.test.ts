import { expect, test } from 'vitest';
import { buildWords } from './build-words.ts';

test('a build is shown with its commit and the day of it, where both are known', () => {
  const Version = '0.3.0';
  expect(buildWords({ Version, Commit: '7fb2711512ab', CommitDate: '2026-11-18T09:30:00+02:00' })).toBe(
    '0.3.0 (7fb2711512ab, 2026-11-18)',
  );
  expect(buildWords({ Version })).toBe('0.3.0');
  expect(buildWords({ Version, Commit: null, CommitDate: null })).toBe('0.3.0');
});

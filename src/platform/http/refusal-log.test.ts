import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RefusalLog } from './refusal-log.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a flood of refusals is a few lines and a number; other refusals beside it have their lines', () => {
  const lines: object[] = [];
  const quiet = { warn: () => {}, error: () => {} };
  const refusals = new RefusalLog({ ...quiet, info: (fields, message) => lines.push({ ...fields, message }) });
  const flood = { requestId: 'r', method: 'POST', route: '/api/admin/session', status: 429, durationMs: 0 };
  const other = { ...flood, route: '/api/receipt/sign', status: 400 };
  for (let count = 0; count < 3000; count += 1) refusals.write(flood);
  refusals.write(other);
  expect(lines).toEqual([
    ...Array.from({ length: 50 }, () => ({ ...flood, message: 'refused' })),
    { ...other, message: 'refused' },
  ]);
  vi.advanceTimersByTime(5000);
  const { method, route, status } = flood;
  expect(lines.slice(51)).toEqual([
    { method, route, status, count: 2950, message: 'refused more often than was logged' },
  ]);
  refusals.write(flood);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(52)).toEqual([{ ...flood, message: 'refused' }]);
});

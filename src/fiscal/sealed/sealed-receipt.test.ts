import { expect, test } from 'vitest';
import { pendingSubmission } from './sealed-receipt.ts';

const AT = new Date('2026-11-15T10:00:00Z');

test.each([
  [0, 'Not submitted yet: next to be submitted.'],
  [1, 'Not submitted yet: queued behind 1 receipt.'],
  [2, 'Not submitted yet: queued behind 2 receipts.'],
  ['being taken', 'Not submitted yet: its device is about to be served.'],
] as const)('a receipt with %s before it says so', (queuedBehind, error) => {
  expect(pendingSubmission(AT, queuedBehind, undefined)).toEqual({
    state: 'Pending',
    remarks: [],
    failedAt: AT,
    error,
    isLaneFailing: false,
  });
});

test('what its lane ran into is told, and that there is nothing to wait for', () => {
  expect(pendingSubmission(AT, 1, 'the authority is silent')).toMatchObject({
    error: 'Not submitted yet, queued behind 1 receipt: the authority is silent',
    isLaneFailing: true,
  });
});

import { expect, test } from 'vitest';
import { readOutboxBacklog } from './outbox-backlog.ts';

test.each([
  ['waiting=0, seconds=0', 0, 0],
  ['waiting=1, seconds=0', 0, 0],
  ['waiting=1, seconds=60', 0, 0],
  ['waiting=1, seconds=61', 1, 0],
  ['waiting=2, seconds=0', 2, 1],
  ['waiting=3, seconds=540', 3, 2],
  ['waiting=0, seconds=540', 0, 0],
  ['waiting=999999, seconds=999999999', 999_999, 999_998],
])('%s leaves %i sales on the till, and %i when the answer ended one', (header, left, leftAfterEnd) => {
  expect(readOutboxBacklog(header, false)?.waitingSales).toBe(left);
  expect(readOutboxBacklog(header, true)?.waitingSales).toBe(leftAfterEnd);
});

test.each([
  undefined,
  ['waiting=3, seconds=540'],
  '',
  'waiting=3,seconds=540',
  'waiting=3, seconds=540 ',
  'waiting=3, seconds=540, waiting=3, seconds=540',
  'seconds=540, waiting=3',
  'Waiting=3, seconds=540',
  'waiting=03, seconds=540',
  'waiting=-3, seconds=540',
  'waiting=3, seconds=-1',
  'waiting=3.5, seconds=540',
  'waiting=1000000, seconds=540',
  'waiting=3, seconds=1000000000',
  'waiting=٣, seconds=540',
])('%j is ignored', (header) => {
  expect(readOutboxBacklog(header, false)).toBeUndefined();
});

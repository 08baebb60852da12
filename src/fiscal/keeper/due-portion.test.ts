import { expect, test } from 'vitest';
import { duePortion } from './due-portion.ts';

const IDLE = { utilization: 0.1, waiting: 0, freePlaces: 1000 };

test('opening, closing and care give way to requests, receipts only to those that wait for the database', () => {
  const idle = duePortion(IDLE);
  const busy = duePortion({ ...IDLE, utilization: 0.9 });
  const crowded = duePortion({ ...IDLE, waiting: 1 });
  expect(busy.withReceipts).toBe(idle.withReceipts);
  expect(busy.others).toBeLessThan(idle.others);
  expect(crowded.withReceipts).toBeLessThan(idle.withReceipts);
  expect(crowded.others).toBe(busy.others);
});

test('ten thousand windows are begun within ten minutes on a process that is always busy', () => {
  expect(duePortion({ ...IDLE, utilization: 1, waiting: 100 }).others * 4 * 600).toBeGreaterThanOrEqual(10_000);
});

test('where places are scarce each kind gets half of them', () => {
  expect(duePortion({ ...IDLE, freePlaces: -1 })).toEqual({ withReceipts: 0, others: 0 });
  expect(duePortion({ ...IDLE, freePlaces: 0 })).toEqual({ withReceipts: 0, others: 0 });
  expect(duePortion({ ...IDLE, freePlaces: 1 })).toEqual({ withReceipts: 1, others: 1 });
  expect(duePortion({ ...IDLE, freePlaces: 20 })).toEqual({ withReceipts: 10, others: 10 });
});

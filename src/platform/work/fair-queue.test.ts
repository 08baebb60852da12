import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

test('who comes with one waits for one of each other, not for all that one has piled up', () => {
  const queue = new FairQueue<string>({ total: 100, perHolder: 50 });
  for (let number = 1; number <= 40; number += 1) queue.push('greedy', `greedy ${number}`);
  queue.push('other', 'other 1');
  queue.push('third', 'third 1');
  queue.push('other', 'other 2');
  const order = Array.from({ length: 7 }, () => queue.shift());
  expect(order).toEqual(['greedy 1', 'other 1', 'third 1', 'greedy 2', 'other 2', 'greedy 3', 'greedy 4']);
});

test('one cannot take the places of the others', () => {
  const queue = new FairQueue<number>({ total: 3, perHolder: 2 });
  expect([queue.push('a', 1), queue.push('a', 2), queue.push('a', 3)]).toEqual(['waits', 'waits', 'holder-full']);
  expect([queue.push('b', 4), queue.push('c', 5)]).toEqual(['waits', 'full']);
  expect([queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual([1, 4, 2, undefined]);
  expect(queue.push('c', 6)).toBe('waits');
});

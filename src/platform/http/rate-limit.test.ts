import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limit.ts';

const NOW = 1_000_000;

test('a burst of one second passes, the next one waits, and says how long', () => {
  const limiter = new RateLimiter(5);
  for (let turn = 0; turn < 5; turn += 1) expect(limiter.take('till', NOW)).toBeUndefined();
  expect(limiter.take('till', NOW)).toBeCloseTo(0.2);
  expect(limiter.take('till', NOW + 199)).toBeGreaterThan(0);
  expect(limiter.take('till', NOW + 200)).toBeUndefined();
  expect(limiter.take('till', NOW + 200)).toBeGreaterThan(0);
});

test('one holder does not use up what another may', () => {
  const limiter = new RateLimiter(1);
  expect(limiter.take('greedy', NOW)).toBeUndefined();
  for (let turn = 0; turn < 100; turn += 1) expect(limiter.take('greedy', NOW)).toBeDefined();
  expect(limiter.take('modest', NOW)).toBeUndefined();
});

test('being refused costs nothing: whoever waits as told may pass', () => {
  const limiter = new RateLimiter(2);
  let at = NOW;
  for (let turn = 0; turn < 50; turn += 1) {
    const wait = limiter.take('till', at);
    if (wait !== undefined) {
      expect(wait).toBeLessThanOrEqual(0.5);
      at += Math.ceil(wait * 1000);
      expect(limiter.take('till', at)).toBeUndefined();
    }
  }
});

test('silence saves up no more than one second', () => {
  const limiter = new RateLimiter(3);
  limiter.take('till', NOW);
  const later = NOW + 3_600_000;
  const passed = Array.from({ length: 10 }, () => limiter.take('till', later)).filter((wait) => wait === undefined);
  expect(passed).toHaveLength(3);
});

test('a burst may be larger than a second gives, and what is given back may be taken again', () => {
  const limiter = new RateLimiter(0.5, 3);
  for (let turn = 0; turn < 3; turn += 1) expect(limiter.take('office', NOW)).toBeUndefined();
  expect(limiter.take('office', NOW)).toBeCloseTo(2);
  limiter.giveBack('office');
  expect(limiter.take('office', NOW)).toBeUndefined();
  for (let turn = 0; turn < 10; turn += 1) limiter.giveBack('office');
  const passed = Array.from({ length: 10 }, () => limiter.take('office', NOW)).filter((wait) => wait === undefined);
  expect(passed).toHaveLength(3);
});

test('0 means no limit', () => {
  const limiter = new RateLimiter(0);
  for (let turn = 0; turn < 10_000; turn += 1) expect(limiter.take('till', NOW)).toBeUndefined();
});

test('never more than the burst and the rate together, however the requests come', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }),
      (perSecond, gaps) => {
        const limiter = new RateLimiter(perSecond);
        let at = NOW;
        let passed = 0;
        for (const gap of gaps) {
          at += gap;
          if (limiter.take('till', at) === undefined) passed += 1;
        }
        expect(passed).toBeLessThanOrEqual(perSecond + ((at - NOW) * perSecond) / 1000 + 1e-6);
      },
    ),
  );
});

test('a clock that is set back shuts nobody out until it has caught up', () => {
  const limiter = new RateLimiter(2);
  for (const at of [NOW, NOW]) expect(limiter.take('till', at)).toBeUndefined();
  expect(limiter.take('till', NOW - 60_000)).toBeDefined();
  expect(limiter.take('till', NOW - 59_000)).toBeUndefined();
});

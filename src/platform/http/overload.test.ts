import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { MAX_WAITING, type OverloadMonitor, watchOverload } from './overload.ts';

let monitor: OverloadMonitor | undefined;
const nobody = () => 0;
afterEach(() => monitor?.stop());

/** Keeps the event loop to itself, as too much work does. */
function work(durationMs: number): void {
  const end = performance.now() + durationMs;
  while (performance.now() < end);
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('waited in vain');
    await delay(10);
  }
}

test.each([200, 600])('turns of %i ms in a row are overload, and it is over when the loop is free', async (turnMs) => {
  monitor = watchOverload(nobody, { largestDelayMs: 150, probeMs: 20 });
  const { isOverloaded } = monitor;
  expect(isOverloaded()).toBe(false);
  for (let turn = 0; turn < 3; turn += 1) {
    work(turnMs);
    await delay(1);
  }
  expect(isOverloaded()).toBe(true);
  await until(() => !isOverloaded());
});

test('a single pause is no overload', async () => {
  monitor = watchOverload(nobody, { largestDelayMs: 1000, probeMs: 20 });
  const { isOverloaded } = monitor;
  work(1200);
  await delay(20);
  expect(isOverloaded()).toBe(false);
});

test('a monitor that is stopped says nothing new', async () => {
  monitor = watchOverload(nobody, { largestDelayMs: 1, probeMs: 10 });
  const { isOverloaded, stop } = monitor;
  stop();
  work(50);
  await delay(50);
  expect(isOverloaded()).toBe(false);
});

test('too many who wait for the database are overload for as long as they are too many', () => {
  let waiting = MAX_WAITING - 1;
  monitor = watchOverload(() => waiting);
  expect(monitor.isOverloaded()).toBe(false);
  waiting += 1;
  expect(monitor.isOverloaded()).toBe(true);
  waiting = 0;
  expect(monitor.isOverloaded()).toBe(false);
});

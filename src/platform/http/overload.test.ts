import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { MAX_WAITING, type OverloadMonitor, watchOverload } from './overload.ts';

let monitor: OverloadMonitor | undefined;
const nobody = () => 0;
afterEach(() => monitor?.stop());

/** Keeps the event loop to itself, as too much work does; then the probe comes, late, before whatever waits less long. */
async function turn(durationMs: number): Promise<void> {
  const end = performance.now() + durationMs;
  while (performance.now() < end);
  await delay(1);
}

/** How many of so many requests that come at once are admitted. */
function admitted(count: number): number {
  return Array.from({ length: count }, () => monitor?.admits()).filter(Boolean).length;
}

test.each([600, 1300])(
  'turns of %i ms in a row with many requests are overload, until the loop is free',
  async (ms) => {
    monitor = watchOverload(nobody, { largestDelayMs: 500, probeMs: 20 });
    expect(admitted(1000)).toBe(1000);
    for (let count = 0; count < 3; count += 1) await turn(ms);
    expect(admitted(1000)).toBe(100);
    await vi.waitUntil(() => admitted(1000) === 1000, { timeout: 50_000, interval: 10 });
  },
);

test('few requests are served however late it is: they are not what keeps it from its work', async () => {
  monitor = watchOverload(nobody, { largestDelayMs: 10, probeMs: 5 });
  for (let count = 0; count < 10; count += 1) {
    await turn(30);
    expect(admitted(100)).toBe(100);
  }
  expect(admitted(1)).toBe(0);
});

test('a single pause is no overload', async () => {
  monitor = watchOverload(nobody, { largestDelayMs: 1000, probeMs: 20 });
  await turn(1200);
  expect(admitted(1000)).toBe(1000);
});

test('a monitor that is stopped says nothing new', async () => {
  monitor = watchOverload(nobody, { largestDelayMs: 1, probeMs: 10 });
  monitor.stop();
  for (let count = 0; count < 3; count += 1) await turn(30);
  expect(admitted(1000)).toBe(1000);
});

test('too many who wait for the database are overload for as long as they are too many', () => {
  let waiting = MAX_WAITING - 1;
  monitor = watchOverload(() => waiting);
  expect(monitor.admits()).toBe(true);
  waiting += 1;
  expect(monitor.admits()).toBe(false);
  waiting = 0;
  expect(monitor.admits()).toBe(true);
});

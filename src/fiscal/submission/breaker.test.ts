import { expect, test } from 'vitest';
import { Breaker } from './breaker.ts';

const DEVICE = 1001;
const OTHER = 1002;
const THIRD = 1003;

function breakerAt() {
  const time = { ms: 0 };
  const changes: string[] = [];
  const breaker = new Breaker(() => time.ms);
  breaker.onChange(() => changes.push(breaker.state));
  const fail = (times: number, deviceId = DEVICE) => {
    for (let count = 0; count < times; count += 1) breaker.failed(deviceId, 'silence');
  };
  return { time, changes, breaker, fail };
}

test('two failures are bad luck, three in a row an outage; a success in between starts anew', () => {
  const { breaker, fail, changes } = breakerAt();
  fail(2);
  breaker.succeeded(DEVICE);
  fail(2);
  expect(breaker.state).toBe('closed');
  expect(breaker.mayCall(DEVICE)).toBe(true);
  fail(1);
  expect(breaker.state).toBe('open');
  expect(breaker.reason).toBe('silence');
  expect(breaker.mayCall(DEVICE)).toBe(false);
  expect(changes).toEqual(['open']);
});

test('after a wait exactly one call is let through to find out', () => {
  const { breaker, fail, time } = breakerAt();
  fail(3);
  time.ms = 1250;
  expect(breaker.state).toBe('half-open');
  expect([breaker.mayCall(DEVICE), breaker.mayCall(DEVICE), breaker.mayCall(DEVICE)]).toEqual([true, false, false]);
});

test('a probe that never comes back does not keep it shut for ever', () => {
  const { breaker, fail, time } = breakerAt();
  fail(3);
  time.ms = 1250;
  expect(breaker.mayCall(DEVICE)).toBe(true);
  time.ms += 35_000;
  expect(breaker.mayCall(DEVICE)).toBe(true);
});

test('a probe that succeeds closes it and tells so once', () => {
  const { breaker, fail, changes } = breakerAt();
  fail(3);
  breaker.succeeded(DEVICE);
  breaker.succeeded(DEVICE);
  expect(breaker.state).toBe('closed');
  expect(changes).toEqual(['open', 'closed']);
});

test('probes that fail come ever more rarely, and never more rarely than every 19 seconds', () => {
  const { breaker, fail, time } = breakerAt();
  fail(3);
  const waits: number[] = [];
  for (let probe = 0; probe < 12; probe += 1) {
    const from = time.ms;
    while (breaker.state === 'open') time.ms += 50;
    waits.push(time.ms - from);
    expect(breaker.mayCall(DEVICE)).toBe(true);
    fail(1);
  }
  expect(waits[0]).toBeLessThanOrEqual(1300);
  expect(waits.at(-1)).toBeGreaterThan(10_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(18_800);
});

test('a call that takes too long opens it at once, whatever went before', () => {
  const { breaker } = breakerAt();
  breaker.succeeded(DEVICE);
  breaker.trip(DEVICE, 'too slow');
  expect(breaker.state).toBe('open');
  expect(breaker.reason).toBe('too slow');
});

test('who stops listening hears nothing any more', () => {
  const { breaker, fail } = breakerAt();
  let heard = 0;
  const stop = breaker.onChange(() => {
    heard += 1;
  });
  stop();
  fail(3);
  expect(heard).toBe(0);
});

test('one device that fails alone opens nothing while another was answered within a minute, however often it fails', () => {
  const { breaker, fail, time } = breakerAt();
  breaker.succeeded(OTHER);
  breaker.succeeded(DEVICE);
  for (time.ms = 1000; time.ms < 60_000; time.ms += 1000) fail(1);
  breaker.trip(DEVICE, 'too slow');
  expect(breaker.state).toBe('closed');
});

test('the same device opens it when more fail than were answered, or when no other was answered for a minute', () => {
  const second = breakerAt();
  second.breaker.succeeded(OTHER);
  second.time.ms = 2000;
  second.fail(5);
  second.fail(1, THIRD);
  expect(second.breaker.state).toBe('open');
  const alone = breakerAt();
  alone.breaker.succeeded(OTHER);
  alone.fail(5);
  alone.time.ms = 60_001;
  alone.fail(1);
  expect(alone.breaker.state).toBe('open');
  // The wait for the first probe does not depend on how long it took.
  alone.time.ms += 1250;
  expect(alone.breaker.state).toBe('half-open');
});

test('another device that was answered before the failing one counts, the failing one itself does not', () => {
  const { breaker, fail } = breakerAt();
  breaker.succeeded(DEVICE);
  breaker.succeeded(DEVICE);
  fail(3);
  expect(breaker.state).toBe('open');
});

const devices = (count: number, from: number) => Array.from({ length: count }, (_, index) => from + index);

test('two hundred slow devices open nothing while a single other one is answered every second', () => {
  const { breaker, time, changes } = breakerAt();
  breaker.succeeded(DEVICE);
  for (let second = 1; second <= 120; second += 1) {
    time.ms = second * 1000 - 100;
    for (const deviceId of devices(200, 2000)) breaker.trip(deviceId, 'too slow');
    time.ms = second * 1000;
    breaker.succeeded(DEVICE);
  }
  expect(changes).toEqual([]);
});

test('a fifth of many devices that fails opens nothing, all of them failing does after a moment', () => {
  const { breaker, time, fail } = breakerAt();
  for (const deviceId of devices(800, 2000)) breaker.succeeded(deviceId);
  time.ms = 3000;
  for (const deviceId of devices(200, 5000)) fail(3, deviceId);
  expect(breaker.state).toBe('closed');
  for (const deviceId of devices(700, 2000)) fail(1, deviceId);
  expect(breaker.state).toBe('open');
});

test('while it is open, a device that has not failed is let through at once, one in a second', () => {
  const { breaker, fail, time } = breakerAt();
  fail(3);
  time.ms = 300;
  expect([breaker.mayCall(OTHER), breaker.mayCall(DEVICE), breaker.mayCall(THIRD)]).toEqual([true, false, false]);
  breaker.succeeded(OTHER);
  expect(breaker.state).toBe('closed');
});

test('waiting is in vain for a device whose last call took too long, and for no other', () => {
  const { breaker, time } = breakerAt();
  breaker.succeeded(OTHER);
  breaker.trip(DEVICE, 'too slow');
  expect([breaker.isHopeless(DEVICE), breaker.isHopeless(OTHER)]).toEqual([true, false]);
  time.ms = 15_000;
  breaker.succeeded(DEVICE, { tookLong: true });
  expect(breaker.isHopeless(DEVICE)).toBe(true);
  breaker.succeeded(DEVICE);
  expect(breaker.isHopeless(DEVICE)).toBe(false);
});

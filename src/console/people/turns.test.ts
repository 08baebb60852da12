import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Turns } from './turns.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Takes turns, and keeps who had one and who was refused, in order. */
function recorded() {
  const turns = new Turns();
  const had: string[] = [];
  const refused: string[] = [];
  const take = (network: string) => {
    void turns
      .run(network, async () => had.push(network))
      .then((outcome) => outcome === undefined && refused.push(network));
  };
  return { turns, had, refused, take };
}

const NETWORKS = Array.from({ length: 60 }, (_, number) => `flood ${number}`);

test('sixty networks that try without pause have a password a second looked at, after the first five', async () => {
  const { had, take } = recorded();
  for (let tenth = 0; tenth < 300; tenth += 1) {
    for (const network of NETWORKS) take(network);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(had.length).toBeGreaterThanOrEqual(5 + 29);
  expect(had.length).toBeLessThanOrEqual(5 + 30);
});

test.each([
  ['has not tried before', 60_000, 0],
  ['has mistyped', 60_000, 5000],
  ['comes while most of the others have had no turn yet', 9000, 0],
])('a network that %s is next, however many wait and keep trying', async (_name, floodMs, agoMs) => {
  const { had, refused, take } = recorded();
  for (let ms = 0; ms < floodMs; ms += 1000) {
    for (const network of NETWORKS) take(network);
    if (ms === floodMs - agoMs) take('office');
    await vi.advanceTimersByTimeAsync(1000);
  }
  const before = had.length;
  for (const network of NETWORKS) take(network);
  take('office');
  for (const network of NETWORKS) take(network);
  await vi.advanceTimersByTimeAsync(1000);
  expect(had.slice(before)).toEqual(['office']);
  expect(refused).not.toContain('office');
});

test('a network that has filled the places gives one up for another', async () => {
  const { had, refused, take } = recorded();
  for (let count = 0; count < 1 + 8; count += 1) take('flood');
  take('office');
  await vi.advanceTimersByTimeAsync(0);
  expect(refused).toEqual(['flood']);
  expect(had.slice(0, 3)).toEqual(['flood', 'office', 'flood']);
});

test('one password is looked at at a time: where that takes long, nobody is let in to wait again', async () => {
  const { turns, had, take } = recorded();
  const slow = Promise.withResolvers<void>();
  const looking = turns.run('flood', () => slow.promise);
  take('flood');
  take('office');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(had).toEqual([]);
  slow.resolve();
  await looking;
  await vi.advanceTimersByTimeAsync(0);
  expect(had).toEqual(['office', 'flood']);
});

test('right passwords are not counted', async () => {
  const { turns, had, take } = recorded();
  for (let count = 0; count < 100; count += 1) {
    take('office');
    await vi.advanceTimersByTimeAsync(0);
    turns.giveBack();
  }
  expect(had).toHaveLength(100);
});

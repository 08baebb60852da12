import { expect, test, vi } from 'vitest';
import { EventWatch, type MovedCounter } from './event-watch.ts';

const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 50_000, interval: 5 });

/** Counters as a table has them, and every question that was asked about them. */
function counters() {
  const numbers = new Map<string, bigint>();
  const questions: (readonly string[])[] = [];
  const warnings: string[] = [];
  let isAway = false;
  const watch = new EventWatch({
    moved: (tenantIds, after) => {
      questions.push(tenantIds);
      if (isAway) return Promise.reject(new Error('the database is away'));
      const moved = tenantIds.flatMap((tenantId, index): MovedCounter[] => {
        const number = numbers.get(tenantId) ?? 0n;
        return number > (after[index] ?? 0n) ? [{ tenantId, number }] : [];
      });
      return Promise.resolve(moved);
    },
    log: { info: () => {}, warn: (_fields, message) => warnings.push(message ?? ''), error: () => {} },
  });
  return { watch, numbers, questions, warnings, setAway: (value: boolean) => (isAway = value) };
}

test('the database is asked once for everybody who waits, however many they are', async () => {
  const { watch, questions } = counters();
  for (let place = 0; place < 10_000; place += 1) watch.watch(`tenant ${place % 5000}`, 0n, () => {});
  await until(() => questions.length >= 3);
  expect(questions.slice(0, 3).map(({ length }) => length)).toEqual([5000, 5000, 5000]);
  watch.stop();
});

test('what this process commits is looked at without waiting for the next look at everybody', async () => {
  const { watch, numbers, questions } = counters();
  const told: string[] = [];
  for (const tenant of ['a', 'b', 'c']) watch.watch(tenant, 7n, () => told.push(tenant));
  await until(() => questions.length === 1);
  numbers.set('b', 8n);
  watch.nudge(['b', 'somebody for whom nobody waits']);
  await until(() => told.length > 0);
  expect(told).toEqual(['b']);
  expect(questions).toEqual([['a', 'b', 'c'], ['b']]);
  watch.stop();
});

test('what another process commits is seen by the next look, and only who has not read it yet is told', async () => {
  const { watch, numbers, questions } = counters();
  const told: string[] = [];
  watch.watch('a', 7n, () => told.push('has read 7'));
  watch.watch('a', 8n, () => told.push('has read 8'));
  await until(() => questions.length === 1);
  numbers.set('a', 8n);
  await until(() => told.length > 0);
  numbers.set('a', 9n);
  await until(() => told.length > 1);
  expect(told).toEqual(['has read 7', 'has read 8']);
  watch.stop();
});

test('nothing is asked when nobody waits any more', async () => {
  const { watch, questions } = counters();
  const end = watch.watch('a', 0n, () => {});
  await until(() => questions.length === 1);
  end();
  watch.nudge(['a']);
  // Another watch that began later has looked three times: this one would have, too.
  const other = counters();
  other.watch.watch('b', 0n, () => {});
  await until(() => other.questions.length >= 3);
  other.watch.stop();
  expect(questions).toHaveLength(1);
});

test('a database that is away is complained of once, and who waits is told when it is back', async () => {
  const { watch, numbers, questions, warnings, setAway } = counters();
  setAway(true);
  let isTold = false;
  watch.watch('a', 0n, () => (isTold = true));
  await until(() => questions.length === 3);
  expect(warnings).toHaveLength(1);
  numbers.set('a', 1n);
  setAway(false);
  await until(() => isTold);
  watch.stop();
});

test('a stop ends every wait, also one that comes too late', async () => {
  const { watch } = counters();
  const told: boolean[] = [];
  watch.watch('a', 0n, (hasEvents) => told.push(hasEvents));
  watch.stop();
  watch.watch('a', 0n, (hasEvents) => told.push(hasEvents));
  await until(() => told.length === 2);
  expect(told).toEqual([false, false]);
});

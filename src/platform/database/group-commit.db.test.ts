import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Transaction } from './database.ts';
import { GroupCommit, inOneTransaction } from './group-commit.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ isMigrated: false });
  await database.pool.query('create table numbers (number integer primary key)');
});
afterAll(() => database.drop());

/** Writes all with one statement, and counts the transactions. */
function writer(most = 100, apartMs = 0) {
  const sizes: number[] = [];
  const commits = new GroupCommit<number, number>({
    name: 'write numbers',
    maxPerBatch: most,
    apartMs,
    work: inOneTransaction(database.pool, async (tx: Transaction, numbers) => {
      sizes.push(numbers.length);
      await tx.query('insert into numbers select * from unnest($1::integer[])', [numbers]);
      return numbers.map((number) => number * 10);
    }),
  });
  return { commits, sizes };
}

test('what arrives together shares a transaction, and each gets its own answer after the commit', async () => {
  const { commits, sizes } = writer();
  const answers = await Promise.all([1, 2, 3].map((number) => commits.run(number)));
  expect(answers).toEqual([10, 20, 30]);
  expect(sizes).toEqual([3]);
  const { rows } = await database.pool.query('select number from numbers where number in (1, 2, 3)');
  expect(rows).toHaveLength(3);
});

test('no transaction is larger than allowed', async () => {
  const { commits, sizes } = writer(2);
  await Promise.all([11, 12, 13, 14, 15].map((number) => commits.run(number)));
  expect(sizes).toEqual([2, 2, 1]);
});

test('batches that are kept apart leave the first one alone, and what comes meanwhile shares the next', async () => {
  const { commits, sizes } = writer(100, 300);
  const startedAt = performance.now();
  await commits.run(31);
  const later = [commits.run(32)];
  await delay(20);
  later.push(commits.run(33));
  await Promise.all(later);
  expect(performance.now() - startedAt).toBeGreaterThan(290);
  expect(sizes).toEqual([1, 2]);
});

test('one that cannot be written fails alone', async () => {
  const { commits } = writer();
  await commits.run(21);
  const outcomes = await Promise.allSettled([20, 21, 22].map((number) => commits.run(number)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test.each([
  ['a lost connection', 'select pg_terminate_backend(pg_backend_pid())'],
  ['a cancelled statement', 'select pg_cancel_backend(pg_backend_pid()), pg_sleep(60)'],
])('%s fails the whole batch at once, and the next one is served', async (_name, trouble) => {
  const sizes: number[] = [];
  const commits = new GroupCommit<number, number>({
    name: 'write numbers',
    maxPerBatch: 100,
    work: inOneTransaction(database.pool, async (tx, numbers) => {
      sizes.push(numbers.length);
      if (sizes.length === 1) await tx.query(trouble);
      return numbers;
    }),
  });
  const outcomes = await Promise.allSettled([1, 2, 3].map((number) => commits.run(number)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(sizes).toEqual([3]);
  expect(await commits.run(4)).toBe(4);
});

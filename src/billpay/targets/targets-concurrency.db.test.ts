import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  keptFigures,
  type PaidPayment,
  recount,
  TargetBooks,
  wrongPayers,
} from '../../../test/support/billpay/target-books.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/process.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { TargetBuilder } from './target-builder.ts';

const START = new Date('2026-11-01T08:00:00Z').getTime();
const PAID_BEFORE = 1000;
const WORKERS = 2;
const CHANGES = 6;

let database: TestDatabase;
let books: TargetBooks;
const problems: unknown[] = [];
const log = {
  info: () => {},
  warn: (fields: object) => problems.push(fields),
  error: (fields: object) => problems.push(fields),
};

beforeAll(async () => {
  database = await createTestDatabase();
  books = new TargetBooks(database.pool);
  await books.addVendor();
});
afterAll(() => database.drop());

const newPayment = (billerCode: string, index: number) => ({
  billerCode,
  currency: ['USD', 'ZWG'][index % 2] ?? 'USD',
  amount: `${1 + (index % 90)}.0${index % 10}`,
  units: index % 4,
  memberNumber: `M${index % 37}`,
});

/** Asked for figures and counted anew in the same moment of the database. */
async function answerAndTruth(pool: Pool, billerCode: string) {
  return inTransaction(pool, async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    const kept = await keptFigures(tx, billerCode);
    return { kept: kept?.figures, truth: kept && (await recount(tx, billerCode, kept.since)), since: kept?.since };
  });
}

test('while everything happens at once, on two instances, every answer is the truth of its since-date', async () => {
  const { pool } = database;
  const codes = [await books.addBiller(), await books.addBiller()] as const;
  const paid: PaidPayment[] = [];
  for (let from = 0; from < PAID_BEFORE; from += 100) {
    const batch = Array.from({ length: 100 }, (_, index) => newPayment(codes[index % 2] ?? codes[0], from + index));
    paid.push(...(await books.pay(batch, new Date(START + from))));
  }
  const builders = [new TargetBuilder(pool, log), new TargetBuilder(pool, log)];
  for (const builder of builders) builder.start();
  const over = new AbortController();
  let taken = PAID_BEFORE;

  const payAndReverse = async () => {
    while (!over.signal.aborted) {
      taken += 4;
      // Both billers in one batch, named in changing order.
      const turned = taken % 8 === 0 ? codes : codes.toReversed();
      const batch = [0, 1, 2, 3].map((index) => newPayment(turned[index % 2] ?? codes[0], taken + index));
      paid.push(...(await books.pay(batch, new Date(START + taken))));
      // Old ones too: before, in and after what the background is counting.
      for (const place of [(taken * 31) % paid.length, paid.length - 1]) {
        const [one] = paid.splice(place, 1);
        if (one !== undefined) await books.reverse(one);
      }
    }
  };
  const wrong: unknown[] = [];
  const seen = new Set<string>();
  const ask = async () => {
    while (!over.signal.aborted) {
      for (const code of codes) {
        const { kept, truth, since } = await answerAndTruth(pool, code);
        seen.add(`${code} ${kept === undefined ? 'none' : (since?.toISOString() ?? 'ever')}`);
        if (JSON.stringify(kept) !== JSON.stringify(truth)) wrong.push({ code, since, kept, truth });
      }
    }
  };
  const change = async () => {
    for (let turn = 0; turn < CHANGES; turn += 1) {
      const since = turn % 3 === 2 ? null : new Date(START + turn * 97);
      for (const code of codes) {
        await books.setSince(code, since);
        for (const builder of builders) builder.poke();
        // Every other time the next change comes while this one is still being counted.
        if (turn % 2 === 0) await until(async () => isShown(pool, code, since), 'the new figures show');
      }
    }
  };
  const going = [...Array.from({ length: WORKERS }, payAndReverse), ask()];
  try {
    await change();
  } finally {
    over.abort();
    await Promise.all(going);
  }
  for (const builder of builders) builder.poke();
  await until(async () => {
    const { rows } = await pool.query(`select 1 from target_periods where state <> 'Current'`);
    return rows.length === 0;
  }, 'everything is counted and what is retired is gone');
  await Promise.all(builders.map((builder) => builder.stop()));
  for (const code of codes) {
    const { kept, truth } = await answerAndTruth(pool, code);
    expect(kept).toEqual(truth);
    expect(await wrongPayers(pool, code)).toEqual([]);
  }
  expect(wrong).toEqual([]);
  expect(problems).toEqual([]);
  expect(seen.size).toBeGreaterThan(4);
});

async function isShown(pool: Pool, code: string, since: Date | null): Promise<boolean> {
  const kept = await keptFigures(pool, code);
  return kept !== undefined && kept.since?.getTime() === since?.getTime();
}

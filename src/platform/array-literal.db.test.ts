import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { bytesArray, joinedJson, plainArray } from './array-literal.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = database.pool;
});
afterAll(() => database.drop());

async function readBack(expression: string, value: string): Promise<unknown[]> {
  const { rows } = await pool.query<{ item: unknown }>(`select item from unnest(${expression}) as item`, [value]);
  return rows.map(({ item }) => item);
}

test('numbers, identifiers, times and nulls arrive as they were', async () => {
  expect(await readBack('$1::integer[]', plainArray([1, null, -3]))).toEqual([1, null, -3]);
  expect(await readBack('$1::numeric[]', plainArray(['9999999999999999.99', '-0.01']))).toEqual([
    '9999999999999999.99',
    '-0.01',
  ]);
  expect(await readBack('$1::timestamp[]', plainArray(['2026-11-15T12:00:00']))).toEqual(['2026-11-15 12:00:00']);
  expect(await readBack('$1::integer[]', plainArray([]))).toEqual([]);
});

test('bytes of every value arrive as they were', async () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const values = [all, null, randomBytes(72), Buffer.alloc(0)];
  expect(await readBack('$1::bytea[]', bytesArray(values))).toEqual(values);
});

test('JSON with quotes, backslashes, braces and escaped control characters arrives as it was', async () => {
  const documents = ['{"a":"\\"{,}\\\\ \\u0001 NULL ü€😀"}', null, '[]', JSON.stringify({ text: '\u0001\n"' })];
  expect(await readBack("string_to_array($1, e'\\x01', '')", joinedJson(documents))).toEqual(documents);
});

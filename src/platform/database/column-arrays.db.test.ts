import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { arraysOf, bytes, type Column, json, plain, single, text, unnested, valuesOf } from './column-arrays.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function readBack<Value>(column: Column<Value>, values: readonly Value[]): Promise<unknown[]> {
  const { rows } = await database.pool.query<{ item: unknown }>(
    `select item from ${unnested([column], 1, 'n')}`,
    arraysOf([column], values),
  );
  const read = rows.map(({ item }) => item);
  // One at a time, without arrays, they arrive the same.
  const alone: unknown[] = [];
  for (const value of values) {
    const one = await database.pool.query<{ item: unknown }>(
      `select item from ${single([column], 1, 'n')}`,
      valuesOf([column], value),
    );
    alone.push(...one.rows.map(({ item }) => item));
  }
  expect(alone).toEqual(read);
  return read;
}

test('numbers, identifiers, times and nulls arrive as they were', async () => {
  expect(
    await readBack(
      plain('item', 'integer', (value: number | null) => value),
      [1, null, -3],
    ),
  ).toEqual([1, null, -3]);
  const amounts = ['9999999999999999.99', '-0.01'];
  expect(
    await readBack(
      plain('item', 'numeric', (value: string) => value),
      amounts,
    ),
  ).toEqual(amounts);
  const noon = plain('item', 'timestamp', (value: string) => value);
  expect(await readBack(noon, ['2026-11-15T12:00:00'])).toEqual(['2026-11-15 12:00:00']);
  expect(await readBack(noon, [])).toEqual([]);
});

test('bytes of every value arrive as they were', async () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const values = [all, undefined, randomBytes(72), Buffer.alloc(0)];
  const column = bytes('item', (value: Buffer | undefined) => value);
  expect(await readBack(column, values)).toEqual([all, null, values[2], values[3]]);
});

test('text with quotes, commas, braces and NULL arrives as it was', async () => {
  const values = ['"{,}\\ NULL', 'NULL', '', undefined, 'ü€😀'];
  const column = text('item', (value: string | undefined) => value);
  expect(await readBack(column, values)).toEqual(values.map((value) => value ?? null));
});

test('JSON with quotes, backslashes, braces and escaped control characters arrives as it was', async () => {
  const documents = ['{"a":"\\"{,}\\\\ \\u0001 NULL ü€😀"}', undefined, '[]', JSON.stringify({ text: '\u0001\n"' })];
  const column = json('item', 'text', (value: string | undefined) => value);
  expect(await readBack(column, documents)).toEqual(documents.map((value) => value ?? null));
});

test('columns of one row arrive side by side', async () => {
  const columns = [
    plain('number', 'integer', (row: { number: number; name: string }) => row.number),
    text('name', (row: { number: number; name: string }) => row.name),
  ];
  const rows = [
    { number: 1, name: 'a' },
    { number: 2, name: 'b' },
  ];
  const read = await database.pool.query(`select * from ${unnested(columns, 1, 'n')}`, arraysOf(columns, rows));
  expect(read.rows).toEqual(rows);
});

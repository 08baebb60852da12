import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { findFilledTable } from './store.ts';

test('a database that was only migrated has nothing in it that a restore would bring again', async () => {
  const database = await createTestDatabase();
  expect(await findFilledTable(database.pool)).toBeUndefined();
  await database.drop();
});

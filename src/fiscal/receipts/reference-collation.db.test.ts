import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { migrate } from '../../platform/database/migrate.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../migrations');
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

test.each([
  ['receipts', `taxpayer_id = gen_random_uuid() and reference ^@ 'INV-'`, 'receipts_reference_once'],
  ['payments', `vendor_reference ^@ 'INV-'`, 'payments_reference_once'],
])(
  'the beginning of a reference of %s is a piece of its index, in whatever language the database was made',
  async (table, condition, index) => {
    const database = await createTestDatabase({ language: 'en-US' });
    try {
      const { pool } = database;
      await migrate(pool, MIGRATIONS, quiet);
      const client = await pool.connect();
      await client.query('set enable_seqscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (costs off) select 1 from ${table} where ${condition}`,
      );
      client.release(true);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain(index);
      expect(plan).toMatch(/Index Cond: .*reference >= 'INV-'::text.* AND .*reference < 'INV\.'::text/);
    } finally {
      await database.drop();
    }
  },
);

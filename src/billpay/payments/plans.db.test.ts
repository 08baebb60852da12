import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/**
 * A plan that PostgreSQL keeps is made when the table is still empty, and every index then costs the same. It must be the
 * right one all the same: a look-up that reads all payments of a vendor is slow long before the next analyze.
 */
test.each([
  [
    'the check of a foreign key',
    'select 1 from only payments p where p.vendor_id = $1 and p.payment_id = $2 for key share of p',
    'uuid, bigint',
    'gen_random_uuid(), 1',
    'payments_pkey',
    /\(vendor_id = .*\) AND \(payment_id = /,
  ],
  [
    'a change of state',
    `update payments p set attempts = 0 from unnest($1::uuid[], $2::bigint[]) as g (vendor_id, payment_id)
      where p.vendor_id = g.vendor_id and p.payment_id = g.payment_id`,
    'uuid[], bigint[]',
    'array[gen_random_uuid()], array[1::bigint]',
    'payments_pkey',
    /\(vendor_id = .*\) AND \(payment_id = /,
  ],
  [
    'a look-up by reference',
    'select payment_id from payments p where p.vendor_id = $1 and p.vendor_reference = $2',
    'uuid, text',
    `gen_random_uuid(), 'V'`,
    'payments_reference_once',
    /\(vendor_reference = .*\) AND \(vendor_id = /,
  ],
])(
  '%s is planned with its own index while the table is empty',
  async (_name, statement, types, values, index, condition) => {
    const client = await database.pool.connect();
    try {
      await client.query('set plan_cache_mode = force_generic_plan');
      await client.query(`prepare looked (${types}) as ${statement}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) execute looked (${values})`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain(`using ${index} on payments`);
      expect(plan).toMatch(condition);
    } finally {
      client.release(true);
    }
  },
);

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { keptPlanOf } from '../../../test/support/query-plan.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { findByReferences } from './store.ts';

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

/** What a function of the store sends, without a database. */
async function sentBy(ask: (db: Queryable) => Promise<unknown>): Promise<{ readonly text: string }> {
  let text = '';
  const recorder: Queryable = {
    query: async (statement) => {
      text = typeof statement === 'string' ? statement : statement.text;
      return { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };
    },
  };
  await ask(recorder);
  return { text };
}

test('a look-up by reference has a plan that can be kept, however many payments there were when it was made', async () => {
  const vendorId = '6f1b2c9e-52a4-4c6e-9a53-8d3f0f1f7c11';
  const statement = await sentBy((db) => findByReferences(db, [{ vendorId, vendorReference: 'V' }]));
  // Neither vendors nor billers are wanted here, and nobody may gather statistics in between.
  await database.pool.query('alter table payments disable trigger all');
  await database.pool.query('alter table payments set (autovacuum_enabled = false)');
  const found: Record<number, unknown> = {};
  let made = 0;
  for (let count = 0; count < 4000; count = Math.ceil(count * 1.1) + 4) {
    await database.pool.query(
      `insert into payments (vendor_id, vendor_reference, bill_pay_reference, biller_code, member_number, currency, amount, fee,
              units, products, meta_data, payment_type, status, created_at, paid_at)
       select $1, gen_random_uuid(), number, 'B', 'M', 'USD', 1, 0, 1, '[]', '{}', 'Cash', 'Paid', now(),
              now() + number * interval '1 ms'
         from generate_series($2::integer + 1, $3::integer) as number`,
      [vendorId, made, count],
    );
    made = count;
    const plan = await keptPlanOf(database.pool, statement);
    if (plan.indexes.join() !== 'payments_reference_once' || plan.readWhole.length > 0) found[count] = plan;
  }
  expect(found).toEqual({});

  const { rows } = await database.pool.query<{ reference: string }>(
    'select vendor_reference as reference from payments order by random() limit 1',
  );
  const vendorReference = rows[0]?.reference ?? '';
  const other = 'a0000000-52a4-4c6e-9a53-8d3f0f1f7c11';
  const keys = [
    { vendorId, vendorReference },
    { vendorId, vendorReference },
    { vendorId, vendorReference: vendorReference.slice(0, -1) },
    { vendorId, vendorReference: `${vendorReference}0` },
    { vendorId: other, vendorReference },
    { vendorId, vendorReference: 'zzzz' },
  ];
  const payments = await findByReferences(database.pool, keys);
  expect(payments.map((payment) => payment.vendorReference)).toEqual([vendorReference, vendorReference]);
});

import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../../../src/platform/database/database.ts';
import { whole } from '../shared/report.ts';
import { progress } from '../shared/run.ts';

/**
 * Loads a table and builds its indexes afterwards, which takes a third of the time: from their own definitions and in their order,
 * because of two equal ones the planner takes the newest.
 */
export async function withoutIndexes(pool: Pool, table: string, load: () => Promise<void>): Promise<void> {
  const { rows: indexes } = await pool.query<{ drop: string; make: string }>(
    `select case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
                 else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
            case when c.oid is null then pg_get_indexdef(i.indexrelid)
                 else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) end as make
       from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype = 'u'
      where i.indrelid = $1::text::regclass and not i.indisprimary order by i.indexrelid`,
    [table],
  );
  for (const { drop } of indexes) await pool.query(drop);
  await load();
  for (const { make } of indexes) {
    await inTransaction(pool, async (tx) => {
      await tx.query(`set local maintenance_work_mem = '512MB'`);
      await tx.query(make);
    });
  }
}

const ROWS_PER_INSERT = 100_000;

/** The rows number `from` up to, not including, `to`. */
export async function insertRows(
  pool: Pool,
  from: number,
  to: number,
  insert: (tx: Transaction, first: number, last: number) => Promise<unknown>,
): Promise<void> {
  for (let first = from; first < to; first += ROWS_PER_INSERT) {
    const last = Math.min(to, first + ROWS_PER_INSERT) - 1;
    await inTransaction(pool, async (tx) => {
      // The foreign keys are correct by construction; checking them would double the time.
      await tx.query('set local session_replication_role = replica');
      await tx.query('set local synchronous_commit = off');
      await insert(tx, first, last);
    });
    progress(`loading, ${whole(last + 1)} of ${whole(to)}`);
  }
}

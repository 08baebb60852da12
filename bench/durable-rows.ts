import type { Pool } from 'pg';
import type { Sender } from './receipt.ts';
import { receiptRows } from './receipt-rows.ts';

const TABLE = 'bench_rows';

/** A table with the columns, checks and indexes of receipts, and rows to write into it, each once. */
export interface DurableRows {
  /** Writes the next rows in one statement and waits until they are durable. */
  write(count: number): Promise<void>;
  drop(): Promise<void>;
}

/**
 * The rows are like those that the run seals, for the same devices in turn: an index costs more the more places it is written
 * at, and the rows of a single device would make a limit that no fleet can come near.
 */
export async function prepareDurableRows(pool: Pool, senders: readonly Sender[], count: number): Promise<DurableRows> {
  await pool.query(`drop table if exists ${TABLE}`);
  await pool.query(`create table ${TABLE} (like receipts including all)`);
  const { rows: columns } = await pool.query<{ name: string; type: string }>(
    `select quote_ident(attname) as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = 'receipts'::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
  );
  const names = columns.map(({ name }) => name);
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
  // As text and as arrays, one per column: exactly what the product sends, whatever the types are.
  const { rows } = await pool.query<(string | null)[]>({
    rowMode: 'array',
    text: `select ${names.map((name) => `${name}::text`).join(', ')} from (${receiptRows(names)}) as made order by number`,
    values: [senders.map(({ deviceId }) => deviceId), 0, count - 1, Date.now(), 1, 1000],
  });
  let next = 0;
  return {
    write: async (most) => {
      const some = rows.slice(next, next + most);
      next += some.length;
      if (some.length !== most) throw new Error('there are not enough rows to write');
      await pool.query({
        name: 'bench-rows',
        text: `insert into ${TABLE} (${names.join(', ')}) select * from unnest(${arrays})`,
        values: columns.map((_, column) => some.map((row) => row[column])),
      });
    },
    drop: async () => {
      await pool.query(`drop table ${TABLE}`);
    },
  };
}

import type { Pool } from 'pg';
import type { Sender } from '../shared/receipt.ts';
import { receiptColumns, receiptRows } from '../shared/receipt-rows.ts';

/** Rows for the table of receipts, each to be written once. */
export interface DurableRows {
  /** Writes the next rows in one statement and waits until they are durable. */
  write(count: number): Promise<void>;
}

/** The bench's devices have lower ids: rows that were not sealed belong to devices that do not exist. */
export const MADE_DEVICES_FROM = 1_000_000;
const EVENTS_APART = 1_000_000_000;

let prepared = 0;

/**
 * The rows go into the service's own table and are like those that the run seals, for as many devices in turn, because an index
 * costs more the larger it is and the more of its pages are written. A separate empty table, or rows of a single device, would
 * make a limit that no fleet could reach.
 */
export async function prepareDurableRows(pool: Pool, senders: readonly Sender[], count: number): Promise<DurableRows> {
  prepared += 1;
  const columns = await receiptColumns(pool);
  const names = columns.map(({ name }) => name);
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
  const apart: Readonly<Record<string, string>> = {
    device_id: `(device_id + ${prepared * MADE_DEVICES_FROM})::text`,
    event_number: `(event_number + ${prepared * EVENTS_APART})::text`,
    reference: `reference || '-${prepared}'`,
  };
  const chosen = names.map((name) => apart[name] ?? `${name}::text`).join(', ');
  // As text and as arrays, one per column: exactly what the service sends.
  const { rows } = await pool.query<(string | null)[]>({
    rowMode: 'array',
    text: `select ${chosen} from (${receiptRows(names)}) as made order by number`,
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
        text: `insert into receipts (${names.join(', ')}) select * from unnest(${arrays})`,
        values: columns.map((_, column) => some.map((row) => row[column])),
      });
    },
  };
}

import type { Pool } from 'pg';
import { inTransaction } from '../../../src/platform/database/database.ts';
import type { Sender } from '../shared/receipt.ts';
import { receiptRows } from '../shared/receipt-rows.ts';

const YEAR_MS = 365 * 24 * 3600 * 1000;
/** A day's receipts for each of a thousand devices. */
const ROWS_PER_INSERT = 100_000;

/** Enough receipts of each buyer and amount, and enough refused ones, for a full page, however large the table. */
const RECEIPTS_OF_ONE_BUYER = 60;
const REFUSED = 60;

export interface Loading {
  readonly pool: Pool;
  readonly senders: readonly Sender[];
  /** How many there will be in the end, spread over a year. */
  readonly total: number;
  readonly onLoaded: (rows: number) => void;
}

/**
 * Receipts number `from` up to, not including, `to`, with the authority's answers. Indexes are built afterwards, from their own
 * definitions and in their order, because of two equal ones the planner takes the newest.
 */
export async function loadReceipts(loading: Loading, from: number, to: number): Promise<void> {
  const { pool, senders, total, onLoaded } = loading;
  const deviceIds = senders.map(({ deviceId }) => deviceId);
  const columns = await columnsOf(pool);
  const rebuild = await dropIndexes(pool);
  const startMs = Date.now() - YEAR_MS;
  for (let first = from; first < to; first += ROWS_PER_INSERT) {
    const last = Math.min(to, first + ROWS_PER_INSERT) - 1;
    await inTransaction(pool, async (tx) => {
      // The foreign keys are correct by construction; checking them would double the time.
      await tx.query('set local session_replication_role = replica');
      await tx.query('set local synchronous_commit = off');
      await tx.query(insert(columns), [
        deviceIds,
        first,
        last,
        startMs,
        YEAR_MS / total,
        Math.max(1, Math.round(total / RECEIPTS_OF_ONE_BUYER)),
        Math.max(1, Math.round(total / REFUSED)),
      ]);
      await tx.query(MOVE_HEADS, [deviceIds]);
      await tx.query(MOVE_EVENT_COUNTERS, [deviceIds, last - first + 1]);
    });
    onLoaded(last + 1);
  }
  await rebuild();
  await pool.query('vacuum analyze receipts, submissions, device_heads, event_counters');
  // What follows is measured, and should not have to write the pages of this load.
  await pool.query('checkpoint');
}

async function columnsOf(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
      where attrelid = 'receipts'::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
  );
  return rows.map(({ name }) => name);
}

function insert(columns: readonly string[]): string {
  return `
    with loaded as (
      insert into receipts (${columns.join(', ')}) select ${columns.join(', ')} from (${receiptRows(columns)}) as made
      order by number
      returning taxpayer_id, device_id, global_counter, sealed_at, hash,
                (global_counter * 7919::bigint + device_id) % $7::bigint = 0 as is_refused)
    insert into submissions (taxpayer_id, device_id, global_counter, state, failed_at, error, settled_at, attempts,
           authority_receipt_id, server_date, server_hash, server_signature, server_certificate_thumbprint,
           is_server_signature_valid)
    select taxpayer_id, device_id, global_counter, case when is_refused then 'Refused' else 'Submitted' end,
           case when is_refused then sealed_at end, case when is_refused then 'RCPT020: the signature is not valid' end, sealed_at, 1,
           global_counter, sealed_at, hash, sha512(hash) || sha512(hash || 'a') || sha512(hash || 'b') || sha512(hash || 'c'),
           '5f8c0d7a91b24e6fa3d2c1b0e9f87a6b5c4d3e2f', true
      from loaded`;
}

const MOVE_HEADS = `
  update device_heads h
     set global_counter = r.global_counter, fiscal_day_number = r.fiscal_day_number, fiscal_day_counter = r.fiscal_day_counter,
         last_hash = r.hash, last_date = greatest(h.last_date, r.signed_date), day_volume = 0
    from unnest($1::integer[]) as d (device_id)
    join devices using (device_id)
    cross join lateral (
      select global_counter, fiscal_day_number, fiscal_day_counter, hash, signed_date from receipts
       where taxpayer_id = devices.taxpayer_id and device_id = d.device_id order by global_counter desc limit 1) r
   where h.taxpayer_id = devices.taxpayer_id and h.device_id = d.device_id`;

const MOVE_EVENT_COUNTERS = `
  update event_counters c set last_number = c.last_number + owned.devices * ($2::bigint / cardinality($1::integer[]))
    from (select taxpayer_id, count(*) as devices from devices where device_id = any ($1) group by taxpayer_id) owned
   where c.tenant_id = owned.taxpayer_id`;

/** Drops all but the primary key; returns the statements that build them again. */
async function dropIndexes(pool: Pool): Promise<() => Promise<void>> {
  const { rows: indexes } = await pool.query<{ drop: string; make: string }>(
    `select case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
                 else format('alter table receipts drop constraint %I', c.conname) end as drop,
            case when c.oid is null then pg_get_indexdef(i.indexrelid)
                 else format('alter table receipts add constraint %I %s', c.conname, pg_get_constraintdef(c.oid)) end as make
       from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype = 'u'
      where i.indrelid = 'receipts'::regclass and not i.indisprimary order by i.indexrelid`,
  );
  for (const { drop } of indexes) await pool.query(drop);
  return async () => {
    for (const { make } of indexes) {
      await inTransaction(pool, async (tx) => {
        await tx.query(`set local maintenance_work_mem = '512MB'`);
        await tx.query(make);
      });
    }
  };
}

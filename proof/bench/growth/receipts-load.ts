import type { Sender } from '../shared/receipt.ts';
import { receiptColumns, receiptRows } from '../shared/receipt-rows.ts';
import type { Stage } from '../shared/stage.ts';
import { insertRows, withoutIndexes } from './without-indexes.ts';

const YEAR_MS = 365 * 24 * 3600 * 1000;

/** Enough receipts of each buyer and amount, and enough refused ones, for a full page, however large the table. */
const RECEIPTS_OF_ONE_BUYER = 60;
const REFUSED = 60;

/** Receipts number `from` up to, not including, `to`, with the authority's answers, of `total` that are spread over a year. */
export async function loadReceipts(
  { stage: { pool }, senders }: { readonly stage: Stage; readonly senders: readonly Sender[] },
  from: number,
  to: number,
  total: number,
): Promise<void> {
  const deviceIds = senders.map(({ deviceId }) => deviceId);
  const columns = (await receiptColumns(pool)).map(({ name }) => name);
  const startMs = Date.now() - YEAR_MS;
  const buyers = Math.max(1, Math.round(total / RECEIPTS_OF_ONE_BUYER));
  const refused = Math.max(1, Math.round(total / REFUSED));
  await withoutIndexes(pool, 'receipts', () =>
    insertRows(pool, from, to, async (tx, first, last) => {
      await tx.query(insert(columns), [deviceIds, first, last, startMs, YEAR_MS / total, buyers, refused]);
      await tx.query(MOVE_HEADS, [deviceIds]);
      await tx.query(MOVE_EVENT_COUNTERS, [deviceIds, last - first + 1]);
    }),
  );
  await pool.query('vacuum analyze receipts, submissions, device_heads, event_counters');
  // What follows is measured, and should not have to write the pages of this load.
  await pool.query('checkpoint');
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

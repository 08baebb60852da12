import type { TypedVendorEvent, VendorEventType } from '../../contract/platform/event.ts';
import { columnsOf } from '../../platform/database/column-arrays.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { MovedCounter } from '../../platform/events/event-watch.ts';

export type NewVendorEvent = TypedVendorEvent & {
  readonly vendorId: string;
  readonly at: Date;
};

/**
 * Writes events in the transaction that causes them. The counters' rows stay locked until it commits, so numbers come without
 * gaps and in commit order. They are the last locks a transaction takes (billers, payments, invoices, counters), in the
 * vendors' order.
 */
export async function recordVendorEvents(tx: Transaction, events: readonly NewVendorEvent[]): Promise<void> {
  if (events.length === 0) return;
  for (const { vendorId } of events) tx.concerns(vendorId);
  await tx.query({
    name: 'record-vendor-events',
    text: `with given as (
             select vendor_id, type, at, data, ordinal,
                    row_number() over (partition by vendor_id order by ordinal) as nth
               from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::jsonb[])
                    with ordinality as given (vendor_id, type, at, data, ordinal)),
           locked as (
             select vendor_id, last_number from vendor_event_counters
              where vendor_id = any($1) order by vendor_id for update),
           moved as (
             update vendor_event_counters c set last_number = l.last_number + g.count
               from locked l join (select vendor_id, count(*) as count from given group by vendor_id) g using (vendor_id)
              where c.vendor_id = l.vendor_id)
           insert into vendor_events (vendor_id, number, type, at, data)
           select g.vendor_id, l.last_number + g.nth, g.type, g.at, g.data from given g join locked l using (vendor_id)`,
    values: [...columnsOf(events, 'vendorId', 'type', 'at'), events.map(({ data }) => JSON.stringify(data))],
  });
}

/** The next numbers of these vendors belong to this transaction. */
export async function lockVendorCounters(tx: Transaction, vendorIds: readonly string[]): Promise<void> {
  const order = 'order by vendor_id for update';
  await tx.query(`select from vendor_event_counters where vendor_id = any ($1) ${order}`, [vendorIds]);
}

export interface StoredVendorEvent {
  readonly number: bigint;
  readonly type: VendorEventType;
  readonly at: Date;
  readonly data: string;
}

export async function listVendorEvents(
  db: Queryable,
  vendorId: string,
  after: bigint,
  limit: number,
): Promise<StoredVendorEvent[]> {
  const { rows } = await db.query<StoredVendorEvent>({
    name: 'list-vendor-events',
    text: `select number, type, at, data::text as data, array[xmin] as xmins from vendor_events
            where vendor_id = $1 and number > $2 order by number limit $3`,
    values: [vendorId, after, limit],
  });
  return rows;
}

/** Which of these vendors have an event after the number beside them. Planned each time: there may be one or ten thousand. */
export async function findMovedVendorCounters(
  db: Queryable,
  vendorIds: readonly string[],
  after: readonly bigint[],
): Promise<MovedCounter[]> {
  const { rows } = await db.query<MovedCounter>(
    `select c.vendor_id as "tenantId", c.last_number as number
       from unnest($1::uuid[], $2::bigint[]) as w (vendor_id, after)
       join vendor_event_counters c on c.vendor_id = w.vendor_id and c.last_number > w.after`,
    [`{${vendorIds.join(',')}}`, `{${after.join(',')}}`],
  );
  return rows;
}

import type { TypedEvent, TypedVendorEvent } from '../../contract/platform/event.ts';
import { arraysOf, type Column, json, plain, unnested } from '../database/column-arrays.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import type { MovedCounter } from './event-watch.ts';

/** A sealed receipt is its own event. */
export type TaxpayerEvent = Exclude<TypedEvent, { readonly type: 'receipt.signed' }>;

export type NewEvent = (TaxpayerEvent | TypedVendorEvent) & { readonly tenantId: string; readonly at: Date };

/** A tenant's new events, by their place among those written with them: 1 for the first. */
interface PlacedEvent {
  readonly event: NewEvent;
  readonly place: number;
}

const WANTED: readonly Column<readonly [tenantId: string, count: number]>[] = [
  plain('tenant_id', 'uuid', ([tenantId]) => tenantId),
  plain('count', 'integer', ([, count]) => count),
];

const PLACED: readonly Column<PlacedEvent>[] = [
  plain('tenant_id', 'uuid', ({ event }) => event.tenantId),
  plain('place', 'integer', ({ place }) => place),
  plain('type', 'text', ({ event }) => event.type),
  plain('at', 'timestamptz', ({ event }) => event.at.toISOString()),
  json('data', 'jsonb', ({ event }) => JSON.stringify(event.data)),
];

/**
 * Writes events in the transaction that causes them. The counters' rows stay locked until that transaction commits, so numbers come
 * without gaps and in commit order. They are the last locks a transaction takes (heads, originals, counters; billers, payments,
 * invoices, counters), in the order of the tenants.
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const counts = new Map<string, number>();
  const placed = events.map((event): PlacedEvent => {
    const place = (counts.get(event.tenantId) ?? 0) + 1;
    counts.set(event.tenantId, place);
    return { event, place };
  });
  for (const tenantId of counts.keys()) tx.concerns(tenantId);
  await tx.query({
    name: 'record-events',
    text: `with wanted as (select * from ${unnested(WANTED, 1, 'w')}),
           counters as (
             insert into event_counters as c (tenant_id, last_number) select tenant_id, count from wanted order by tenant_id
             on conflict (tenant_id) do update set last_number = c.last_number + excluded.last_number
             returning c.tenant_id, c.last_number)
           insert into events (tenant_id, number, type, at, data)
           select n.tenant_id, c.last_number - w.count + n.place, n.type, n.at, n.data
             from ${unnested(PLACED, 1 + WANTED.length, 'n')} join counters c using (tenant_id) join wanted w using (tenant_id)`,
    values: [...arraysOf(WANTED, [...counts]), ...arraysOf(PLACED, placed)],
  });
}

/** The next numbers of these tenants belong to this transaction. */
export async function lockCounters(tx: Transaction, tenantIds: readonly string[]): Promise<void> {
  await tx.query('select from event_counters where tenant_id = any ($1) order by tenant_id for update', [tenantIds]);
}

/** Which of these tenants have an event after the number beside them. Planned each time: there may be one or ten thousand. */
export async function findMovedCounters(
  db: Queryable,
  tenantIds: readonly string[],
  after: readonly bigint[],
): Promise<MovedCounter[]> {
  const { rows } = await db.query<MovedCounter>({
    name: 'find-moved-counters',
    text: `select c.tenant_id as "tenantId", c.last_number as number
             from unnest($1::uuid[], $2::bigint[]) as w (tenant_id, after)
             join event_counters c on c.tenant_id = w.tenant_id and c.last_number > w.after`,
    values: [`{${tenantIds.join(',')}}`, `{${after.join(',')}}`],
  });
  return rows;
}

import type { EventType, TypedEvent } from '../../contract/platform/event.ts';
import { arraysOf, type Column, json, plain, unnested } from '../../platform/database/column-arrays.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { MovedCounter } from '../../platform/events/event-watch.ts';

export type NewEvent = Exclude<TypedEvent, { readonly type: 'receipt.signed' }> & {
  readonly taxpayerId: string;
  readonly at: Date;
};

/** A taxpayer's new events, by their place among those written with them: 1 for the first. */
interface PlacedEvent {
  readonly event: NewEvent;
  readonly place: number;
}

interface WantedNumbers {
  readonly taxpayerId: string;
  readonly count: number;
}

const WANTED: readonly Column<WantedNumbers>[] = [
  plain('taxpayer_id', 'uuid', ({ taxpayerId }) => taxpayerId),
  plain('count', 'integer', ({ count }) => count),
];

const PLACED: readonly Column<PlacedEvent>[] = [
  plain('taxpayer_id', 'uuid', ({ event }) => event.taxpayerId),
  plain('place', 'integer', ({ place }) => place),
  plain('type', 'text', ({ event }) => event.type),
  plain('at', 'timestamptz', ({ event }) => event.at.toISOString()),
  json('data', 'jsonb', ({ event }) => JSON.stringify(event.data)),
];

export function recordEvent(tx: Transaction, event: NewEvent): Promise<void> {
  return recordEvents(tx, [event]);
}

/**
 * Writes events in the transaction that causes them. The counters' rows stay locked until that transaction commits, so numbers come
 * without gaps and in commit order. They are the last locks a transaction takes (heads, originals, counters), in the order
 * of the taxpayers.
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  const counts = new Map<string, number>();
  const placed = events.map((event): PlacedEvent => {
    const place = (counts.get(event.taxpayerId) ?? 0) + 1;
    counts.set(event.taxpayerId, place);
    return { event, place };
  });
  for (const taxpayerId of counts.keys()) tx.concerns(taxpayerId);
  const wanted = [...counts].map(([taxpayerId, count]) => ({ taxpayerId, count }));
  await tx.query({
    name: 'record-events',
    text: `with held as (
             select c.taxpayer_id, w.count from ${unnested(WANTED, 1, 'w')} join event_counters c using (taxpayer_id)
              order by c.taxpayer_id for update of c),
           counters as (
             update event_counters c set last_number = c.last_number + held.count from held
              where c.taxpayer_id = held.taxpayer_id
             returning c.taxpayer_id, c.last_number - held.count as base)
           insert into events (taxpayer_id, number, type, at, data)
           select n.taxpayer_id, c.base + n.place, n.type, n.at, n.data
             from ${unnested(PLACED, 1 + WANTED.length, 'n')} join counters c using (taxpayer_id)`,
    values: [...arraysOf(WANTED, wanted), ...arraysOf(PLACED, placed)],
  });
}

/** The next numbers of these taxpayers belong to this transaction. */
export async function lockCounters(tx: Transaction, taxpayerIds: readonly string[]): Promise<void> {
  const order = 'order by taxpayer_id for update';
  await tx.query(`select from event_counters where taxpayer_id = any ($1) ${order}`, [taxpayerIds]);
}

export interface StoredEvent {
  readonly number: bigint;
  readonly type: EventType;
  readonly at: Date;
  readonly data: string;
}

/** In order, from after that number: rows of events and receipts, merged by their one numbering. */
export async function listEvents(
  db: Queryable,
  taxpayerId: string,
  after: bigint,
  limit: number,
): Promise<StoredEvent[]> {
  const { rows } = await db.query<StoredEvent>({
    name: 'list-events',
    text: `(select number, type, at, data::text as data, array[xmin] as xmins from events
             where taxpayer_id = $1 and number > $2 order by number limit $3)
           union all
           (select event_number, 'receipt.signed', sealed_at,
                   json_build_object('Reference', reference, 'AuthorityDeviceId', device_id, 'Type', type,
                                     'FiscalDayNumber', fiscal_day_number, 'FiscalDayCounter', fiscal_day_counter,
                                     'GlobalCounter', global_counter)::text, array[xmin]
              from receipts where taxpayer_id = $1 and event_number > $2 order by event_number limit $3)
           order by number limit $3`,
    values: [taxpayerId, after, limit],
  });
  return rows;
}

/** Which of these taxpayers have an event after the number beside them. Planned each time: there may be one or ten thousand. */
export async function findMovedCounters(
  db: Queryable,
  taxpayerIds: readonly string[],
  after: readonly bigint[],
): Promise<MovedCounter[]> {
  const { rows } = await db.query<MovedCounter>({
    name: 'find-moved-counters',
    text: `select c.taxpayer_id as "tenantId", c.last_number as number
             from unnest($1::uuid[], $2::bigint[]) as w (taxpayer_id, after)
             join event_counters c on c.taxpayer_id = w.taxpayer_id and c.last_number > w.after`,
    values: [`{${taxpayerIds.join(',')}}`, `{${after.join(',')}}`],
  });
  return rows;
}

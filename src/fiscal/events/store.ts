import type { EventType, TypedEvent } from '../../contract/console/event.ts';
import type { Remark } from '../../fdms/index.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { MovedCounter } from '../../platform/events/event-watch.ts';
import { presentRemark } from '../sealed/sealed-receipt.ts';

export type NewEvent = Exclude<TypedEvent, { readonly type: 'receipt.signed' }> & {
  readonly taxpayerId: string;
  readonly at: Date;
};

/**
 * Writes an event in the transaction that causes it. The counter's row stays locked until that transaction commits, so
 * numbers come without gaps and in commit order. It is the last lock a transaction takes (heads, originals, counters).
 */
export async function recordEvent(tx: Transaction, event: NewEvent): Promise<void> {
  tx.concerns(event.taxpayerId);
  await tx.query({
    name: 'record-event',
    text: `with counter as (
             update event_counters set last_number = last_number + 1 where taxpayer_id = $1 returning last_number)
           insert into events (taxpayer_id, number, type, at, data)
           select $1, last_number, $2, $3, $4 from counter`,
    values: [event.taxpayerId, event.type, event.at, JSON.stringify(event.data)],
  });
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
    text: `(select number, type, at, data::text as data from events
             where taxpayer_id = $1 and number > $2 order by number limit $3)
           union all
           (select event_number, 'receipt.signed', sealed_at,
                   json_build_object('Reference', reference, 'AuthorityDeviceId', device_id, 'Type', type,
                                     'FiscalDayNumber', fiscal_day_number, 'FiscalDayCounter', fiscal_day_counter,
                                     'GlobalCounter', global_counter)::text
              from receipts where taxpayer_id = $1 and event_number > $2 order by event_number limit $3)
           order by number limit $3`,
    values: [taxpayerId, after, limit],
  });
  return rows.map((row) => (row.type === 'receipt.submitted' ? { ...row, data: submittedData(row.data) } : row));
}

/** Version 0.1 wrote remarks as it stores them, with names in lower case. What was published is never rewritten, but read with today's names. */
function submittedData(text: string): string {
  if (!text.includes('"words"')) return text;
  const { Remarks, ...data } = JSON.parse(text) as {
    readonly Remarks: readonly (Remark | { readonly Code: string })[];
  };
  return JSON.stringify({ ...data, Remarks: Remarks.map((one) => ('code' in one ? presentRemark(one) : one)) });
}

/** Which of these taxpayers have an event after the number beside them. Planned each time: there may be one or ten thousand. */
export async function findMovedCounters(
  db: Queryable,
  taxpayerIds: readonly string[],
  after: readonly bigint[],
): Promise<MovedCounter[]> {
  const { rows } = await db.query<MovedCounter>(
    `select c.taxpayer_id as "tenantId", c.last_number as number
       from unnest($1::uuid[], $2::bigint[]) as w (taxpayer_id, after)
       join event_counters c on c.taxpayer_id = w.taxpayer_id and c.last_number > w.after`,
    [`{${taxpayerIds.join(',')}}`, `{${after.join(',')}}`],
  );
  return rows;
}

import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { TenantEvent } from '../../platform/events/feed.ts';
import * as platform from '../../platform/events/store.ts';

export type NewEvent = platform.TaxpayerEvent & { readonly taxpayerId: string; readonly at: Date };

export function recordEvent(tx: Transaction, event: NewEvent): Promise<void> {
  return recordEvents(tx, [event]);
}

export function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  return platform.recordEvents(
    tx,
    events.map(({ taxpayerId, ...event }) => ({ ...event, tenantId: taxpayerId })),
  );
}

/** Of any tenant, in order, from after that number: rows of events and, of a taxpayer, receipts, merged by their one numbering. */
export async function listEvents(
  db: Queryable,
  tenantId: string,
  after: bigint,
  limit: number,
): Promise<TenantEvent[]> {
  const { rows } = await db.query<TenantEvent>({
    name: 'list-events',
    text: `(select number, type, at, data::text as data, array[xmin] as xmins from events
             where tenant_id = $1 and number > $2 order by number limit $3)
           union all
           (select event_number, 'receipt.signed', sealed_at,
                   json_build_object('Reference', reference, 'AuthorityDeviceId', device_id, 'Type', type,
                                     'FiscalDayNumber', fiscal_day_number, 'FiscalDayCounter', fiscal_day_counter,
                                     'GlobalCounter', global_counter)::text, array[xmin]
              from receipts where taxpayer_id = $1 and event_number > $2 order by event_number limit $3)
           order by number limit $3`,
    values: [tenantId, after, limit],
  });
  return rows;
}

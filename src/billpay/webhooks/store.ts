import type { Transaction } from '../../platform/database.ts';

export interface GatheredChange {
  /** Each with the id its delivery gets, should there be none that still gathers. */
  readonly vendors: readonly { readonly vendorId: string; readonly deliveryId: string }[];
  readonly billerCode: string;
  readonly now: Date;
  readonly dueAt: Date;
}

/**
 * Adds the biller to the delivery that still gathers for the vendor, or opens one. The unique index on gathering deliveries
 * decides under concurrency; a delivery that is claimed meanwhile gathers no more, and the change goes into a new one.
 */
export async function gatherChange(tx: Transaction, change: GatheredChange): Promise<void> {
  await tx.query({
    name: 'gather-biller-change',
    text: `insert into webhook_deliveries as d
             (vendor_id, delivery_id, biller_codes, state, is_gathering, next_attempt_at, created_at)
           select v.vendor_id, g.delivery_id, array[$3::text], 'Pending', true, $5::timestamptz, $4::timestamptz
             from unnest($1::uuid[], $2::uuid[]) with ordinality as g (vendor_id, delivery_id, place)
             join vendors v on v.vendor_id = g.vendor_id and v.callback_url is not null
            order by g.place
           on conflict (vendor_id) where is_gathering do update
              set biller_codes = case when $3 = any(d.biller_codes) then d.biller_codes
                                      else array_append(d.biller_codes, $3) end`,
    values: [
      change.vendors.map(({ vendorId }) => vendorId),
      change.vendors.map(({ deliveryId }) => deliveryId),
      change.billerCode,
      change.now,
      change.dueAt,
    ],
  });
}
